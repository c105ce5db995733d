package org.vramkit.pool.direct;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.device.ManagedMemory;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.DriverMemory;

/**
 * Allocates managed memory from the driver for each request and caches nothing. The host and all
 * devices access an allocation at its address. All allocations together may exceed the memory of a
 * device. {@link #getMemory} gives the host access to the bytes.
 *
 * <p>As with {@link DirectAllocator}, closing an allocation <em>blocks</em> until its stream and
 * every recorded stream have finished their work. Thread-safe.
 */
public final class ManagedAllocator extends UncachedAllocator {
  private final Map<Long, PinnedBuffer> buffers;

  private ManagedAllocator(Device device, Map<Long, PinnedBuffer> buffers) {
    super(device, new DriverMemory(device, new Managed(device.getManagedMemory(), buffers)));
    this.buffers = buffers;
  }

  /**
   * Returns a builder for an allocator of managed memory for the streams of a device.
   *
   * @throws org.vramkit.api.error.NotSupportedException if the device has no managed memory
   */
  public static Builder builder(Device device) {
    return new Builder(device);
  }

  /**
   * Returns the memory of an open allocation as the host sees it, for views and copies. The
   * allocation owns the returned buffer, so do not close it.
   *
   * @throws InvalidArgumentException if the allocation is empty, closed or of another allocator
   */
  public PinnedBuffer getMemory(Allocation allocation) {
    PinnedBuffer buffer = allocation.isClosed() ? null : buffers.get(allocation.getAddress());
    if (buffer == null) {
      throw new InvalidArgumentException(
          "the host cannot see "
              + allocation
              + ": pass an open allocation of this allocator that is not empty");
    }
    return buffer;
  }

  /** Adapts managed memory to plain allocation, and keeps the buffer of each address. */
  private record Managed(ManagedMemory memory, Map<Long, PinnedBuffer> buffers)
      implements DeviceMemory {
    @Override
    public long allocate(long bytes) {
      PinnedBuffer buffer = memory.allocate(bytes);
      long address = buffer.getAddress();
      buffers.put(address, buffer);
      return address;
    }

    @Override
    public void free(long address) {
      PinnedBuffer buffer = buffers.remove(address);
      if (buffer != null) {
        // Removed first, because the buffer is closed even if the driver reports a failure.
        buffer.close();
      }
    }
  }

  /** Builds a {@link ManagedAllocator}; there are no options. */
  public static final class Builder {
    private final Device device;

    private Builder(Device device) {
      Objects.requireNonNull(device, "device").getManagedMemory();
      this.device = device;
    }

    /** Builds the allocator, which the caller closes. */
    public ManagedAllocator build() {
      return new ManagedAllocator(device, new ConcurrentHashMap<>());
    }
  }
}
