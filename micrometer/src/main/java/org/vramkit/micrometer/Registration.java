package org.vramkit.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.pinned.PinnedPool;

/**
 * Makes the meters of one registry. Meters hold allocators and devices weakly, and so does
 * everything that their functions hold.
 */
final class Registration {
  private static final String BYTES = "bytes";

  private final MeterRegistry registry;
  private final Tags common;
  private final List<Meter> meters = new ArrayList<>();

  Registration(MeterRegistry registry, Tags common) {
    this.registry = registry;
    this.common = common;
  }

  /** What was registered, also by later calls. */
  List<Meter> meters() {
    return meters;
  }

  private <T> FreshValue<T> fresh(Supplier<@Nullable T> source) {
    return new FreshValue<>(source, registry.config().clock()::monotonicTime);
  }

  void addAllocator(String pool, Allocator allocator) {
    WeakReference<Allocator> weak = new WeakReference<>(allocator);
    FreshValue<AllocatorStatistics> statistics =
        fresh(
            () -> {
              Allocator target = weak.get();
              return target == null ? null : target.getStatistics();
            });
    Tags tags = common.and("device", ordinal(allocator.getDevice()), "pool", pool);
    Figures figures = new Figures(allocator, statistics, tags);

    figures.gauge("live", "held, or closed and waiting for streams", s -> s.active().current());
    figures.gauge("cached", "free and in caches", AllocatorStatistics::cachedBytes);
    figures.gauge("fragments", "free behind the caches", AllocatorStatistics::fragmentBytes);
    figures.gauge("reserved", "taken from the driver", s -> s.reserved().current());
    Gauge.Builder<Allocator> limit =
        Gauge.builder("vramkit.memory.limit", allocator, Registration::limitOf);
    meters.add(
        limit
            .description("Bytes that may be reserved at most")
            .baseUnit(BYTES)
            .tags(tags)
            .register(registry));

    figures.counter("vramkit.allocations", tags.and("result", "hit"), AllocatorStatistics::hits);
    figures.counter("vramkit.allocations", tags.and("result", "grow"), AllocatorStatistics::misses);
    figures.counter("vramkit.out.of.memory", tags, AllocatorStatistics::outOfMemories);
    figures.counter("vramkit.leaks", tags, AllocatorStatistics::leaks);
    figures.counter("vramkit.pages.moved", tags, AllocatorStatistics::pagesMoved);
  }

  private static String ordinal(Device device) {
    return Integer.toString(device.getOrdinal());
  }

  private static double limitOf(Allocator allocator) {
    long total = allocator.getDevice().getProperties().totalMemoryBytes();
    if (allocator instanceof CachingAllocator caching) {
      return Math.min((double) caching.getLimit(), caching.getMemoryFraction() * total);
    }
    return total;
  }

  void addPinnedPool(String pool, PinnedPool pinned) {
    meters.add(
        Gauge.builder("vramkit.memory.pinned", pinned, PinnedPool::getLockedBytes)
            .description("Bytes of page-locked host memory")
            .baseUnit(BYTES)
            .tags(common.and("pool", pool))
            .register(registry));
  }

  /** The memory of the device that its driver says is used and none of these has. */
  void addDevice(Device device, List<Allocator> allocators) {
    List<WeakReference<Allocator>> weak = new ArrayList<>();
    allocators.forEach(each -> weak.add(new WeakReference<>(each)));
    Gauge.Builder<Device> foreign =
        Gauge.builder("vramkit.memory.foreign", device, from -> foreignBytes(from, weak));
    meters.add(
        foreign
            .description("Bytes of the device that are used and not reserved by these allocators")
            .baseUnit(BYTES)
            .tags(common.and("device", ordinal(device)))
            .register(registry));
  }

  private static double foreignBytes(Device device, List<WeakReference<Allocator>> allocators) {
    long own = 0;
    for (WeakReference<Allocator> each : allocators) {
      Allocator allocator = each.get();
      own += allocator == null ? 0 : allocator.getStatistics().reserved().current();
    }
    try {
      // Memory may change hands between the two questions.
      return Math.max(0, device.getMemoryInfo().getUsedBytes() - own);
    } catch (GpuException | ClosedException e) {
      // A device that is lost or closed has no figure, and a scrape must go on with the others.
      return Double.NaN;
    }
  }

  /** Meters of one allocator. */
  private final class Figures {
    private final Allocator allocator;
    private final FreshValue<AllocatorStatistics> statistics;
    private final Tags tags;

    Figures(Allocator allocator, FreshValue<AllocatorStatistics> statistics, Tags tags) {
      this.allocator = allocator;
      this.statistics = statistics;
      this.tags = tags;
    }

    void gauge(String name, String what, ToDoubleFunction<AllocatorStatistics> figure) {
      meters.add(
          Gauge.builder("vramkit.memory." + name, allocator, reading(statistics, figure))
              .description("Bytes " + what)
              .baseUnit(BYTES)
              .tags(tags)
              .register(registry));
    }

    void counter(String name, Tags all, ToDoubleFunction<AllocatorStatistics> figure) {
      meters.add(
          FunctionCounter.builder(name, allocator, reading(statistics, figure))
              .tags(all)
              .register(registry));
    }
  }

  /** Holds no allocator: a meter that outlives its own must not keep it. */
  private static ToDoubleFunction<Allocator> reading(
      FreshValue<AllocatorStatistics> statistics, ToDoubleFunction<AllocatorStatistics> figure) {
    return allocator -> {
      AllocatorStatistics now = statistics.get();
      return now == null ? Double.NaN : figure.applyAsDouble(now);
    };
  }
}
