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
import org.vramkit.pool.support.OwnMemory;

/**
 * Managed memory behind the interface of an allocator: one driver allocation for each request, and
 * nothing kept. The host and all devices reach an allocation by its address, and together they may
 * have more than one device holds. {@link #getMemory} shows the bytes to the host.
 *
 * <p>As with {@link DirectAllocator}, closing an allocation <em>blocks</em> until its stream and
 * every recorded one have done their work. Safe for any thread.
 */
public final class ManagedAllocator extends UncachedAllocator {
  private final Map<Long, PinnedBuffer> buffers;

  private ManagedAllocator(Device device, Map<Long, PinnedBuffer> buffers) {
    super(device, new OwnMemory(device, new Managed(device.getManagedMemory(), buffers)));
    this.buffers = buffers;
  }

  /**
   * Begins an allocator of managed memory for this device's streams.
   *
   * @throws org.vramkit.api.error.NotSupportedException if the device has no managed memory
   */
  public static Builder builder(Device device) {
    return new Builder(device);
  }

  /**
   * The memory of an open allocation as the host sees it, for views and copies. It is the
   * allocation's: leave its close to that.
   *
   * @throws InvalidArgumentException if the allocation is empty, closed or another allocator's
   */
  public PinnedBuffer getMemory(Allocation allocation) {
    PinnedBuffer buffer = allocation.isClosed() ? null : buffers.get(allocation.getAddress());
    if (buffer == null) {
      throw new InvalidArgumentException(
          "no memory is shown of "
              + allocation
              + ": wanted is an open allocation of this allocator that has bytes");
    }
    return buffer;
  }

  /** Managed memory by its addresses; its buffers stay beside them. */
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
        // Closed even where the driver then reports a failure: it ends once.
        buffer.close();
      }
    }
  }

  /** Makes a {@link ManagedAllocator}; it has no options. */
  public static final class Builder {
    private final Device device;

    private Builder(Device device) {
      Objects.requireNonNull(device, "device").getManagedMemory();
      this.device = device;
    }

    /** The allocator, for the caller to close. */
    public ManagedAllocator build() {
      return new ManagedAllocator(device, new ConcurrentHashMap<>());
    }
  }
}
