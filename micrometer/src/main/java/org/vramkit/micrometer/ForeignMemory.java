package org.vramkit.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Device memory that belongs to none of the allocators of a registry. All {@link MemoryMetrics} of
 * a registry share one gauge per device, which excludes the memory of all their allocators. The
 * gauge is removed with the last allocator of its device.
 *
 * <p>References allocators, devices and the registry weakly. Safe for any thread.
 */
final class ForeignMemory {
  static final String NAME = "vramkit.memory.foreign";

  /** The instances by registry. Guarded by the class. */
  private static final Map<MeterRegistry, ForeignMemory> ALL = new WeakHashMap<>();

  private final List<WeakReference<Allocator>> allocators = new CopyOnWriteArrayList<>();

  /** Guarded by this. */
  private final Map<Key, DeviceGauge> gauges = new HashMap<>();

  private record Key(int ordinal, Tags common) {}

  private ForeignMemory() {}

  /** Returns the shared instance of a registry. */
  static ForeignMemory of(MeterRegistry registry) {
    synchronized (ForeignMemory.class) {
      return ALL.computeIfAbsent(registry, added -> new ForeignMemory());
    }
  }

  /**
   * Excludes an allocator's memory from the gauge of its device. The first allocator of a device
   * registers the gauge.
   *
   * @param registered accepts or refuses a newly registered gauge
   * @return a function that removes the allocator again
   * @throws InvalidArgumentException if a different device with the same ordinal already has a
   *     gauge
   */
  synchronized Consumer<MeterRegistry> add(
      MeterRegistry registry, Tags common, Allocator allocator, Consumer<Meter> registered) {
    Device device = allocator.getDevice();
    Key key = new Key(device.getOrdinal(), common);
    DeviceGauge gauge = gauges.get(key);
    if (gauge == null) {
      gauge = new DeviceGauge(device);
      Meter meter =
          Gauge.builder(NAME, gauge, DeviceGauge::bytes)
              .description(
                  "Used bytes of the device beyond those that the allocators of this registry reserve")
              .baseUnit("bytes")
              .tags(common.and("device", Integer.toString(key.ordinal)))
              .register(registry);
      registered.accept(meter);
      gauge.id = meter.getId();
      gauges.put(key, gauge);
    } else if (!gauge.isOf(device)) {
      throw new InvalidArgumentException(
          "the registry has a meter "
              + NAME
              + " of another backend's device "
              + key.ordinal
              + "; distinguish the backends by tags");
    }
    gauge.users++;
    WeakReference<Allocator> weak = new WeakReference<>(allocator);
    allocators.add(weak);
    return from -> remove(from, key, weak);
  }

  private synchronized void remove(
      MeterRegistry registry, Key key, WeakReference<Allocator> allocator) {
    allocators.remove(allocator);
    DeviceGauge gauge = gauges.get(key);
    if (gauge != null && --gauge.users == 0) {
      gauges.remove(key);
      if (gauge.id != null) {
        registry.remove(gauge.id);
      }
    }
  }

  /** The gauge of one device. */
  private final class DeviceGauge {
    private final WeakReference<Device> device;
    private int users;
    private Meter.@Nullable Id id;

    DeviceGauge(Device device) {
      this.device = new WeakReference<>(device);
    }

    boolean isOf(Device other) {
      return other.equals(device.get());
    }

    double bytes() {
      Device measured = device.get();
      if (measured == null) {
        return Double.NaN;
      }
      try {
        // Memory may be allocated or freed between the two queries.
        return Math.max(0, measured.getMemoryInfo().getUsedBytes() - known(measured));
      } catch (GpuException | ClosedException e) {
        // A lost or closed device has no value; the scrape must continue with the others.
        return Double.NaN;
      }
    }

    private long known(Device measured) {
      return allocators.stream()
          .map(WeakReference::get)
          .filter(each -> each != null && each.getDevice().equals(measured))
          .distinct()
          .mapToLong(each -> each.getStatistics().reserved().current())
          .sum();
    }
  }
}
