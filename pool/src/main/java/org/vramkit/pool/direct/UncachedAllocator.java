package org.vramkit.pool.direct;

import java.util.List;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.pool.support.DriverAllocator;
import org.vramkit.pool.support.DriverMemory;
import org.vramkit.pool.support.Sizes;

/** Allocates any kind of memory from the driver for each request and caches nothing. */
abstract class UncachedAllocator extends DriverAllocator {
  private final DriverMemory memory;

  UncachedAllocator(Device device, DriverMemory memory) {
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
      throw outOfMemory(bytes, stream, "one driver allocation; nothing is cached", e);
    }
  }

  @Override
  protected final void giveBack(long address, long bytes, Stream stream, List<Stream> users) {
    try {
      awaitStreams(stream, users);
    } catch (FatalDeviceException lost) {
      // No work uses the memory on a lost device, and the buffer of managed memory can be closed.
      Batch.after(lost, () -> memory.free(address));
      throw lost;
    }
    memory.free(address);
    stats.givenBack(bytes);
  }

  /** Retries the frees that failed or were deferred; nothing else is cached. */
  @Override
  public final void trim(long keepBytes) {
    Sizes.requireTrimTarget(keepBytes);
    retryFrees();
  }

  @Override
  protected final void giveBackIdle(long address) {
    memory.free(address);
  }
}
