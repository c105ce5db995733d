package org.vramkit.api.allocator;

import java.util.Locale;
import org.vramkit.api.allocator.Metric.Kind;
import org.vramkit.api.allocator.Metric.Unit;

/**
 * The figures of {@link AllocatorStatistics}. Summaries, the flight recorder, JMX, Micrometer and
 * {@code vramkit top} show all figures of this table. A new figure needs a row here and the place
 * that counts it.
 */
public enum Figure {
  REQUESTED(Unit.BYTES, Kind.GAUGE, "Requested bytes of live allocations"),
  ALLOCATED(Unit.BYTES, Kind.GAUGE, "Bytes of the blocks behind live allocations"),
  LIVE(Unit.BYTES, Kind.GAUGE, "Bytes of allocated blocks, and of closed ones in use by streams"),
  RESERVED(Unit.BYTES, Kind.GAUGE, "Bytes taken from the driver: live, cached and fragments"),
  CACHED(Unit.BYTES, Kind.LEVEL, "Free bytes in caches, which a cache hit can serve"),
  FRAGMENTS(Unit.BYTES, Kind.LEVEL, "Free bytes outside of the caches"),
  SUSPENDED(Unit.BYTES, Kind.LEVEL, "Bytes that suspended pools have returned until the resume"),
  ALLOCATIONS(Unit.COUNT, Kind.GAUGE, "Live allocations, without empty ones"),
  SEGMENTS(Unit.COUNT, Kind.GAUGE, "Allocations from the driver: segments, or pages"),
  FREE_BLOCKS(Unit.COUNT, Kind.LEVEL, "Free blocks in caches, and free ranges outside of them"),
  SERVED_FROM_POOL(Unit.COUNT, Kind.COUNTER, "Allocations that took or moved no memory"),
  CACHE_HITS(Unit.COUNT, Kind.COUNTER, "Allocations that the thread's cache served"),
  MISSES(Unit.COUNT, Kind.COUNTER, "Allocations that took or moved memory"),
  DRIVER_ALLOCATIONS(Unit.COUNT, Kind.COUNTER, "Driver calls that took memory"),
  DRIVER_FREES(Unit.COUNT, Kind.COUNTER, "Driver calls that returned memory"),
  DECAYED(Unit.BYTES, Kind.COUNTER, "Bytes that were returned because they had been idle"),
  PAGES_MOVED(Unit.COUNT, Kind.COUNTER, "Pages that were mapped to another address"),
  MOVE_TIME(Unit.NANOSECONDS, Kind.COUNTER, "Time of driver calls that moved or returned memory"),
  MOVE_TIME_LEFT(Unit.NANOSECONDS, Kind.LEVEL, "Time left for moves; negative if exceeded"),
  SYNCHRONIZATIONS(Unit.COUNT, Kind.COUNTER, "Times that a thread waited for streams"),
  STEALS(Unit.COUNT, Kind.COUNTER, "Blocks taken from a stream for which another one then waited"),
  RETRIES(Unit.COUNT, Kind.COUNTER, "Allocations that succeeded only after a recovery"),
  OUT_OF_MEMORIES(Unit.COUNT, Kind.COUNTER, "Allocations that failed"),
  REJECTIONS(Unit.COUNT, Kind.COUNTER, "Failed allocations that a limit refused before a search"),
  LEAKS(Unit.COUNT, Kind.COUNTER, "Tracked allocations that were dropped without a close");

  private final Unit unit;
  private final Kind kind;
  private final String text;

  Figure(Unit unit, Kind kind, String text) {
    this.unit = unit;
    this.kind = kind;
    this.text = text;
  }

  /** Returns the name in lower-case words, such as {@code cache hits}. */
  public String getName() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** Returns the unit. */
  public Unit getUnit() {
    return unit;
  }

  /** Returns the kind: a gauge, a level or a counter. */
  public Kind getKind() {
    return kind;
  }

  /** Returns what the figure counts, in one line. */
  public String getText() {
    return text;
  }
}
