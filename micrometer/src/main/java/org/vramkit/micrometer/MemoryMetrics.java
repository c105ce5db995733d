package org.vramkit.micrometer;

import static org.vramkit.micrometer.Registration.nameOf;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Metric;
import org.vramkit.api.allocator.Metric.Kind;
import org.vramkit.api.allocator.Metric.Unit;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.pinned.PinnedPool;

/**
 * Publishes the statistics of allocators as meters, and for each of their devices the memory that
 * belongs to no allocator in the same registry. Several instances may be bound to one registry if
 * names or tags distinguish their pools.
 *
 * <p>Meters of an allocator have the tags {@code device}, the ordinal, and {@code pool}, the name
 * given here. Foreign memory has only the tag {@code device}, page-locked memory only {@code pool}.
 * Statistics are read when a registry is scraped, at most ten times a second per registry, and add
 * no cost to allocations. {@link CachingAllocator#resetStatistics} appears as a counter restart.
 *
 * <p>{@link #close} removes the meters from all registries. Meters reference allocators weakly: if
 * a program drops an allocator and these metrics without a close, the meters are removed once the
 * allocator is garbage collected. Safe for any thread.
 */
public final class MemoryMetrics implements MeterBinder, AutoCloseable {
  private static final Metric<Long> PINNED =
      new Metric<>(
          "pinned",
          Unit.BYTES,
          Kind.LEVEL,
          "Bytes of page-locked host memory, in use or cached",
          Long::longValue);

  private final Map<String, Allocator> allocators;
  private final Map<String, PinnedPool> pinnedPools;
  private final Tags tags;
  private final Bindings bindings = new Bindings("MemoryMetrics");

  private MemoryMetrics(Builder builder) {
    this.allocators = new LinkedHashMap<>(builder.allocators);
    this.pinnedPools = new LinkedHashMap<>(builder.pinnedPools);
    this.tags = builder.tags;
  }

  /** Returns metrics of one allocator, with the pool name {@code default}. */
  public static MemoryMetrics of(Allocator allocator) {
    return builder().allocator("default", allocator).build();
  }

  /** Returns a builder for metrics of several allocators. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Registers the meters. No effect if they are already bound to {@code registry}.
   *
   * @throws ClosedException if these metrics are closed
   * @throws InvalidArgumentException if the registry already has a meter with the same name and
   *     tags; no meter is then registered
   */
  @Override
  public void bindTo(MeterRegistry registry) {
    bindings.bind(
        registry,
        to -> {
          allocators.forEach((pool, each) -> add(to, pool, each));
          pinnedPools.forEach((pool, each) -> add(to, pool, each));
        });
  }

  /** Removes the meters from every registry. Does not close the allocators. */
  @Override
  public void close() {
    bindings.close();
  }

  private void add(Registration to, String pool, Allocator allocator) {
    String device = Integer.toString(allocator.getDevice().getOrdinal());
    Tags own = tags.and("device", device, "pool", pool);
    to.add(
        allocator,
        new CachedReader<>(Reading::of, to.registry.config().clock()::monotonicTime),
        meters -> {
          for (Metric<AllocatorStatistics> each : AllocatorStatistics.getMetrics()) {
            String prefix = each.kind() == Kind.COUNTER ? "vramkit" : "vramkit.memory";
            meters.add(nameOf(prefix, each), own, each.of(Reading::figures));
          }
          Reading.RESULTS.forEach(
              (result, each) -> meters.add("vramkit.allocations", own.and("result", result), each));
          meters.add("vramkit.memory.limit", own, Reading.LIMIT);
          if (allocator instanceof CachingAllocator) {
            Reading.WORK.forEach(each -> meters.add("vramkit." + each.name(), own, each));
          }
          meters.whenRemoved(
              ForeignMemory.of(to.registry).add(to.registry, tags, allocator, to::requireNew));
        });
  }

  private void add(Registration to, String pool, PinnedPool pinned) {
    to.add(
        pinned,
        PinnedPool::getLockedBytes,
        meters -> meters.add("vramkit.memory.pinned", tags.and("pool", pool), PINNED));
  }

  /** Builds {@link MemoryMetrics}. Not thread-safe. */
  public static final class Builder {
    private final Map<String, Allocator> allocators = new LinkedHashMap<>();
    private final Map<String, PinnedPool> pinnedPools = new LinkedHashMap<>();
    private final Set<String> names = new HashSet<>();
    private Tags tags = Tags.empty();

    private Builder() {}

    /**
     * Adds an allocator. The statistics of a caching allocator include its private pools; do not
     * add these separately.
     *
     * @param pool the value of the tag {@code pool}
     * @throws InvalidArgumentException if the name is already used
     */
    public Builder allocator(String pool, Allocator allocator) {
      allocators.put(unused(pool), Objects.requireNonNull(allocator, "allocator"));
      return this;
    }

    /**
     * Adds page-locked host memory.
     *
     * @param pool the value of the tag {@code pool}
     * @throws InvalidArgumentException if the name is already used
     */
    public Builder pinnedPool(String pool, PinnedPool pinned) {
      pinnedPools.put(unused(pool), Objects.requireNonNull(pinned, "pinned"));
      return this;
    }

    /** Adds tags to all meters, such as the device's UUID or the service. */
    public Builder tags(Tag... more) {
      tags = tags.and(more);
      return this;
    }

    /** Creates the metrics, not bound to any registry. */
    public MemoryMetrics build() {
      return new MemoryMetrics(this);
    }

    private String unused(String pool) {
      if (!names.add(Objects.requireNonNull(pool, "pool"))) {
        throw new InvalidArgumentException(
            "the pool name '" + pool + "' is already used; give each pool its own name");
      }
      return pool;
    }
  }
}
