package org.vramkit.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.lang.ref.Cleaner;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.vramkit.api.allocator.Allocator;
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
  private final Map<String, Allocator> allocators;
  private final Map<String, PinnedPool> pinnedPools;
  private final Tags tags;

  /** The registered meters by registry. Guarded by this. */
  private final Map<MeterRegistry, List<Cleaner.Cleanable>> bound = new LinkedHashMap<>();

  /** Guarded by this. */
  private boolean closed;

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
  public synchronized void bindTo(MeterRegistry registry) {
    Objects.requireNonNull(registry, "registry");
    if (closed) {
      throw new ClosedException(
          "this MemoryMetrics", "it registers no more meters", "create a new one");
    }
    if (bound.containsKey(registry)) {
      return;
    }
    Registration registration = new Registration(registry, tags);
    try {
      allocators.forEach(registration::addAllocator);
      pinnedPools.forEach(registration::addPinnedPool);
    } catch (RuntimeException | Error e) {
      registration.bound().forEach(Cleaner.Cleanable::clean);
      throw e;
    }
    bound.put(registry, registration.bound());
  }

  /** Removes the meters from every registry. Does not close the allocators. */
  @Override
  public synchronized void close() {
    closed = true;
    bound.values().forEach(each -> each.forEach(Cleaner.Cleanable::clean));
    bound.clear();
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
