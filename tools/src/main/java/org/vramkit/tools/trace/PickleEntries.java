package org.vramkit.tools.trace;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Trace entries of a pickle in compact form: 44 bytes each instead of 300. Entries are extracted as
 * soon as their dictionaries are complete; a {@link Run} takes the place of neighbours in their
 * list. Irregular entries stay dictionaries, so that {@link PickleSnapshot} reports an error in an
 * entry with the entry's position.
 */
final class PickleEntries {
  /** Extracted entries with consecutive numbers. */
  record Run(int first, int count) {
    /** Appends an item to a list; a run continues the one before. */
    static void append(List<Object> list, Object item) {
      int last = list.size() - 1;
      if (item instanceof Run next
          && last >= 0
          && list.get(last) instanceof Run before
          && before.first + before.count == next.first) {
        list.set(last, new Run(before.first, before.count + next.count));
      } else {
        list.add(item);
      }
    }
  }

  /** The numbers and labels of entries, until all of them are in a snapshot. */
  private static final class Chunk {
    static final int ENTRIES = 1 << 15;

    final long[] numbers = new long[ENTRIES * LONGS];
    final int[] labels = new int[ENTRIES * INTS];
    int left = ENTRIES;
  }

  private static final int LONGS = 4;
  private static final int INTS = 3;
  // Maximum number of cached lists of frames, which many entries share.
  private static final int MAX_CACHED_STACKS = 1 << 16;
  private static final int MAX_ACTIONS = 1 << 10;

  private final List<@Nullable Chunk> chunks = new ArrayList<>();
  private final StringTable words;
  private final @Nullable Origins origins;
  private final IdentityHashMap<Object, Integer> stacks = new IdentityHashMap<>();
  private int count;

  PickleEntries(@Nullable Origins origins) {
    this.words = new StringTable(MAX_ACTIONS);
    this.origins = origins;
  }

  /**
   * Extracts an entry and seals its dictionary; returns null if the dictionary is not a regular
   * entry.
   */
  @Nullable Run take(PickleDict dict) {
    if (!(dict.get("action") instanceof String action)
        || action.length() > 40
        || count == Integer.MAX_VALUE) {
      return null;
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
        return null;
      }
    }
    if (count % Chunk.ENTRIES == 0) {
      chunks.add(new Chunk());
    }
    Chunk chunk = requireNonNull(chunks.get(count / Chunk.ENTRIES), "chunk");
    int at = count % Chunk.ENTRIES;
    for (int i = 0; i < LONGS; i++) {
      chunk.numbers[at * LONGS + i] = numbers[i] instanceof Long value ? value : Long.MIN_VALUE;
    }
    Origin origin = origin(dict);
    chunk.labels[at * INTS] = words.number(action);
    chunk.labels[at * INTS + 1] = origin.tag();
    chunk.labels[at * INTS + 2] = origin.stack();
    dict.seal();
    return new Run(count++, 1);
  }

  private static boolean isNumber(@Nullable Object value) {
    return value == null
        || value == PickleReader.NONE
        || (value instanceof Long number && number != Long.MIN_VALUE);
  }

  /** Moves an extracted entry to a snapshot. */
  void moveTo(int entry, SnapshotBuilder builder) {
    Chunk chunk = requireNonNull(chunks.get(entry / Chunk.ENTRIES), "chunk");
    int numbers = entry % Chunk.ENTRIES * LONGS;
    int labels = entry % Chunk.ENTRIES * INTS;
    builder.entry(
        words.texts().get(chunk.labels[labels]),
        number(chunk.numbers[numbers]),
        number(chunk.numbers[numbers + 1]),
        number(chunk.numbers[numbers + 2]),
        number(chunk.numbers[numbers + 3]),
        new Origin(chunk.labels[labels + 1], chunk.labels[labels + 2], 0));
    if (--chunk.left == 0) {
      chunks.set(entry / Chunk.ENTRIES, null);
    }
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
