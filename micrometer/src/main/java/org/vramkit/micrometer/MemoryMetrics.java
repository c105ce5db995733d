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
 * Figures of allocators as meters, and for each of their devices the memory that others hold there:
 * that of no allocator whose meters are in the same registry. Several may be bound to one registry,
 * where names or tags tell their pools apart.
 *
 * <p>Each meter has the tags {@code device}, the ordinal, and {@code pool}, the name given here.
 * Figures are read when a registry asks, at most ten times a second for each registry; nothing is
 * measured beside the allocators' own counting. Where {@link CachingAllocator#resetStatistics}
 * begins counters anew, that shows as a restart.
 *
 * <p>{@link #close} takes the meters out of all registries. No meter keeps an allocator alive:
 * where the program drops an allocator and these metrics without a close, its meters leave the
 * registries once it is collected. Safe for any thread.
 */
public final class MemoryMetrics implements MeterBinder, AutoCloseable {
  private final Map<String, Allocator> allocators;
  private final Map<String, PinnedPool> pinnedPools;
  private final Tags tags;

  /** By registry, what was registered there. Guarded by this. */
  private final Map<MeterRegistry, List<Cleaner.Cleanable>> bound = new LinkedHashMap<>();

  /** Guarded by this. */
  private boolean closed;

  private MemoryMetrics(Builder builder) {
    this.allocators = new LinkedHashMap<>(builder.allocators);
    this.pinnedPools = new LinkedHashMap<>(builder.pinnedPools);
    this.tags = builder.tags;
  }

  /** The figures of one allocator, under the pool name {@code default}. */
  public static MemoryMetrics of(Allocator allocator) {
    return builder().allocator("default", allocator).build();
  }

  /** Metrics of several allocators. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Registers the meters; nothing the second time for the same registry.
   *
   * @throws ClosedException if this is closed
   * @throws InvalidArgumentException if the registry has meters of that name and these tags
   *     already, whose figures it would go on with; then none are registered
   */
  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    Objects.requireNonNull(registry, "registry");
    if (closed) {
      throw new ClosedException(
          "this MemoryMetrics", "it registers no meters any more", "make a new one");
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

  /** Removes the meters from every registry. The allocators stay as they are. */
  @Override
  public synchronized void close() {
    closed = true;
    bound.values().forEach(each -> each.forEach(Cleaner.Cleanable::clean));
    bound.clear();
  }

  /** Whose figures there are to be. For one thread. */
  public static final class Builder {
    private final Map<String, Allocator> allocators = new LinkedHashMap<>();
    private final Map<String, PinnedPool> pinnedPools = new LinkedHashMap<>();
    private final Set<String> names = new HashSet<>();
    private Tags tags = Tags.empty();

    private Builder() {}

    /**
     * Adds an allocator. A caching allocator's figures include those of its private pools, so a
     * pool of an allocator that is in the same registry too would count twice.
     *
     * @param pool the value of the tag {@code pool}
     * @throws InvalidArgumentException if there is one of that name already
     */
    public Builder allocator(String pool, Allocator allocator) {
      allocators.put(unused(pool), Objects.requireNonNull(allocator, "allocator"));
      return this;
    }

    /**
     * Adds page-locked host memory.
     *
     * @param pool the value of the tag {@code pool}
     * @throws InvalidArgumentException if there is one of that name already
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

    /** A binder that is bound to no registry yet. */
    public MemoryMetrics build() {
      return new MemoryMetrics(this);
    }

    private String unused(String pool) {
      if (!names.add(Objects.requireNonNull(pool, "pool"))) {
        throw new InvalidArgumentException(
            "there is a pool named " + pool + " already: names tell meters apart");
      }
      return pool;
    }
  }
}
