package org.vramkit.pool.buffer;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;

/** Settings of a {@link BufferPool}. Not safe for threads. */
public final class BufferPoolBuilder {
  private final List<Allocator> allocators;
  private long byteBudget = Long.MAX_VALUE;

  BufferPoolBuilder(Collection<? extends Allocator> allocators) {
    Objects.requireNonNull(allocators, "allocators");
    allocators.forEach(each -> Objects.requireNonNull(each, "allocator"));
    this.allocators = List.copyOf(allocators);
    if (allocators.isEmpty()) {
      throw new InvalidArgumentException("a buffer pool needs an allocator for each device: none");
    }
    Map<Integer, Device> devices = new HashMap<>();
    for (Allocator each : allocators) {
      Device device = each.getDevice();
      Device other = devices.putIfAbsent(device.getOrdinal(), device);
      if (other != null) {
        throw sameOrdinal(device, other);
      }
    }
  }

  private static InvalidArgumentException sameOrdinal(Device one, Device other) {
    return new InvalidArgumentException(
        "a buffer pool needs one allocator for each of its devices, found two for device "
            + one.getOrdinal()
            + (one.equals(other)
                ? ""
                : " of two backends, '"
                    + other.getBackend().getName()
                    + "' and '"
                    + one.getBackend().getName()
                    + "'; make a pool for each backend"));
  }

  /**
   * How many bytes each device keeps in buffers that no user holds, those that other streams still
   * use included; beyond it the least recently used goes back to the allocator, free ones before
   * those in use. Set it where sizes rarely repeat.
   *
   * @param bytes default no bound; not negative
   */
  public BufferPoolBuilder byteBudget(long bytes) {
    if (bytes < 0) {
      throw new InvalidArgumentException("byte budget must not be negative: " + bytes);
    }
    byteBudget = bytes;
    return this;
  }

  /** The pool. */
  public BufferPool build() {
    return new BufferPool(allocators, byteBudget);
  }
}
