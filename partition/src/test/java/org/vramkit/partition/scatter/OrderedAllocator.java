package org.vramkit.partition.scatter;

import java.util.function.Function;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;

/**
 * Allocates from the driver in stream order, without a cache, because partition does not depend on
 * pool.
 */
record OrderedAllocator(Device device) implements Allocator {
  /** Returns a function that creates an allocator for each device. */
  static Function<Device, Allocator> each() {
    return OrderedAllocator::new;
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public Allocation allocate(long bytes, Stream stream) {
    long address = device.getStreamOrderedMemory().allocate(bytes, stream);
    return new Allocation() {
      private boolean closed;

      @Override
      public long getAddress() {
        return address;
      }

      @Override
      public long getSize() {
        return bytes;
      }

      @Override
      public Stream getStream() {
        return stream;
      }

      @Override
      public boolean isClosed() {
        return closed;
      }

      @Override
      public void recordUse(Stream other) {
        throw new UnsupportedOperationException("one stream only");
      }

      @Override
      public void close() {
        closed = true;
        device.getStreamOrderedMemory().free(address, stream);
      }
    };
  }

  @Override
  public void trim(long keepBytes) {
    // There is no cache to trim.
  }

  @Override
  public AllocatorStatistics getStatistics() {
    throw new UnsupportedOperationException("no budget is asked for");
  }

  @Override
  public void resetPeaks() {
    // There are no peaks.
  }

  @Override
  public void close() {
    // There are no resources to close.
  }
}
