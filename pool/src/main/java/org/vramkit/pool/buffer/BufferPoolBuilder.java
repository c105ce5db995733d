package org.vramkit.pool.buffer;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.Sizes;

/** Builds a {@link BufferPool}. Not thread-safe. */
public final class BufferPoolBuilder {
  private final List<Allocator> allocators;
  private long byteBudget = Long.MAX_VALUE;

  BufferPoolBuilder(Collection<? extends Allocator> allocators) {
    Objects.requireNonNull(allocators, "allocators");
    allocators.forEach(each -> Objects.requireNonNull(each, "allocator"));
    this.allocators = List.copyOf(allocators);
    if (allocators.isEmpty()) {
      throw new InvalidArgumentException(
          "a buffer pool needs an allocator for each of its devices, found none");
    }
    Map<Integer, Device> devices = new HashMap<>();
    for (Allocator each : allocators) {
      Device device = each.getDevice();
      Device other = devices.putIfAbsent(device.getOrdinal(), device);
      if (other != null) {
        throw new InvalidArgumentException(
            "a buffer pool needs one allocator for each of its devices, found two for device "
                + device.getOrdinal()
                + (device.equals(other) ? "" : " of two backends; make a pool for each backend"));
      }
    }
  }

  /**
   * Limits the bytes of cached buffers of each device, including buffers that other streams still
   * use. Above the budget, the least recently used buffers return to the allocator, first those
   * that no stream uses. Set a budget if sizes rarely repeat.
   *
   * @param bytes not negative; default no limit
   */
  public BufferPoolBuilder byteBudget(long bytes) {
    byteBudget = Sizes.requireNotNegative("byte budget", bytes);
    return this;
  }

  /** Builds the pool. */
  public BufferPool build() {
    return new BufferPool(allocators, byteBudget);
  }
}
