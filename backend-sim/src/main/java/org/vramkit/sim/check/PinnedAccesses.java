package org.vramkit.sim.check;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import org.vramkit.sim.check.OrderRule.Candidate;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Checks accesses to page-locked memory, by queued copies and by the host. It has a history by
 * address, like device memory; declared accesses of the host enter it. Of undeclared accesses only
 * writes are detected, by bytes that change while a copy reads them. Taking a view does not count
 * as an access, because the view may be read after a wait.
 */
public final class PinnedAccesses extends MemoryRules {
  private final PinnedContents contents;
  private final PinnedBlocks blocks;
  private final ClosedBuffers closed;

  PinnedAccesses(MemoryRules shared, PinnedContents contents, ClosedBuffers closed) {
    super(shared);
    this.contents = contents;
    this.blocks = new PinnedBlocks(shared);
    this.closed = closed;
  }

  public void allocated(PinnedRange buffer) {
    blocks.allocated(buffer, operations.hostPoint("allocate", AccessKind.ALLOCATE));
  }

  /** Watches a range that submitted work reads, and notifies if the host changes it. */
  public void submitted(Operation by, PinnedRange range, ByteBuffer content, HostChange change) {
    if (enabled && by.closedGate() == null) {
      contents.submitted(by, range, content, change);
    }
  }

  /** Checks the access of a copy: now, in a capture, or with a launch of its graph. */
  public void copied(Operation copy, PinnedRange range, AccessKind kind) {
    GraphNode node = copy.node();
    if (!enabled) {
      return;
    }
    if (node != null && copy.isCaptured()) {
      blocks.capture(copy, range, kind, node);
    } else if (node == null
        ? blocks.isInside(copy, range, kind)
        : blocks.isStillOwned(copy, range, kind, node)) {
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
                      : "record an event after the earlier copy and make the later stream wait for"
                          + " it"));
    }
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
    contents.forget(range.start(), range.end());
  }

  private void hostTouches(HazardCode code, String name, PinnedRange range, AccessKind kind) {
    if (enabled && range.start() < range.end()) {
      Operation by = operations.byHost(name, kind);
      String remedy =
          by.isByFunction()
              ? "order the function's stream and the other one by an event, in either direction"
              : "wait for the stream, or for an event recorded after it, first";
      List<Operation> unordered =
          touched(by, range, kind, conflict -> candidate(code, conflict, by, range, kind, remedy));
      if (!by.isByFunction()) {
        // Assumed after the report, as between streams.
        unordered.forEach(hosts::did);
      }
    }
  }

  /** Looks for changes by the host under work that reads a range. */
  public void compare(PinnedRange range) {
    contents.compare(range.start(), range.end());
  }

  public void written(PinnedRange range, Runnable write) {
    contents.written(
        range.start(), range.end(), () -> closed.written(range.start(), range.end(), write));
  }

  public void freed(PinnedRange buffer) {
    if (enabled) {
      Conflict pending =
          history.conflict(hosts.allOfCaller(), buffer.start(), buffer.end(), AccessKind.WRITE);
      if (pending != null) {
        Operation free = operations.byHost("free", AccessKind.FREE);
        order
            .before(free)
            .add(
                pending.operation(),
                candidate(
                    HazardCode.FREE_IN_FLIGHT,
                    pending,
                    free,
                    buffer,
                    AccessKind.FREE,
                    "wait for the stream, or for an event recorded after it, before closing"))
            .report();
      }
    }
    blocks.freed(buffer, operations.hostPoint("close", AccessKind.FREE));
    history.forget(buffer.start(), buffer.end());
    contents.forget(buffer.start(), buffer.end());
    blocks.forget(buffer);
  }

  /** Notes that a pool reuses a range whose earlier copies it knows to be done. */
  public void reused(long start, long bytes) {
    contents.forget(start, start + bytes);
    closed.forget(start, start + bytes);
  }

  /** Watches a closed buffer, whose content may still have views. */
  public void closed(PinnedRange buffer, ByteBuffer content) {
    if (enabled) {
      closed.add(buffer, content, operations.hostPoint("close", AccessKind.FREE));
    }
  }

  /** Releases the kept copies of closed buffers, when memory is short. */
  public void forgetClosed() {
    closed.forgetAll();
  }

  /** Receives changes by the host under a copy. */
  @FunctionalInterface
  public interface HostChange {
    /** Reports changed bytes from an address on. */
    void noticed(long address, long bytes);
  }
}
