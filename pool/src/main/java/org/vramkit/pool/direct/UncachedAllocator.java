package org.vramkit.pool.direct;

import java.util.List;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.support.BlockAllocator;
import org.vramkit.pool.support.OwnMemory;
import org.vramkit.pool.support.TrimTarget;

/** One driver allocation for each request, and nothing kept, whatever kind of memory it is. */
abstract class UncachedAllocator extends BlockAllocator {
  private final OwnMemory memory;

  UncachedAllocator(Device device, OwnMemory memory) {
    super(device);
    this.memory = memory;
  }

  @Override
  protected final long take(long bytes, Stream stream) {
    try {
      long address = memory.allocate(bytes);
      stats.taken(bytes);
      return address;
    } catch (DeviceOutOfMemoryException e) {
      throw outOfMemory(bytes, stream, "the driver once; nothing is cached", e);
    }
  }

  @Override
  protected final void give(long address, long bytes, Stream stream, List<Stream> users) {
    awaitStreams(stream, users);
    memory.free(address);
    stats.givenBack(bytes);
  }

  /** Gives back what could not be given back when it was closed; nothing else is kept. */
  @Override
  public final void trim(long keepBytes) {
    TrimTarget.requireNotNegative(keepBytes);
    retryFrees();
  }

  @Override
  protected final void releaseAll() {}

  @Override
  protected final void releaseBroken() {
    memory.freeAll();
  }
}
