package org.vramkit.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.pinned.PinnedPool;

/**
 * Registers meters in one registry. Meters and their functions reference allocators and devices
 * weakly.
 */
final class Registration {
  private static final String BYTES = "bytes";

  private final MeterRegistry registry;
  private final Tags common;
  private final List<Cleaner.Cleanable> bound = new ArrayList<>();

  /** Meters that existed before; a registry keeps these and ignores new ones with the same id. */
  private final Set<Meter.Id> others;

  Registration(MeterRegistry registry, Tags common) {
    this.registry = registry;
    this.common = common;
    this.others = registry.getMeters().stream().map(Meter::getId).collect(Collectors.toSet());
  }

  /** Throws if the registry returned a meter that existed before instead of the new one. */
  private void requireNew(Meter meter) {
    if (others.contains(meter.getId())) {
      throw new InvalidArgumentException(
          "the registry has a meter "
              + meter.getId().getName()
              + " with "
              + meter.getId().getTags()
              + " from other MemoryMetrics; close those, or distinguish the pools by names or"
              + " tags");
    }
  }

  /** Registers all meters of an allocator or pool, or none if one fails. */
  private void bind(Object subject, Consumer<BoundMeters> adding) {
    BoundMeters meters = new BoundMeters(registry);
    boolean added = false;
    try {
      adding.accept(meters);
      bound.add(meters.removeAfter(subject));
      added = true;
    } finally {
      if (!added) {
        meters.run();
      }
    }
  }

  private void keep(BoundMeters meters, Meter meter) {
    requireNew(meter);
    meters.add(meter);
  }

  /** Returns the registered meters, for removal. */
  List<Cleaner.Cleanable> bound() {
    return bound;
  }

  private <T> CachedValue<T> fresh(Supplier<@Nullable T> source) {
    return new CachedValue<>(source, registry.config().clock()::monotonicTime);
  }

  void addAllocator(String pool, Allocator allocator) {
    bind(allocator, meters -> addAllocator(pool, allocator, meters));
  }

  private void addAllocator(String pool, Allocator allocator, BoundMeters meters) {
    WeakReference<Allocator> weak = new WeakReference<>(allocator);
    CachedValue<Reading> reading =
        fresh(
            () -> {
              Allocator target = weak.get();
              return target == null ? null : Reading.of(target);
            });
    Tags tags = common.and("device", ordinal(allocator.getDevice()), "pool", pool);
    Meters its = new Meters(meters, allocator, reading, tags);

    its.gauge("live", "held, or closed and waiting", r -> r.figures().active().current());
    its.gauge("cached", "free and in caches", r -> r.figures().cachedBytes());
    its.gauge("fragments", "free behind the caches", r -> r.figures().fragmentBytes());
    its.gauge(
        "suspended",
        "of suspended private pools, given back until they are resumed",
        r -> r.figures().suspendedBytes());
    its.gauge("reserved", "taken from the driver", r -> r.figures().reserved().current());
    Gauge.Builder<Allocator> limit =
        Gauge.builder("vramkit.memory.limit", allocator, Registration::limitOf);
    keep(
        meters,
        limit
            .description("Bytes that may be reserved at most")
            .baseUnit(BYTES)
            .tags(tags)
            .register(registry));

    its.counter("vramkit.allocations", tags.and("result", "cache-hit"), Reading::cacheHits);
    its.counter("vramkit.allocations", tags.and("result", "search"), Reading::searches);
    its.counter("vramkit.allocations", tags.and("result", "grow"), Reading::grown);
    its.counter("vramkit.out.of.memory", tags, r -> r.figures().outOfMemories());
    its.counter("vramkit.leaks", tags, r -> r.figures().leaks());
    its.counter("vramkit.pages.moved", tags, r -> r.figures().pagesMoved());
    if (allocator instanceof CachingAllocator) {
      its.timer("vramkit.driver", r -> r.work().driverCalls(), r -> r.work().driverNanos());
      its.timer("vramkit.wait", r -> r.work().waits(), r -> r.work().waitNanos());
    }
    meters.add(ForeignMemory.of(registry).add(registry, common, allocator, this::requireNew));
  }

  private static String ordinal(Device device) {
    return Integer.toString(device.getOrdinal());
  }

  private static double limitOf(Allocator allocator) {
    long total = allocator.getDevice().getProperties().totalMemoryBytes();
    if (allocator instanceof CachingAllocator caching) {
      return (double) Math.min(caching.getLimit(), total);
    }
    return total;
  }

  void addPinnedPool(String pool, PinnedPool pinned) {
    bind(
        pinned,
        meters ->
            keep(
                meters,
                Gauge.builder("vramkit.memory.pinned", pinned, PinnedPool::getLockedBytes)
                    .description("Bytes of page-locked host memory")
                    .baseUnit(BYTES)
                    .tags(common.and("pool", pool))
                    .register(registry)));
  }

  /** Registers the meters of one allocator. */
  private final class Meters {
    private final BoundMeters meters;
    private final Allocator allocator;
    private final CachedValue<Reading> reading;
    private final Tags tags;

    Meters(BoundMeters meters, Allocator allocator, CachedValue<Reading> reading, Tags tags) {
      this.meters = meters;
      this.allocator = allocator;
      this.reading = reading;
      this.tags = tags;
    }

    void gauge(String name, String what, ToLongFunction<Reading> figure) {
      keep(
          meters,
          Gauge.builder("vramkit.memory." + name, allocator, numberOf(reading, figure))
              .description("Bytes " + what)
              .baseUnit(BYTES)
              .tags(tags)
              .register(registry));
    }

    void counter(String name, Tags all, ToLongFunction<Reading> figure) {
      keep(
          meters,
          FunctionCounter.builder(name, allocator, numberOf(reading, figure))
              .tags(all)
              .register(registry));
    }

    void timer(String name, ToLongFunction<Reading> count, ToLongFunction<Reading> nanos) {
      ToDoubleFunction<Allocator> times = numberOf(reading, count);
      keep(
          meters,
          FunctionTimer.builder(
                  name,
                  allocator,
                  each -> (long) times.applyAsDouble(each),
                  numberOf(reading, nanos),
                  TimeUnit.NANOSECONDS)
              .tags(tags)
              .register(registry));
    }
  }

  /**
   * Returns a function without a reference to the allocator, which a meter must not keep reachable.
   */
  private static ToDoubleFunction<Allocator> numberOf(
      CachedValue<Reading> reading, ToLongFunction<Reading> figure) {
    return allocator -> {
      Reading now = reading.get();
      return now == null ? Double.NaN : figure.applyAsLong(now);
    };
  }
}
