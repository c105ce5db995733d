package org.vramkit.sim.check;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.check.OrderRule.Candidate;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Checks accesses to page-locked memory, by queued copies and by the host. Like device memory, it
 * has a history by address, which declared accesses of the host enter. Of undeclared accesses, only
 * writes are detected, because they change bytes that a copy is yet to read. Taking a view does not
 * count as an access, because the view may be read after a wait.
 */
public final class PinnedAccesses extends MemoryRules {
  private final HostWrites hostWrites;

  PinnedAccesses(MemoryRules shared, HostWrites hostWrites) {
    super(shared);
    this.hostWrites = hostWrites;
  }

  public void allocated(PinnedRange buffer) {
    Operation allocation = operations.hostPoint("allocate", AccessKind.ALLOCATE);
    owners.host.add(
        OwnedBlock.atOnce(
            0, "page-locked buffer", buffer.device(), buffer.start(), buffer.size(), allocation));
  }

  /** Checks an access of a copy that is submitted, captured, or launched with its graph. */
  public void copied(Operation copy, PinnedRange range, AccessKind kind) {
    GraphNode node = copy.node();
    if (!enabled) {
      return;
    }
    if (node != null && copy.isCaptured()) {
      capture(copy, range, kind, node);
    } else if (node == null ? isInside(copy, range, kind) : isStillOwned(copy, range, kind, node)) {
      touched(
          copy,
          range,
          kind,
          conflict ->
              candidate(
                  conflict.race(kind),
                  conflict,
                  copy,
                  range,
                  kind,
                  conflict.isByThread()
                      ? "order the two threads by a HandOff"
                      : "record an event after the earlier operation and make the later stream wait"
                          + " for it"));
    }
  }

  /** Returns whether a range lies in a block with an owner, or in memory of no pool. */
  private boolean isInside(Operation copy, PinnedRange range, AccessKind kind) {
    if (range.start() == range.end()) {
      return true;
    }
    OwnedBlock block = blockOf(range);
    if (block != null) {
      return endsInside(copy, range, kind, block);
    }
    OwnedBlock freed = owners.pools.freed.containing(range.start());
    if (freed != null) {
      afterFree(copy, range, kind, freed);
    }
    return freed == null;
  }

  private @Nullable OwnedBlock blockOf(PinnedRange range) {
    OwnedBlock block = owners.pools.liveContaining(range.start());
    return block == null ? owners.pools.liveContaining(range.buffer()) : block;
  }

  /**
   * Keeps the owner of the memory that a captured copy accesses, for the launches of the graph. An
   * illegal access is reported instead.
   */
  private void capture(Operation copy, PinnedRange range, AccessKind kind, GraphNode node) {
    if (isInside(copy, range, kind)) {
      OwnedBlock block = blockOf(range);
      node.touches(range.start(), kind, block == null ? owners.host.liveAt(range.buffer()) : block);
    }
  }

  /** Returns whether the memory that a graph's copy accesses still has the same owner. */
  private boolean isStillOwned(Operation copy, PinnedRange range, AccessKind kind, GraphNode node) {
    OwnedBlock owner = node.ownerOf(range.start(), kind);
    if (owner == null) {
      return false;
    }
    boolean closed = owners.host.liveAt(range.buffer()) == null;
    if (closed || (owner.freed != null && !owner.captured)) {
      afterFree(copy, range, kind, owner);
      return false;
    }
    OwnedBlock successor = owner.freed == null ? null : blockOf(range);
    if (successor != null && !successor.captured) {
      reportReuse(owner, successor, copy, kind, range.start(), range.end());
      return false;
    }
    return true;
  }

  private boolean endsInside(Operation copy, PinnedRange range, AccessKind kind, OwnedBlock block) {
    if (range.end() <= block.end) {
      return true;
    }
    long beyond = Math.max(range.start(), block.end);
    reports
        .find(HazardCode.OUT_OF_BOUNDS)
        .in(block)
        .later(copy, kind, range.start(), range.end())
        .at(beyond, range.end())
        .missing(ByteSize.format(range.end() - beyond) + " beyond the end, in slack")
        .report("request more bytes, or access fewer");
    return false;
  }

