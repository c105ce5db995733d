package org.vramkit.pool.caching.internal.arena;

import java.util.function.Supplier;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.caching.internal.cache.StreamCaches;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.stream.InFlightCalls;
import org.vramkit.pool.support.StackRoom;

/**
 * Who may be inside of a pool: anybody while it is open, nobody but the one who holds it while it
 * is held, and nobody new once it is shut. {@link InFlightCalls} counts those who are inside; hits
 * are none of them, and end because the caches are frozen.
 */
public final class Admission {
  private final long poolId;
  private final Device device;
  final InFlightCalls calls;
  private final StreamCaches streams;
  private final Heap heap;

  /**
   * To an open pool.
   *
   * @param poolId 0 for the default pool
   * @param heap where blocks go that lie in caches, when these are frozen
   */
  Admission(long poolId, Device device, InFlightCalls calls, StreamCaches streams, Heap heap) {
    this.poolId = poolId;
    this.device = device;
    this.calls = calls;
    this.streams = streams;
    this.heap = heap;
  }

  /**
   * Does something while the pool can be neither held nor closed.
   *
   * @throws ClosedException if it is closed
   */
  public <T> T inside(Supplier<T> action) {
    StackRoom.forMiss();
    if (!calls.enter()) {
      throw closedError();
    }
    try {
      return action.get();
    } finally {
      calls.leave();
    }
  }

  /**
   * Steps out to do what may take any time, with no block in hand: meanwhile others may hold the
   * pool or close it. From inside of a call.
   *
   * @throws ClosedException if it is closed by then
   */
  <T> T outside(Supplier<T> action) {
    T result = calls.outside(action);
    requireOpen();
    return result;
  }

  /** Refuses to go on in a pool that was closed while an allocation waited. */
  void requireOpen() {
    if (calls.isShut()) {
      throw new ClosedException(
          nameOf(poolId, device),
          "the allocation that waited for memory gets none",
          "close it after its last allocation");
    }
  }

  /**
   * Has nobody else be inside, no hit happen, and all free blocks lie in the heap, until it is
   * {@link #letGo}; not from inside of a call.
   */
  public void hold() {
    calls.hold();
    boolean held = false;
    try {
      streams.freeze(heap);
      // Who closed before that may carry what its cache had no room for, and much of it.
      calls.awaitDeserted();
      held = true;
    } finally {
      if (!held) {
        letGo();
      }
    }
  }

  /** Lets others in again, unless it was shut meanwhile. */
  public void letGo() {
    try {
      if (!calls.isShut()) {
        streams.thaw();
      }
    } finally {
      calls.letGo();
    }
  }

  /** Nobody allocates here from now on; who is inside may end what was begun. */
  public void shut() {
    calls.shut();
    streams.freeze(heap);
  }

  /** What whoever comes once it is shut is told. */
  public ClosedException closedError() {
    return new ClosedException(
        nameOf(poolId, device), "it allocates no memory any more", "make a new one");
  }

  /** What a pool is called. */
  static String nameOf(long poolId, Device device) {
    return (poolId == 0 ? "caching allocator" : "private pool " + poolId)
        + " of device "
        + device.getOrdinal();
  }
}
