package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.Owner;

/** Memory with an owner: an allocation of the driver, or a block that a pool reported. */
public final class OwnedBlock {
  /** The kind of a block that a pool reported. */
  static final String BLOCK = "block";

  /** The kind of a block of page-locked memory that a pool reported. */
  private static final String HOST_BLOCK = "page-locked block";

  public final long id;
  public final String kind;

  /** The user's name for it; empty without one. */
  public final String tag;

  public final int device;
  public final long start;
  public final long end;
  public final Operation allocated;

  /** The allocation as a virtual write; null if no stream has to wait for it. */
  final @Nullable Operation virtualWrite;

  /** True if a pool allocated the block in a capture. Such a block exists for all launches. */
  public final boolean captured;

  /** The allocating stream, and those with recorded uses. */
  public final List<StreamClock> users = new ArrayList<>(2);

  /** Earlier uses by other streams that may still run, and that the allocation waits for. */
  private List<Operation> pendingUses = List.of();

  /** The free; null while it lives. */
  @Nullable Operation freed;

  /**
   * The previous owner of the memory, whose own previous owner is dropped, so that chains do not
   * grow.
   */
  private @Nullable OwnedBlock previous;

  /** The next owner of the memory after the free. */
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

  /** Creates memory that any stream may use at once. */
  static OwnedBlock atOnce(
      long id, String kind, int device, long start, long bytes, Operation allocated) {
    return new OwnedBlock(id, kind, "", device, start, bytes, allocated, null, false);
  }

  /** Creates memory that is usable from an operation of a stream on. */
  public static OwnedBlock inStreamOrder(
      long id, String kind, String tag, int device, long start, long bytes, Operation allocated) {
    return new OwnedBlock(id, kind, tag, device, start, bytes, allocated, allocated, false);
  }

  /** Creates memory of a capture, which work of its graph may use on any stream. */
  public static OwnedBlock captured(
      long id, String tag, int device, long start, long bytes, Operation allocated) {
    return new OwnedBlock(id, BLOCK, tag, device, start, bytes, allocated, null, true);
  }

  /** Creates page-locked memory of a pool, for all streams or, in a capture, for its graph. */
  public static OwnedBlock onHost(
      long id, int device, long start, long bytes, Operation allocated, boolean captured) {
    return new OwnedBlock(id, HOST_BLOCK, "", device, start, bytes, allocated, null, captured);
  }

  /** Returns whether a pool reported it, rather than the driver. */
  boolean isOfPool() {
    return kind.equals(BLOCK) || kind.equals(HOST_BLOCK);
  }

  /** Returns whether a pool of page-locked memory reported it. */
  boolean isOnHost() {
    return kind.equals(HOST_BLOCK);
  }

  public @Nullable OwnedBlock previous() {
    return previous;
  }

  void setPendingUses(List<Operation> uses) {
    pendingUses = uses;
  }

  /**
   * Returns whether a stream comes after the allocation. A pool's allocation shares the epoch of
   * the operation before it, so the uses that the allocation waits for are checked as well.
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

  /** Assumes from now on that a stream comes after the allocation. */
  void assumeAllocatedBefore(StreamClock stream) {
    pendingUses.forEach(use -> use.comeBefore(stream));
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

  /** Returns the current owner after the free; null if there is none. */
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
