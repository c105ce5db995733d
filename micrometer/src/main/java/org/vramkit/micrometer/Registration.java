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

  /**
   * Ids of meters that existed before this registration. A registry ignores a new meter with the id
   * of an existing one.
   */
  private final Set<Meter.Id> others;

  Registration(MeterRegistry registry, Tags common) {
    this.registry = registry;
    this.common = common;
    this.others = registry.getMeters().stream().map(Meter::getId).collect(Collectors.toSet());
  }

  /**
   * Throws if the registry returned a meter that existed before this registration, instead of the
   * new one.
   */
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

    its.gauge(
        "live",
        "Bytes of blocks that users hold, or that streams still use after the close",
        r -> r.figures().active().current());
    its.gauge("cached", "Free bytes in thread caches", r -> r.figures().cachedBytes());
    its.gauge("fragments", "Free bytes in the heap", r -> r.figures().fragmentBytes());
    its.gauge(
        "suspended",
        "Bytes of suspended private pools, returned to the driver until they are resumed",
        r -> r.figures().suspendedBytes());
    its.gauge(
        "reserved",
        "Bytes taken from the driver: live, cached and fragments",
        r -> r.figures().reserved().current());
    Gauge.Builder<Allocator> limit =
        Gauge.builder("vramkit.memory.limit", allocator, Registration::limitOf);
    keep(
        meters,
        limit
            .description("Maximum of reserved bytes")
            .baseUnit(BYTES)
            .tags(tags)
            .register(registry));

    its.allocations("cache-hit", Reading::cacheHits);
    its.allocations("search", Reading::searches);
    its.allocations("grow", Reading::grown);
    its.counter(
        "vramkit.out.of.memory",
        "Allocations that failed for lack of memory",
        tags,
        r -> r.figures().outOfMemories());
    its.counter(
        "vramkit.leaks",
        "Tracked allocations that were dropped without a close",
        tags,
        r -> r.figures().leaks());
    its.counter(
        "vramkit.pages.moved",
        "Pages that were mapped to another address to serve an allocation",
        tags,
        r -> r.figures().pagesMoved());
    if (allocator instanceof CachingAllocator) {
      its.timer(
          "vramkit.driver",
          "Driver calls that take, move and return memory",
          r -> r.work().driverCalls(),
          r -> r.work().driverNanos());
      its.timer(
          "vramkit.wait",
          "Waits of host threads for streams",
          r -> r.work().waits(),
          r -> r.work().waitNanos());
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
                    .description("Bytes of page-locked host memory, in use or cached")
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

    void gauge(String name, String description, ToLongFunction<Reading> figure) {
      keep(
          meters,
          Gauge.builder("vramkit.memory." + name, allocator, numberOf(reading, figure))
              .description(description)
              .baseUnit(BYTES)
              .tags(tags)
              .register(registry));
    }

    /** Registers the counter of allocations with one result, such as {@code cache-hit}. */
    void allocations(String result, ToLongFunction<Reading> figure) {
      counter(
          "vramkit.allocations",
          "Allocations, by whether a cache, a search or new memory served them",
          tags.and("result", result),
          figure);
    }

    void counter(String name, String description, Tags all, ToLongFunction<Reading> figure) {
      keep(
          meters,
          FunctionCounter.builder(name, allocator, numberOf(reading, figure))
              .description(description)
              .tags(all)
              .register(registry));
    }

    void timer(
        String name,
        String description,
        ToLongFunction<Reading> count,
        ToLongFunction<Reading> nanos) {
      ToDoubleFunction<Allocator> times = numberOf(reading, count);
      keep(
          meters,
          FunctionTimer.builder(
                  name,
                  allocator,
                  each -> (long) times.applyAsDouble(each),
                  numberOf(reading, nanos),
                  TimeUnit.NANOSECONDS)
              .description(description)
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
