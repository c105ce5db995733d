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
 * Devices that share work, best score first, equals by ordinal. A copy: changing the list that it
 * was made from changes nothing. Immutable; safe for any thread.
 */
public final class DevicePool {
  private final List<PooledDevice> devices;
  private final @Nullable Function<Device, Allocator> allocators;

  private DevicePool(List<PooledDevice> devices, @Nullable Function<Device, Allocator> allocators) {
    this.devices = devices;
    this.allocators = allocators;
  }

  /** All devices of a backend, by the default formula. */
  public static DevicePool of(Backend backend) {
    return of(backend.getDevices(), ScoreFormula.DEFAULT);
  }

  /**
   * Devices by a formula.
   *
   * @param devices none twice; may be empty
   * @throws InvalidArgumentException if a device is there twice or has the ordinal of another
   *     backend's, or its score is negative or not finite; names the device
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
                + ", cannot be told apart in one pool; make a pool for each backend");
  }

  /** The same devices but for these; an ordinal that is not in the pool changes nothing. */
  public DevicePool without(Collection<Integer> ordinals) {
    return new DevicePool(
        devices.stream().filter(each -> !ordinals.contains(each.getOrdinal())).toList(),
        allocators);
  }

  /**
   * The same devices, used through allocators: what those keep free counts as free.
   *
   * @param suppliers the allocator of each device; asked when a budget is
   */
  public DevicePool withAllocators(Function<Device, Allocator> suppliers) {
    return new DevicePool(devices, Objects.requireNonNull(suppliers, "suppliers"));
  }

  /** The devices, best first. */
  public List<PooledDevice> getDevices() {
    return devices;
  }

  /** How many there are. */
  public int getCount() {
    return devices.size();
  }

  /** Their ordinals, best first. */
  public List<Integer> getOrdinals() {
    return devices.stream().map(PooledDevice::getOrdinal).toList();
  }

  /**
   * How many bytes work on a device should use: what is free now, with what its allocator keeps
   * free, at most half of all. An ordinal that is not in the pool has the budget of the best
   * device.
   *
   * @throws InvalidArgumentException if the pool is empty
   */
  public long getBudget(int ordinal) {
    if (devices.isEmpty()) {
      throw new InvalidArgumentException("a pool without devices has no budget of memory");
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
    // Not what is merely not allocated: some of that may wait for streams.
    AllocatorStatistics figures = allocators.apply(device).getStatistics();
    return figures.reserved().current() - figures.getLiveBytes();
  }

  @Override
  public String toString() {
    return "devices " + getOrdinals();
  }
}
