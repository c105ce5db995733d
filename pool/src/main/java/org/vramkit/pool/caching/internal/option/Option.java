package org.vramkit.pool.caching.internal.option;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.LeakDetection;
import org.vramkit.pool.caching.LeakListener;
import org.vramkit.pool.caching.OutOfMemoryHandler;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.VirtualMemoryUse;

/**
 * The options of a caching allocator, each in one row: its name, how it is written, its default,
 * and what it does. The list is ordered by importance.
 *
 * <p>Every start of a program loads this class, so rows have no code of their own: {@link Kind}
 * decides how {@link OptionText} parses a value, and its {@linkplain OptionRange range}.
 *
 * @param <T> type of the value
 */
public final class Option<T> {
  enum Kind {
    /** A constant of an enum. */
    CHOICE(""),
    SIZE("size"),
    LIMIT("size or percentage"),
    SHARE("0 to 1"),
    SECONDS("seconds"),
    DEVICES("ordinals, as 1,2"),
    DIVISIONS("N or MIB:N,..."),
    HISTORY("size or size,stacks"),
    /** An object, which only a program can set. */
    OBJECT("");

    final String unit;

    Kind(String unit) {
      this.unit = unit;
    }
  }

  /**
   * The history to keep.
   *
   * @param bytes most bytes of the Java heap; 0 for no history
   * @param stacks whether events have the stack of the caller
   */
  public record History(long bytes, boolean stacks) {}

  public static final long LEAST_HISTORY = 64 * ByteSize.KIB;

  private static final Map<String, Option<?>> ROWS = new LinkedHashMap<>();

  public static final Option<VirtualMemoryUse> VIRTUAL_MEMORY =
      row(
          "virtual-memory",
          Kind.CHOICE,
          VirtualMemoryUse.AUTO,
          "The kind of memory. auto uses virtual memory if the device supports it; off uses"
              + " segments of fixed size. Set it to off to compare, or if mapping is forbidden.");

  public static final Option<Long> LIMIT =
      row(
          "limit",
          Kind.LIMIT,
          Long.MAX_VALUE,
          "Maximum reserved bytes, or a share of the device's memory such as 80%. Set it to leave"
              + " memory to other users of the device.");

  public static final Option<Double> MOVE_TIME =
      row(
          "move-time",
          Kind.SHARE,
          0.005,
          "Share of elapsed time spent on keeping reserved memory small. Moving memory <="
              + " move-time x elapsed + min(1 ms + half of the time of growth, 50 ms); a call"
              + " unmaps for 1 ms at most. 0 moves memory only if it would run out. 1 reserves"
              + " least, at any cost of time.");

  public static final Option<Duration> DECAY =
      row(
          "decay",
          Kind.SECONDS,
          Duration.ZERO,
          "Idle time after which free memory returns to the driver; a growing share of it returns"
              + " earlier, at searches and calls of decay(), which an idle program makes from a"
              + " timer. 0 never returns it. Set it if others need the device's memory; 10 is a"
              + " good start.");

  public static final Option<List<Device>> ACCESSIBLE_FROM =
      row(
          "accessible-from",
          Kind.DEVICES,
          List.of(),
          "Other devices with access to the memory. No effect over segments, where peer access"
              + " decides.");

  public static final Option<Long> INITIAL =
      row(
          "initial",
          Kind.SIZE,
          0L,
          "Bytes reserved when the allocator is built, for the first requests. Virtual memory"
              + " only.");

  public static final Option<Long> THREAD_CACHE =
      row(
          "thread-cache",
          Kind.SIZE,
          4 * ByteSize.MIB,
          "Capacity of a thread cache. Each stream has several, and a thread uses one of them. 0"
              + " disables thread caches.");

  public static final Option<StealPolicy> STEAL =
      row(
          "steal",
          Kind.CHOICE,
          StealPolicy.WHEN_IDLE,
          "When memory freed on one stream may serve another. never: only if an allocation would"
              + " fail otherwise. when-idle: once the first stream has completed the work before"
              + " the free. with-wait: even earlier; the second stream then waits for the first.");

  public static final Option<RoundingDivisions> ROUNDING_DIVISIONS =
      row(
          "rounding-divisions",
          Kind.DIVISIONS,
          RoundingDivisions.NONE,
          "Steps between two powers of two to which sizes are rounded up. Set it so that requests"
              + " of similar sizes share blocks.");

  public static final Option<History> HISTORY =
      row(
          "history",
          Kind.HISTORY,
          new History(0, false),
          "Bytes of the Java heap for the latest events, 48 bytes each. 0 keeps none. With stacks"
              + " each event has the stack of its caller. Set it to see the events before an out of"
              + " memory.");

  public static final Option<LeakDetection> LEAK_DETECTION =
      row(
          "leak-detection",
          Kind.CHOICE,
          LeakDetection.SAMPLED,
          "Which allocations are tracked to report handles dropped without a close. sampled: 1 of"
              + " 128. stacks: 1 of 128, with the stack of the allocation. all: each, with its"
              + " stack. -Dvramkit.leak-detection sets the default.");

  /** How often streams are polled for each chunk that would be created. */
  public static final Option<Integer> POLLS = object("polls", 16);

  public static final Option<LongSupplier> CLOCK = object("clock", System::nanoTime);
  public static final Option<OutOfMemoryHandler> OUT_OF_MEMORY_HANDLER =
      object("handler", OutOfMemoryHandler.NONE);
  public static final Option<LeakListener> LEAK_LISTENER = object("listener", LeakListener.NONE);

  final String name;
  final Kind kind;
  final T defaultValue;
  final String text;

  private Option(String name, Kind kind, T defaultValue, String text) {
    this.name = name;
    this.kind = kind;
    this.defaultValue = defaultValue;
    this.text = text;
  }

  private static <T> Option<T> row(String name, Kind kind, T defaultValue, String text) {
    Option<T> option = new Option<>(name, kind, defaultValue, text);
    ROWS.put(name, option);
    return option;
  }

  private static <T> Option<T> object(String name, T defaultValue) {
    return new Option<>(name, Kind.OBJECT, defaultValue, "");
  }

  /** Returns the options that can be written as text. */
  static Collection<Option<?>> rows() {
    return Collections.unmodifiableCollection(ROWS.values());
  }

  public static @Nullable Option<?> named(String name) {
    return ROWS.get(name);
  }
}
