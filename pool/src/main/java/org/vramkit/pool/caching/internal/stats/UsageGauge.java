package org.vramkit.pool.caching.internal.stats;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.TagUsage;

/**
 * The live bytes and blocks of an allocator or of a private pool, also by tag, as its thread caches
 * claim them, and their peaks. Lock-free.
 */
public final class UsageGauge {
  /** Most tags that are counted separately, because a program may derive tags from its requests. */
  private static final int MOST_TAGS = 1024;

  final Claims requested;
  final Claims allocated;
  final Claims blocks;

  /** Allocated bytes, and bytes that are closed and wait for other streams. */
  final Claims active;

  private final @Nullable UsageGauge total;
  private final Map<String, Claims> tags = new ConcurrentHashMap<>();

  /**
   * The sum of what caches claim of a quantity, such as live bytes, and its peak. A claim is never
   * less than what the cache has live, so the peak is never too low. Lock-free.
   *
   * <p>A cache raises its claim exactly to a new maximum, and lowers it only when blocks leave.
   * Most calls therefore change no claim, and access no data of other threads. While one cache is
   * used, the peak is exact. It may be too high by what the others claim beyond their live values.
   */
  static final class Claims {
    private final @Nullable Claims total;
    private final AtomicLong sum = new AtomicLong();
    private final AtomicLong peak = new AtomicLong();

    /** Creates a sum of 0. Each change is also one of {@code total}; null for none. */
    Claims(@Nullable Claims total) {
      this.total = total;
    }

    void add(long change) {
      long now = sum.addAndGet(change);
      long highest = peak.get();
      while (now > highest && !peak.compareAndSet(highest, now)) {
        highest = peak.get();
      }
      if (total != null) {
        total.add(change);
      }
    }

    /** Changes a claim; returns the new one. */
    long move(long claim, long to) {
      if (claim != to) {
        add(to - claim);
      }
      return to;
    }

    long sum() {
      return sum.get();
    }

    /** Returns the peak of the sum, which is never below the sum. */
    long peak() {
      return Math.max(peak.get(), sum.get());
    }

    void resetPeak() {
      peak.set(sum.get());
    }
  }

  public UsageGauge() {
    this(null);
  }

  /** Creates the gauge of a private pool, which counts for the allocator too. */
  public UsageGauge(@Nullable UsageGauge total) {
    this.total = total;
    requested = new Claims(total == null ? null : total.requested);
    allocated = new Claims(total == null ? null : total.allocated);
    blocks = new Claims(total == null ? null : total.blocks);
    active = new Claims(total == null ? null : total.active);
  }

  /** Counts a block that no longer waits for other streams. */
  public void pendingRemoved(long bytes) {
    active.add(-bytes);
  }

  /** Returns the peak of active bytes: live, or waiting for other streams. */
  public long activePeak() {
    return active.peak();
  }

  /** Peaks since the last reset. */
  public record Peaks(long requested, long allocated, long active, long blocks) {}

  /** Returns the peaks; none may exceed {@code most} bytes, which were reserved. */
  public Peaks peaks(long most) {
    long highest = Math.min(active.peak(), most);
    return new Peaks(
        Math.min(requested.peak(), highest),
        Math.min(allocated.peak(), highest),
        highest,
        blocks.peak());
  }

  public void resetPeaks() {
    requested.resetPeak();
    allocated.resetPeak();
    blocks.resetPeak();
    active.resetPeak();
    tags.values().forEach(Claims::resetPeak);
  }

  String nameOf(String tag) {
    if (total != null) {
      return total.nameOf(tag);
    }
    return tags.size() < MOST_TAGS || tags.containsKey(tag) ? tag : TagUsage.OTHERS;
  }

  Claims ofTag(String name) {
    return tags.computeIfAbsent(name, key -> new Claims(total == null ? null : total.ofTag(key)));
  }

  /** Returns the peak of a tag, or a little more; see {@link TagAccount}. */
  long peakOf(String name) {
    Claims known = tags.get(name);
    return known == null ? 0 : known.peak();
  }
}
