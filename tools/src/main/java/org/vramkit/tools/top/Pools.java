package org.vramkit.tools.top;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The latest figures of a JVM's allocators and of the parts for scarce memory. An allocator shows
 * the streams and tags of the same reading. What stops reporting counts as closed. Not thread-safe.
 */
final class Pools {
  static final String POOL_EVENT = "org.vramkit.PoolStatistics";
  static final String STREAM_EVENT = "org.vramkit.StreamStatistics";
  static final String TAG_EVENT = "org.vramkit.TagStatistics";

  private final Duration forgottenAfter;
  private final Map<Long, Reading> now = new TreeMap<>();
  private final Map<Long, Reading> coming = new HashMap<>();
  private final Map<PartKind, Map<Long, Figures>> parts = new EnumMap<>(PartKind.class);
  private Instant latest = Instant.MIN;

  /** A reading of an allocator, which is complete once its own figures are there. */
  static final class Reading {
    private final long number;
    private @Nullable Figures figures;
    private @Nullable Figures before;
    final List<Figures> streams = new ArrayList<>();
    final List<Figures> tags = new ArrayList<>();

    private Reading(long number) {
      this.number = number;
    }

    /** Returns the figures of the allocator. */
    Figures figures() {
      Figures known = figures;
      if (known == null) {
        throw new IllegalStateException("reading " + number + " is not complete");
      }
      return known;
    }

    /** Returns the number of allocations so far. */
    long made() {
      return made(figures());
    }

    private static long made(Figures figures) {
      return figures.get("servedFromPool") + figures.get("misses");
    }

    /** Returns allocations per second; empty if unknown, such as after a reset of statistics. */
    OptionalDouble rate() {
      Figures earlier = before;
      if (earlier == null || made() < made(earlier)) {
        return OptionalDouble.empty();
      }
      double seconds = Duration.between(earlier.time(), figures().time()).toNanos() / 1e9;
      return seconds <= 0
          ? OptionalDouble.empty()
          : OptionalDouble.of((made() - made(earlier)) / seconds);
    }
  }

  /**
   * Creates an empty set of figures.
   *
   * @param forgottenAfter maximum age of figures relative to the latest ones of an allocator
   */
  Pools(Duration forgottenAfter) {
    this.forgottenAfter = forgottenAfter;
  }

  private Reading readingOf(Figures figures) {
    Reading known = coming.get(figures.number());
    if (known == null || known.number != figures.reading()) {
      known = new Reading(figures.reading());
      coming.put(figures.number(), known);
    }
    return known;
  }

  void addStream(Figures figures) {
    readingOf(figures).streams.add(figures);
  }

  void addTag(Figures figures) {
    readingOf(figures).tags.add(figures);
  }

  /** Adds the figures of an allocator, which come after those of its streams and tags. */
  void addAllocator(Figures figures) {
    Reading complete = readingOf(figures);
    coming.remove(figures.number());
    Reading older = now.put(figures.number(), complete);
    complete.figures = figures;
    complete.before = older == null ? null : older.figures;
    latest = figures.time().isAfter(latest) ? figures.time() : latest;
  }

  void addPart(PartKind kind, Figures figures) {
    parts.computeIfAbsent(kind, added -> new TreeMap<>()).put(figures.number(), figures);
  }

  /** Removes outdated figures and returns whether there is no allocator left. */
  boolean isEmpty() {
    Instant oldest = latest.equals(Instant.MIN) ? latest : latest.minus(forgottenAfter);
    now.values().removeIf(each -> each.figures().time().isBefore(oldest));
    parts.values().forEach(all -> all.values().removeIf(each -> each.time().isBefore(oldest)));
    return now.isEmpty();
  }

  /** Returns the latest reading of each allocator, by number. */
  Collection<Reading> allocators() {
    return now.values();
  }

  /** Returns the parts of a kind, by number. */
  Collection<Figures> parts(PartKind kind) {
    return parts.getOrDefault(kind, Map.of()).values();
  }

  /** Returns the tags of all allocators, the one with most memory first. */
  List<Figures> tags() {
    Comparator<Figures> most = Comparator.comparingLong(each -> -each.get("liveBytes"));
    return now.values().stream()
        .flatMap(each -> each.tags.stream())
        .sorted(most.thenComparing(each -> each.label("tag")).thenComparingLong(Figures::number))
        .toList();
  }

  /** Returns the streams of all allocators, the one with most memory first. */
  List<Figures> streams() {
    Comparator<Figures> most = Comparator.comparingLong(each -> -each.get("liveBytes"));
    return now.values().stream()
        .flatMap(each -> each.streams.stream())
        .sorted(
            most.thenComparingLong(each -> -each.get("cachedBytes"))
                .thenComparing(each -> each.label("stream"))
                .thenComparingLong(Figures::number))
        .toList();
  }

  /** Returns the time of the latest figures of an allocator. */
  Instant latest() {
    return latest;
  }

  /** Formats the figures as tables. */
  String text() {
    return isEmpty() ? "no allocator is open\n" : new PoolTables(this).text();
  }

  /** Formats the figures as a line of JSON, with tags and streams sorted by memory. */
  String json() {
    isEmpty();
    return PoolLine.of(this) + "\n";
  }
}
