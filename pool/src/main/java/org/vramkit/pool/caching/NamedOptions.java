package org.vramkit.pool.caching;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/** The options of a caching allocator by name and as text, as command lines and files have them. */
final class NamedOptions {
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");
  private static final Pattern WHOLE_NUMBER = Pattern.compile("[+-]?[0-9]+");
  private static final Map<String, Entry> OPTIONS = new LinkedHashMap<>();

  /** Options that earlier versions had, and what to use now. */
  private static final Map<String, String> REMOVED =
      Map.of(
          "memory-fraction", "set limit to a percentage of the device's memory, such as limit=80%",
          "thread-cache-block", "a thread cache keeps blocks of up to 1 MiB; set thread-cache",
          "stream-cache", "streams have thread caches alone; set thread-cache",
          "splitting", "segments are always split; virtual memory needs no such setting",
          "max-split", "segments of any size are split; virtual memory needs no such setting",
          "garbage-collection-threshold", "free segments go back within move-time; set that",
          "preemptive-rejection", "a request above the limit always fails at once");

  private record Entry(
      AllocatorOption option, BiConsumer<CachingAllocatorBuilder, String> setter) {}

  private static void option(
      String name,
      String unit,
      String defaultValue,
      String description,
      BiConsumer<CachingAllocatorBuilder, String> setter) {
    OPTIONS.put(
        name, new Entry(new AllocatorOption(name, unit, defaultValue, description), setter));
  }

  static {
    option(
        "virtual-memory",
        "auto, on, off",
        "auto",
        "The memory that the allocator is built on. auto takes virtual memory where the"
            + " device has it; off takes segments of fixed size. Turn it off to compare, or"
            + " where mapping is forbidden.",
        (b, v) -> b.virtualMemory(choice(VirtualMemoryUse.class, v)));
    option(
        "limit",
        "size or percentage",
        "none",
        "Upper bound of the reserved bytes, or of the share of the device's memory, as 80%. Set it"
            + " to leave room for others on the device.",
        (b, v) -> b.limit(limit(b.device(), v)));
    option(
        "move-time",
        "0 to 1",
        "0.005",
        "Time for a small footprint, as a share of elapsed time. Moving memory <= move-time x"
            + " elapsed + min(1 ms + half of what growth took, 50 ms), and 1 ms in one call; asking"
            + " streams for better fits <= move-time x elapsed + 10 ms. 0 moves memory only where it would run"
            + " out. 1 gives the smallest footprint, at any cost of time.",
        (b, v) -> b.moveTime(decimal(v)));
    option(
        "decay",
        "seconds",
        "0",
        "Idle time after which free memory goes back to the driver; a growing part of it"
            + " goes earlier. 0 keeps it. Set it where others want the device's memory; 10 is a"
            + " good start.",
        (b, v) -> b.decay(seconds("decay", v)));
    option(
        "accessible-from",
        "ordinals, as 1,2",
        "none",
        "Other devices whose work touches the memory. Over segments this does nothing:"
            + " there peer access decides.",
        (b, v) -> b.accessibleFrom(devices(b.device(), v)));
    option(
        "initial",
        "size",
        "0",
        "Bytes taken when the allocator is made, so that the first requests find them."
            + " Virtual memory only.",
        (b, v) -> b.initial(ByteSize.parse(v)));
    option(
        "thread-cache",
        "size",
        "4MiB",
        "Capacity of a thread cache. There is one for each stream and group of threads. 0"
            + " turns thread caches off.",
        (b, v) -> b.threadCache(ByteSize.parse(v)));
    option(
        "steal",
        "never, when-idle, with-wait",
        "when-idle",
        "When memory freed on one stream may serve another. never: only where an allocation would"
            + " fail otherwise. when-idle: once the first stream has passed the free. with-wait: also"
            + " before; the second stream then waits for the first.",
        (b, v) -> b.steal(choice(StealPolicy.class, v)));
    option(
        "rounding-divisions",
        "N or MIB:N,...",
        "none",
        "Steps between two powers of two to which sizes are rounded up. Set it where"
            + " requests of uneven size should share blocks.",
        (b, v) -> b.roundingDivisions(v));
    option(
        "history",
        "size or size,stacks",
        "0",
        "Room of the JVM's memory for the latest events, some 8 bytes each. 0 keeps none. With"
            + " stacks each has the stack of who called. Set it to see what came before an out of"
            + " memory.",
        NamedOptions::history);
    option(
        "leak-detection",
        "off, sampled, stacks, all",
        "sampled",
        "Which allocations are watched for being dropped without a close. sampled: 1 of 128."
            + " stacks: the same, with the stack of the allocation. all: each, with its stack."
            + " -Dvramkit.leak-detection says it as well.",
        (b, v) -> b.leakDetection(choice(LeakDetection.class, v)));
    option(
        "held-too-long",
        "seconds",
        "0",
        "How long an allocation that is watched may be held until a warning tells of it. 0 is any"
            + " time.",
        (b, v) -> b.heldTooLong(seconds("held-too-long", v)));
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

  /** All of them, in the order of importance. */
  static List<AllocatorOption> list() {
    return OPTIONS.values().stream().map(Entry::option).toList();
  }

  /** Has a builder take a value; refuses names that there are not, and values that do not fit. */
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
      // What names no option came from elsewhere, such as from the backend.
      throw message.contains(name)
          ? e
          : new InvalidArgumentException(
              "option " + name + " cannot be '" + value + "': " + message);
    } catch (IllegalArgumentException e) {
      // Only what reads sizes knows whether this is none, a part of a byte or too large.
      String unit = entry.option().unit();
      throw new InvalidArgumentException(
          "option "
              + name
              + (unit.startsWith("size")
                  ? ": " + e.getMessage()
                  : " takes " + unit + ", not '" + value + "'"));
    }
  }

  /** Java's own readers take digits of every script, hexadecimal numbers and a type's letter. */
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
    // Before it becomes a duration, which cannot hold what is far too long.
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
