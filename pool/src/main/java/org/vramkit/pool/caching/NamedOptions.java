package org.vramkit.pool.caching;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;

/** The options of a caching allocator by name, with values as text. */
final class NamedOptions {
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");
  private static final Pattern WHOLE_NUMBER = Pattern.compile("[+-]?[0-9]+");
  private static final Map<String, Entry> OPTIONS = new LinkedHashMap<>();

  /** Removed options and their replacements. */
  private static final Map<String, String> REMOVED =
      Map.of(
          "memory-fraction", "set limit to a percentage of the device's memory, such as limit=80%",
          "thread-cache-block", "a thread cache keeps blocks of up to 1 MiB; set thread-cache",
          "stream-cache", "thread caches are the only caches of streams; set thread-cache",
          "splitting", "segments are always split; virtual memory needs no such setting",
          "max-split", "segments of any size are split; virtual memory needs no such setting",
          "garbage-collection-threshold",
              "free segments return to the driver within move-time;" + " set move-time",
          "preemptive-rejection", "a request above the limit always fails at once");

  private record Entry(
      AllocatorOption option,
      BiConsumer<CachingAllocatorBuilder, String> setter,
      Function<CachingAllocatorOptions, Object> value) {}

  private static void option(
      String name,
      String unit,
      String defaultValue,
      String description,
      BiConsumer<CachingAllocatorBuilder, String> setter,
      Function<CachingAllocatorOptions, Object> value) {
    OPTIONS.put(
        name, new Entry(new AllocatorOption(name, unit, defaultValue, description), setter, value));
  }

  static {
    option(
        "virtual-memory",
        "auto, on, off",
        "auto",
        "The kind of memory. auto uses virtual memory if the device supports it; off uses"
            + " segments of fixed size. Set it to off to compare, or if mapping is forbidden.",
        (b, v) -> b.virtualMemory(choice(VirtualMemoryUse.class, v)),
        CachingAllocatorOptions::virtualMemory);
    option(
        "limit",
        "size or percentage",
        "none",
        "Maximum reserved bytes, or a share of the device's memory such as 80%. Set it to leave"
            + " memory to other users of the device.",
        (b, v) -> b.limit(limit(b.device(), v)),
        CachingAllocatorOptions::limitBytes);
    option(
        "move-time",
        "0 to 1",
        "0.005",
        "Share of elapsed time spent on keeping reserved memory small. Moving memory <= move-time x"
            + " elapsed + min(1 ms + half of the time of growth, 50 ms); a call unmaps for 1 ms at"
            + " most. 0 moves memory only if it would run out. 1 reserves least, at any cost of"
            + " time.",
        (b, v) -> b.moveTime(decimal(v)),
        CachingAllocatorOptions::moveTime);
    option(
        "decay",
        "seconds",
        "0",
        "Idle time after which free memory returns to the driver; a growing share of it returns"
            + " earlier. 0 never returns it. Set it if others need the device's memory; 10 is a"
            + " good start.",
        (b, v) -> b.decay(seconds("decay", v)),
        CachingAllocatorOptions::decay);
    option(
        "accessible-from",
        "ordinals, as 1,2",
        "none",
        "Other devices with access to the memory. No effect over segments, where peer access"
            + " decides.",
        (b, v) -> b.accessibleFrom(devices(b.device(), v)),
        CachingAllocatorOptions::accessors);
    option(
        "initial",
        "size",
        "0",
        "Bytes reserved when the allocator is built, for the first requests. Virtual memory only.",
        (b, v) -> b.initial(ByteSize.parse(v)),
        CachingAllocatorOptions::initialBytes);
    option(
        "thread-cache",
        "size",
        "4MiB",
        "Capacity of a thread cache. Each stream has several, and a thread uses one of them. 0"
            + " disables thread caches.",
        (b, v) -> b.threadCache(ByteSize.parse(v)),
        CachingAllocatorOptions::threadCacheBytes);
    option(
        "steal",
        "never, when-idle, with-wait",
        "when-idle",
        "When memory freed on one stream may serve another. never: only if an allocation would"
            + " fail otherwise. when-idle: once the first stream has completed the work before"
            + " the free. with-wait: even earlier; the second stream then waits for the first.",
        (b, v) -> b.steal(choice(StealPolicy.class, v)),
        CachingAllocatorOptions::steal);
    option(
        "rounding-divisions",
        "N or MIB:N,...",
        "none",
        "Steps between two powers of two to which sizes are rounded up. Set it so that requests"
            + " of similar sizes share blocks.",
        (b, v) -> b.roundingDivisions(v),
        CachingAllocatorOptions::roundingDivisions);
    option(
        "history",
        "size or size,stacks",
        "0",
        "Bytes of the Java heap for the latest events, some 8 bytes each. 0 keeps none. With"
            + " stacks each event has the stack of its caller. Set it to see the events before an"
            + " out of"
            + " memory.",
        NamedOptions::history,
        options -> List.of(options.historyBytes(), options.historyStacks()));
    option(
        "leak-detection",
        "off, sampled, stacks, all",
        "sampled",
        "Which allocations are tracked to report handles dropped without a close. sampled: 1 of"
            + " 128. stacks: 1 of 128, with the stack of the allocation. all: each, with its stack."
            + " -Dvramkit.leak-detection sets the default.",
        (b, v) -> b.leakDetection(choice(LeakDetection.class, v)),
        CachingAllocatorOptions::leakDetection);
    option(
        "held-too-long",
        "seconds",
        "0",
        "Time after which a tracked allocation that is still live is reported as a warning. 0"
            + " is never.",
        (b, v) -> b.heldTooLong(seconds("held-too-long", v)),
        CachingAllocatorOptions::heldTooLong);
  }

