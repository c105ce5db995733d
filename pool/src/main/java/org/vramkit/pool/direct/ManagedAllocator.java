package org.vramkit.pool.direct;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.BlockAllocator;
import org.vramkit.pool.support.OwnCalls;
import org.vramkit.pool.support.TakenAddresses;
import org.vramkit.pool.support.TrimTarget;

/**
 * Managed memory behind the interface of an allocator: one driver allocation for each request, and
 * nothing kept. The host and all devices reach an allocation by its address, and together they may
 * have more than one device holds. {@link #getMemory} shows the bytes to the host.
 *
 * <p>As with {@link DirectAllocator}, closing an allocation <em>blocks</em> until its stream and
 * every recorded one have done their work. Safe for any thread.
 */
public final class ManagedAllocator extends BlockAllocator {
  private final TakenAddresses taken = new TakenAddresses();
  private final Map<Long, PinnedBuffer> buffers = new ConcurrentHashMap<>();

  private ManagedAllocator(Device device) {
    super(device);
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

  @Override
  protected long take(long bytes, Stream stream) {
    try {
      long address = captured().relaxed(() -> taken.take(() -> takeBuffer(bytes)));
      stats.taken(bytes);
      return address;
    } catch (DeviceOutOfMemoryException e) {
      throw outOfMemory(bytes, stream, "the driver once; nothing is cached", e);
    }
  }

  private long takeBuffer(long bytes) {
    PinnedBuffer buffer = getDevice().getManagedMemory().allocate(bytes);
    long address = buffer.getAddress();
    buffers.put(address, buffer);
    return address;
  }

  @Override
  protected void give(long address, long bytes, Stream stream, List<Stream> users) {
    awaitStreams(stream, users);
    captured().relax(() -> OwnCalls.make(getDevice(), () -> taken.giveBack(address, this::free)));
    stats.givenBack(bytes);
  }

  private void free(long address) {
    PinnedBuffer buffer = buffers.remove(address);
    if (buffer != null) {
      // Closed even where the driver then reports a failure: it ends once.
      buffer.close();
    }
  }

  /** Gives back what could not be given back when it was closed; nothing else is kept. */
  @Override
  public void trim(long keepBytes) {
    TrimTarget.requireNotNegative(keepBytes);
    retryFrees();
  }

  @Override
  protected void releaseAll() {}

  @Override
  protected void releaseBroken() {
    captured().relax(() -> OwnCalls.make(getDevice(), () -> taken.giveBackAll(this::free)));
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
      return new ManagedAllocator(device);
    }
  }
}
