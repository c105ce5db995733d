package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.Owner;

/** Memory that belongs to somebody: an allocation of the driver, or a block that a pool told of. */
public final class OwnedBlock {
  public final long id;
  public final String kind;

  /** What its user calls it; empty without one. */
  public final String tag;

  public final int device;
  public final long start;
  public final long end;
  public final Operation allocated;

  /** The allocation as a virtual write; null where no stream has to wait for it. */
  final @Nullable Operation virtualWrite;

  /** True if a pool handed it out in a capture: then it is there for all launches. */
  public final boolean captured;

  public final List<StreamClock> users = new ArrayList<>(2);

  /** Work of other streams on its bytes that may go on, and that its allocation waits for. */
  private List<Operation> pendingUses = List.of();

  /** The free; null while it lives. */
  @Nullable Operation freed;

  /** Whose memory it was before; only one generation back, so that none is kept for ever. */
  private @Nullable OwnedBlock previous;

  /** Whose memory it became after its free. */
  private @Nullable OwnedBlock successor;

  private OwnedBlock(
      long id,
      String kind,
      String tag,
      int device,
      long start,
      long bytes,
      Operation allocated,
      @Nullable Operation virtualWrite,
      boolean captured) {
    this.id = id;
    this.kind = kind;
    this.tag = tag;
    this.device = device;
    this.start = start;
    this.end = start + bytes;
    this.allocated = allocated;
    this.virtualWrite = virtualWrite;
    this.captured = captured;
    if (virtualWrite != null) {
      users.add(virtualWrite.stream);
    }
  }

  /** Memory that any stream may use at once. */
  static OwnedBlock atOnce(
      long id, String kind, int device, long start, long bytes, Operation allocated) {
    return new OwnedBlock(id, kind, "", device, start, bytes, allocated, null, false);
  }

  /** Memory that is there as of an operation of a stream. */
  public static OwnedBlock inStreamOrder(
      long id, String kind, String tag, int device, long start, long bytes, Operation allocated) {
    return new OwnedBlock(id, kind, tag, device, start, bytes, allocated, allocated, false);
  }

  /** Memory that was handed out in a capture: work of its graph may use it on any stream. */
  public static OwnedBlock captured(
      long id, String tag, int device, long start, long bytes, Operation allocated) {
    return new OwnedBlock(id, "block", tag, device, start, bytes, allocated, null, true);
  }

  /** Page-locked memory that a pool handed out, for all streams; in a capture, for its graph. */
  public static OwnedBlock onHost(
      long id, int device, long start, long bytes, Operation allocated, boolean captured) {
    return new OwnedBlock(
        id, "page-locked block", "", device, start, bytes, allocated, null, captured);
  }

  public @Nullable OwnedBlock previous() {
    return previous;
  }

  void setPendingUses(List<Operation> uses) {
    pendingUses = uses;
  }

  /**
   * Returns whether a stream comes after its allocation. That of a pool is no operation, and known
   * with the one before it: so what it waits for counts beside it.
   */
  boolean isAllocatedBefore(StreamClock stream, HostThreads hosts) {
    if (virtualWrite == null || virtualWrite.stream == stream) {
      return true;
    }
    Order point = pendingUses.isEmpty() ? stream : hosts.forPools(stream);
    for (Operation each : pendingUses) {
      if (!each.isBefore(point)) {
        return false;
      }
    }
    return virtualWrite.isBefore(stream);
  }

  /** A stream counts as coming after its allocation from now on. */
  void assumeAllocatedBefore(StreamClock stream) {
    pendingUses.forEach(stream::join);
  }

  void end(Operation free) {
    freed = free;
    pendingUses = List.of();
  }

  void setPrevious(@Nullable OwnedBlock other) {
    if (other != null) {
      other.previous = null;
      other.successor = this;
    }
    previous = other;
  }

  boolean hasSuccessor() {
    return successor != null;
  }

  /** Whose memory it is now, after its free; null if it is nobody's. */
  @Nullable OwnedBlock liveSuccessor() {
    OwnedBlock owner = successor;
    while (owner != null && owner.freed != null) {
      owner = owner.successor;
    }
    return owner;
  }

  Owner toOwner() {
    return new Owner(
        id,
        kind,
        tag.isEmpty() ? null : tag,
        start,
        end - start,
        allocated.toAccess(AccessKind.ALLOCATE, start, end),
        freed == null ? null : freed.toAccess(AccessKind.FREE, start, end));
  }
}