  private static void history(CachingAllocatorBuilder builder, String value) {
    String[] parts = value.split(",", -1);
    if (parts.length > 2 || (parts.length == 2 && !parts[1].strip().equals("stacks"))) {
      throw new InvalidArgumentException(
          "option history takes a size, or a size and stacks as 64MiB,stacks; not '" + value + "'");
    }
    builder.history(ByteSize.parse(parts[0].strip())).historyStacks(parts.length == 2);
  }

  private NamedOptions() {}

  /** Returns all options, the most important first. */
  static List<AllocatorOption> list() {
    return OPTIONS.values().stream().map(Entry::option).toList();
  }

  /** Returns whether two sets of options have equal values of a known option. */
  static boolean isEqual(String name, CachingAllocatorOptions one, CachingAllocatorOptions other) {
    Function<CachingAllocatorOptions, Object> value =
        Objects.requireNonNull(OPTIONS.get(name), name).value();
    return value.apply(one).equals(value.apply(other));
  }

  /** Sets an option of a builder; refuses unknown names and invalid values. */
  static void set(CachingAllocatorBuilder builder, String name, String value) {
    Entry entry = OPTIONS.get(name);
    if (REMOVED.containsKey(name)) {
      throw new InvalidArgumentException("option '" + name + "' was removed: " + REMOVED.get(name));
    }
    if (entry == null) {
      throw new InvalidArgumentException(
          "unknown option '" + name + "'; known are " + String.join(", ", OPTIONS.keySet()));
    }
    try {
      entry.setter().accept(builder, value.trim());
    } catch (InvalidArgumentException e) {
      String message = String.valueOf(e.getMessage());
      // A message without the name comes from elsewhere, such as the backend.
      throw message.contains(name)
          ? e
          : new InvalidArgumentException(
              "option " + name + " cannot be '" + value + "': " + message);
    } catch (IllegalArgumentException e) {
      // Only the message of the parser of sizes says what is wrong.
      String unit = entry.option().unit();
      throw new InvalidArgumentException(
          "option "
              + name
              + (unit.startsWith("size")
                  ? ": " + e.getMessage()
                  : " takes " + unit + ", not '" + value + "'"));
    }
  }

  /**
   * Parses a decimal number. Java's parser also accepts digits of every script, hexadecimal numbers
   * and type suffixes.
   */
  private static double decimal(String value) {
    if (!DECIMAL.matcher(value).matches()) {
      throw new IllegalArgumentException("no decimal number: " + value);
    }
    return Double.parseDouble(value);
  }

  private static int wholeNumber(String value) {
    if (!WHOLE_NUMBER.matcher(value).matches()) {
      throw new IllegalArgumentException("no whole number: " + value);
    }
    return Integer.parseInt(value);
  }

  private static long limit(Device device, String value) {
    if (value.equals("none")) {
      return Long.MAX_VALUE;
    }
    if (!value.endsWith("%")) {
      return ByteSize.parse(value);
    }
    String number = value.substring(0, value.length() - 1).strip();
    double percent = DECIMAL.matcher(number).matches() ? decimal(number) : Double.NaN;
    if (!(percent >= 0 && percent <= 100)) {
      throw new InvalidArgumentException("limit must be from 0% to 100%, not " + value);
    }
    return (long) (percent / 100 * device.getProperties().totalMemoryBytes());
  }

  private static Device[] devices(Device own, String ordinals) {
    return ordinals.equals("none")
        ? new Device[0]
        : Stream.of(ordinals.split(",", -1))
            .map(ordinal -> own.getBackend().getDevice(wholeNumber(ordinal.strip())))
            .toArray(Device[]::new);
  }

  private static <E extends Enum<E>> E choice(Class<E> type, String value) {
    return Enum.valueOf(type, value.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  private static Duration seconds(String name, String value) {
    double seconds = decimal(value);
    // Checked before the conversion to a duration, which would overflow.
    if (!(seconds >= 0 && seconds <= CachingAllocatorBuilder.LONGEST_DECAY.toSeconds())) {
      throw new InvalidArgumentException(
          name
              + " must be from 0 to "
              + CachingAllocatorBuilder.LONGEST_DECAY.toDays()
              + " days, not "
              + value
              + " s");
    }
    return Duration.ofNanos((long) Math.ceil(seconds * 1e9));
  }
}
