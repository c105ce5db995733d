package org.vramkit.tools.trace;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
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

  /**
   * Stands for lists of equal frames. PyTorch writes a list for each allocation, and the memo would
   * keep all of them.
   */
  record Stack(int number) {}

  /** The numbers and labels of entries, until all of them are in a snapshot. */
  private static final class Chunk {
    static final int ENTRIES = 1 << 15;

    final long[] numbers = new long[ENTRIES * LONGS];
    final int[] labels = new int[ENTRIES * INTS];
    int left = ENTRIES;
  }

  private static final Stack NO_STACK = new Stack(0);
  private static final int LONGS = 4;
  private static final int INTS = 3;
  private static final int MAX_ACTIONS = 1 << 10;

  private final List<@Nullable Chunk> chunks = new ArrayList<>();
  private final StringTable words;
  private final @Nullable Origins origins;
  // Each stack by its number.
  private final List<Stack> stacks = new ArrayList<>(List.of(NO_STACK));
  private int count;
  // The frames of the last entry as they were read, and their stack.
  private @Nullable Object frames;
  private Stack stack = NO_STACK;

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
    Object free = null;
    Object address = null;
    Object size = null;
    Object stream = null;
    Object micros = null;
    Object tag = null;
    frames = null;
    for (int i = 0; i < dict.getLength(); i += 2) {
      Object value = dict.at(i + 1);
      switch (dict.at(i) instanceof String key ? key : "") {
        case "addr" -> address = value;
        case "device_free" -> free = value;
        case "size" -> size = value;
        case "stream" -> stream = value;
        case "time_us" -> micros = value;
        case "user_metadata" -> tag = value;
        case "frames" -> frames = value;
        default -> {}
      }
    }
    address = address == null ? free : address;
    if (!isNumber(address) || !isNumber(size) || !isNumber(stream) || !isNumber(micros)) {
      return null;
    }
    if (count % Chunk.ENTRIES == 0) {
      chunks.add(new Chunk());
    }
    Chunk chunk = requireNonNull(chunks.get(count / Chunk.ENTRIES), "chunk");
    int numbers = count % Chunk.ENTRIES * LONGS;
    chunk.numbers[numbers] = longOf(address);
    chunk.numbers[numbers + 1] = longOf(size);
    chunk.numbers[numbers + 2] = longOf(stream);
    chunk.numbers[numbers + 3] = longOf(micros);
    stack = stack(frames);
    int labels = count % Chunk.ENTRIES * INTS;
    chunk.labels[labels] = words.number(action);
    chunk.labels[labels + 1] = tag(tag);
    chunk.labels[labels + 2] = stack.number();
    dict.seal();
    return new Run(count++, 1);
  }

  private static boolean isNumber(@Nullable Object value) {
    return value == null
        || value == PickleReader.NONE
        || (value instanceof Long number && number != Long.MIN_VALUE);
  }

  private static long longOf(@Nullable Object value) {
    return value instanceof Long number ? number : Long.MIN_VALUE;
  }

  /** Returns the stack of the last entry if a value is its list of frames, else null. */
  @Nullable Stack extractedFrames(Object value) {
    return value instanceof List<?> && value == frames ? stack : null;
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
    return origins == null
        ? Origin.UNKNOWN
        : new Origin(tag(dict.get("user_metadata")), stack(dict.get("frames")).number(), 0);
  }

  private int tag(@Nullable Object value) {
    return origins != null && value instanceof String text ? origins.tags.number(text) : 0;
  }

  /** Reads a stack from a list of dictionaries, the innermost frame first. */
  private Stack stack(@Nullable Object value) {
    if (value instanceof Stack known) {
      return known;
    }
    if (origins == null || !(value instanceof List<?> list)) {
      return NO_STACK;
    }
    StackTable table = origins.stacks;
    for (int i = 0; i < list.size(); i++) {
      if (list.get(i) instanceof PickleDict dict) {
        if (dict.getFrame() == PickleDict.NO_FRAME) {
          dict.setFrame(table.numberOfFrame(frame(dict)));
        }
        table.frame(dict.getFrame());
      }
    }
    int number = table.number();
    while (stacks.size() <= number) {
      stacks.add(new Stack(stacks.size()));
    }
    return stacks.get(number);
  }

  private static String frame(PickleDict frame) {
    return StackTable.frame(
        frame.get("name") instanceof String name ? name : "",
        frame.get("filename") instanceof String file ? file : "",
        frame.get("line") instanceof Long line ? line : null);
  }
}
