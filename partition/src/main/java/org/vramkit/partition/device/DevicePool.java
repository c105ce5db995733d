package org.vramkit.partition.device;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * The devices that share work, in the order of descending scores, then of ordinals. Immutable and
 * thread-safe.
 */
public final class DevicePool {
  private final List<PooledDevice> devices;
  private final @Nullable Function<Device, Allocator> allocators;

  private DevicePool(List<PooledDevice> devices, @Nullable Function<Device, Allocator> allocators) {
    this.devices = devices;
    this.allocators = allocators;
  }

  /** Returns a pool of all devices of a backend, scored by the default formula. */
  public static DevicePool of(Backend backend) {
    return of(backend.getDevices(), ScoreFormula.DEFAULT);
  }

  /**
   * Returns a pool of devices, scored by {@code formula}.
   *
   * @param devices the devices, each once; may be empty
   * @throws InvalidArgumentException if two devices have the same ordinal, or a score is negative
   *     or not finite; the message names the device
   */
  public static DevicePool of(Collection<? extends Device> devices, ScoreFormula formula) {
    List<PooledDevice> pooled = new ArrayList<>();
    Map<Integer, Device> seen = new HashMap<>();
    for (Device device : devices) {
      Device other = seen.putIfAbsent(device.getOrdinal(), device);
      if (other != null) {
        throw sameOrdinal(other, device);
      }
      // -0.0 counts as 0.
      pooled.add(new PooledDevice(device, formula.getScore(device) + 0.0));
    }
    pooled.sort(
        Comparator.comparingDouble(PooledDevice::score)
            .reversed()
            .thenComparingInt(PooledDevice::getOrdinal));
    return new DevicePool(List.copyOf(pooled), null);
  }

  private static InvalidArgumentException sameOrdinal(Device one, Device other) {
    String name = "device " + one.getOrdinal();
    return new InvalidArgumentException(
        one.equals(other)
            ? name + " is in the pool twice; name each once"
            : name
                + " of backend "
                + one.getBackend().getName()
                + " and "
                + name
                + " of another backend, "
                + other.getBackend().getName()
                + ", have the same ordinal; create a pool for each backend");
  }

  /** Returns a pool without these devices. Ordinals that are not in the pool are ignored. */
  public DevicePool without(Collection<Integer> ordinals) {
    return new DevicePool(
        devices.stream().filter(each -> !ordinals.contains(each.getOrdinal())).toList(),
        allocators);
  }

  /**
   * Returns a pool whose budgets count the free memory of the devices' allocators as free.
   *
   * @param suppliers returns the allocator of a device; called by {@link #getBudget}
   */
  public DevicePool withAllocators(Function<Device, Allocator> suppliers) {
    return new DevicePool(devices, Objects.requireNonNull(suppliers, "suppliers"));
  }

  /** Returns the devices, best first. */
  public List<PooledDevice> getDevices() {
    return devices;
  }

  /** Returns the number of devices. */
  public int getCount() {
    return devices.size();
  }

  /** Returns the ordinals of the devices, best first. */
  public List<Integer> getOrdinals() {
    return devices.stream().map(PooledDevice::getOrdinal).toList();
  }

  /**
   * Returns the bytes that work on a device should use at most: the free memory of the device and
   * its allocator, but no more than half of the device's memory. For an ordinal that is not in the
   * pool, returns the budget of the best device.
   *
   * @throws InvalidArgumentException if the pool is empty
   */
  public long getBudget(int ordinal) {
    if (devices.isEmpty()) {
      throw new InvalidArgumentException(
          "the pool has no devices, so there is no memory budget;" + " add a device");
    }
    PooledDevice found = devices.get(0);
    for (PooledDevice each : devices) {
      if (each.getOrdinal() == ordinal) {
        found = each;
      }
    }
    MemoryInfo memory = found.device().getMemoryInfo();
    return Math.min(memory.freeBytes() + idleBytes(found.device()), memory.totalBytes() / 2);
  }

  private long idleBytes(Device device) {
    if (allocators == null) {
      return 0;
    }
    // Reserved minus live, not minus allocated: closed blocks may still wait for streams.
    AllocatorStatistics figures = allocators.apply(device).getStatistics();
    return figures.reserved().current() - figures.getLiveBytes();
  }

  @Override
  public String toString() {
    return "devices " + getOrdinals();
  }
}
