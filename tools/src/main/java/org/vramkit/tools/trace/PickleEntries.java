package org.vramkit.tools.trace;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Trace entries of a pickle in compact form: 44 bytes each instead of 300. Entries are extracted as
 * soon as their dictionaries are complete. Irregular entries stay dictionaries, so that {@link
 * PickleSnapshot} reports an error in an entry with the entry's position.
 */
final class PickleEntries {
  private static final int CHUNK = 1 << 15;
  private static final int LONGS = 4;
  private static final int INTS = 3;
  // Maximum number of cached lists of frames, which many entries share.
  private static final int MAX_CACHED_STACKS = 1 << 16;
  private static final int MAX_ACTIONS = 1 << 10;

  private final List<long[]> longs = new ArrayList<>();
  private final List<int[]> ints = new ArrayList<>();
  private final StringTable words;
  private final @Nullable Origins origins;
  private final IdentityHashMap<Object, Integer> stacks = new IdentityHashMap<>();
  private int count;

  PickleEntries(@Nullable Origins origins) {
    this.words = new StringTable(MAX_ACTIONS);
    this.origins = origins;
  }

  /**
   * Extracts an entry and seals its dictionary; returns false if the dictionary is not a regular
   * entry.
   */
  boolean take(PickleDict dict) {
    if (!(dict.get("action") instanceof String action)
        || action.length() > 40
        || count == Integer.MAX_VALUE) {
      return false;
    }
    Object address = dict.get("addr");
    Object[] numbers = {
      address == null ? dict.get("device_free") : address,
      dict.get("size"),
      dict.get("stream"),
      dict.get("time_us")
    };
    for (Object number : numbers) {
      if (!isNumber(number)) {
        return false;
      }
    }
    int at = count % CHUNK;
    if (at == 0) {
      longs.add(new long[CHUNK * LONGS]);
      ints.add(new int[CHUNK * INTS]);
    }
    long[] own = longs.get(count / CHUNK);
    for (int i = 0; i < LONGS; i++) {
      own[at * LONGS + i] = numbers[i] instanceof Long value ? value : Long.MIN_VALUE;
    }
    Origin origin = origin(dict);
    int[] labels = ints.get(count / CHUNK);
    labels[at * INTS] = words.number(action);
    labels[at * INTS + 1] = origin.tag();
    labels[at * INTS + 2] = origin.stack();
    dict.seal(count++);
    return true;
  }

  private static boolean isNumber(@Nullable Object value) {
    return value == null
        || value == PickleReader.NONE
        || (value instanceof Long number && number != Long.MIN_VALUE);
  }

  /** Adds an extracted entry to a snapshot. */
  void addTo(int entry, SnapshotBuilder builder) {
    int at = entry % CHUNK;
    long[] own = longs.get(entry / CHUNK);
    int[] labels = ints.get(entry / CHUNK);
    builder.entry(
        words.texts().get(labels[at * INTS]),
        number(own[at * LONGS]),
        number(own[at * LONGS + 1]),
        number(own[at * LONGS + 2]),
        number(own[at * LONGS + 3]),
        new Origin(labels[at * INTS + 1], labels[at * INTS + 2], 0));
  }

  private static @Nullable Long number(long value) {
    return value == Long.MIN_VALUE ? null : value;
  }

  /** Reads the origin from the dictionary of an entry or a block. */
  Origin origin(PickleDict dict) {
    if (origins == null) {
      return Origin.UNKNOWN;
    }
    int tag = dict.get("user_metadata") instanceof String text ? origins.tags.number(text) : 0;
    return new Origin(tag, stack(origins, dict.get("frames")), 0);
  }

  /** Reads a stack from a list of dictionaries, the innermost frame first. */
  private int stack(Origins known, @Nullable Object frames) {
    if (!(frames instanceof List<?> list) || list.isEmpty()) {
      return 0;
    }
    Integer number = stacks.get(list);
    if (number == null) {
      for (Object frame : list) {
        if (frame instanceof PickleDict dict) {
          known.stacks.frame(frame(dict));
        }
      }
      number = known.stacks.number();
      if (stacks.size() == MAX_CACHED_STACKS) {
        stacks.clear();
      }
      stacks.put(list, number);
    }
    return number;
  }

  private static String frame(PickleDict frame) {
    return StackTable.frame(
        frame.get("name") instanceof String name ? name : "",
        frame.get("filename") instanceof String file ? file : "",
        frame.get("line") instanceof Long line ? line : null);
  }
}
