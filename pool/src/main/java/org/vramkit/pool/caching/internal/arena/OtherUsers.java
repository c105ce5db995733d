package org.vramkit.pool.caching.internal.arena;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.support.Streams;

/**
 * Notes which streams use memory of a pool beside those that it was allocated for. A block with
 * such users is not free before all of them have passed its close.
 */
public final class OtherUsers {
  private final Device device;
  private final Heap heap;
  private final MemoryObserver observer;

  OtherUsers(Device device, Heap heap, MemoryObserver observer) {
    this.device = device;
    this.heap = heap;
    this.observer = observer;
  }

  /** Records a use of a block that somebody holds. */
  void record(Block block, Stream stream) {
    requireUser(stream);
    note(block, stream);
  }

  /**
   * Records a use of what lies at an address, by a stream that may be a user: null if it is not of
   * this pool, else whether it was live.
   */
  public @Nullable Boolean record(long address, Stream stream) {
    Block found = heap.blockAt(address);
    if (found == null) {
      return null;
    }
    boolean live = found.state() == Block.State.LIVE;
    if (live) {
      note(found, stream);
    }
    return live;
  }

  private void note(Block block, Stream stream) {
    if (!Streams.areSame(stream, block.owner().stream)) {
      block.addUse(stream);
      observer.used(block.address, stream);
    }
  }

  /** Refuses a stream of another device. */
  public void requireUser(Stream stream) {
    Streams.refuseForeignUse(stream, device, "the memory");
  }
}