  private void afterFree(Operation copy, PinnedRange range, AccessKind kind, OwnedBlock freed) {
    reports
        .find(HazardCode.USE_AFTER_FREE)
        .inFreed(freed)
        .later(copy, kind, range.start(), range.end())
        .missing("the memory was freed before this copy was submitted")
        .report(
            "close the buffer after submitting its last copy"
                + (freed.isOfPool()
                        ? ", and record the use by %s before closing it"
                        : " and waiting for %s")
                    .formatted(copy.stream.name));
  }

  private List<Operation> touched(
      Operation by, PinnedRange range, AccessKind kind, Function<Conflict, Candidate> candidate) {
    List<Operation> unordered =
        order.before(by).addConflicts(range.start(), range.end(), kind, candidate).report();
    history.enter(by, kind, range.start(), range.end());
    return unordered;
  }

  private static Candidate candidate(
      HazardCode code,
      Conflict conflict,
      Operation by,
      PinnedRange range,
      AccessKind kind,
      String remedy) {
    return new Candidate(
        code,
        finding -> finding.in(range).between(conflict, by, kind, range.start(), range.end()),
        remedy);
  }

  public void hostReads(PinnedRange range) {
    hostTouches(HazardCode.HOST_READ_RACE, "host read", range, AccessKind.READ);
  }

  public void hostWrites(PinnedRange range) {
    hostTouches(HazardCode.HOST_RACE, "host write", range, AccessKind.WRITE);
    hostWrites.forget(range);
  }

  private void hostTouches(HazardCode code, String name, PinnedRange range, AccessKind kind) {
    if (enabled && range.start() < range.end()) {
      Operation by = operations.byHost(name, kind);
      List<Operation> unordered =
          touched(
              by,
              range,
              kind,
              conflict -> candidate(code, conflict, by, range, kind, hostRemedy(by, conflict)));
      if (!by.isByFunction()) {
        // After a report the missing order is assumed, as between streams.
        unordered.forEach(hosts::did);
      }
    }
  }

  private static String hostRemedy(Operation by, Conflict conflict) {
    if (!by.isByFunction()) {
      return conflict.isByThread()
          ? "order the two threads by a HandOff"
          : conflict
              .operation()
              .howToWait("wait first for the stream, or for an event recorded after the work");
    }
    return conflict.isByThread()
        ? "let the thread access the bytes before it queues the function, or after a wait for the"
            + " function's stream"
        : "order the function's stream and the other one by an event, in either direction";
  }

  public void freed(PinnedRange buffer) {
    if (enabled) {
      Conflict pending =
          history.conflict(hosts.allOfCaller(), buffer.start(), buffer.end(), AccessKind.WRITE);
      if (pending != null) {
        Operation free = operations.byHost("free", AccessKind.FREE);
        // Also for work behind a closed gate, whose opening orders that work after the free.
        order.reportUnordered(
            pending.operation(),
            free,
            candidate(
                HazardCode.FREE_IN_FLIGHT,
                pending,
                free,
                buffer,
                AccessKind.FREE,
                (pending.operation().closedGate() == null
                        ? ""
                        : "open the gate that holds the work, and ")
                    + pending
                        .operation()
                        .howToWait("wait for the stream, or for an event recorded after the work")
                    + ", before closing"));
      }
    }
    Operation free = operations.hostPoint("close", AccessKind.FREE);
    OwnedBlock block = owners.host.liveAt(buffer.start());
    if (block != null) {
      owners.host.free(block, free);
    }
    history.forget(buffer.start(), buffer.end());
    hostWrites.forget(buffer);
    unwritten.written(buffer.start(), buffer.end());
    owners.pools.drop(buffer.start(), buffer.end());
    owners.pools.freed.forget(buffer.start(), buffer.end());
  }
}
