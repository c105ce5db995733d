package org.vramkit.tools.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.vramkit.api.units.ByteSize;

/**
 * Reads a pickle as untrusted data: plain values and containers only. Opcodes that could name or
 * call code are refused. Memory is limited to the {@link HeapBudget}, and nothing recurses, so deep
 * nesting cannot overflow the stack.
 *
 * <p>Values are {@link Long}, {@link Double}, {@link Boolean}, {@link String}, {@link List} (lists
 * and tuples), {@link PickleDict}, {@link PickleEntries.Run}, {@link PickleEntries.Stack} and
 * {@link #NONE}. Equal short strings are one, because PyTorch writes the same text once for each
 * entry.
 */
final class PickleReader {
  /** The first byte of a pickle of protocol 2 or newer. */
  static final char PROTO = 0x80;

  /** Python's None. */
  static final Object NONE = new Object();

  /** Stands for all extracted entries in the memo, whose next use is an error. */
  private static final PickleDict EXTRACTED = new PickleDict();

  static {
    EXTRACTED.seal();
  }

  // A snapshot nests 6 deep: dictionary, segments, segment, blocks, block, frames.
  private static final int MAX_DEPTH = 100;
  // A value takes about 40 bytes including its slots on the stack, in the memo and its container.
  private static final long HEAP_BYTES_PER_VALUE = 80;
  // A byte of text takes up to two bytes, and large arrays occupy whole heap regions.
  private static final long TEXT_PER_VALUE = HEAP_BYTES_PER_VALUE / 4;

  // A slot of the memo takes 4 bytes, and 10 while the memo grows.
  private static final int SLOTS_PER_VALUE = 8;
  private static final int SHORT_TEXT = 256;
  private static final int MAX_SHORT_TEXTS = 1 << 14;

  private final Map<String, String> texts = new HashMap<>();
  private final PickleInput input;
  private final long maxValues = HeapBudget.bytes() / HEAP_BYTES_PER_VALUE;
  // Values beyond the size are dropped ones: to clear them would cost more than to keep them.
  private Object[] stack = new Object[64];
  private int size;
  private final PickleEntries entries;
  private final int[] marks = new int[MAX_DEPTH];
  // Number of values, of kept ones and size of the memo when each mark was set.
  private final long[] markValues = new long[MAX_DEPTH];
  private final long[] markKept = new long[MAX_DEPTH];
  private final int[] markMemos = new int[MAX_DEPTH];
  private int depth;
  private final List<Object> memo = new ArrayList<>();
  private long values;
  // Values of the short texts, which stay.
  private long keptValues;

  PickleReader(PickleInput input, PickleEntries entries) {
    this.input = input;
    this.entries = entries;
  }

  /** Reads up to STOP and returns the one remaining value. */
  Object read() {
    if (input.opcode() != PROTO) {
      throw input.error("is not a pickle of protocol 2 or newer");
    }
    int protocol = input.unsigned();
    if (protocol < 2 || protocol > 5) {
      throw input.error("pickle protocol " + protocol + " is not supported; supported are 2 to 5");
    }
    int opcode = input.opcode();
    while (opcode != '.') {
      execute(opcode);
      opcode = input.opcode();
    }
    Object result = pop();
    if (size != 0 || depth != 0) {
      throw input.error("STOP leaves " + (size + 1) + " values instead of one");
    }
    input.end();
    return result;
  }

  private void execute(int opcode) {
    switch (opcode) {
      case 'h' -> push(recall(input.unsigned()));
      case 'j' -> push(recall(input.signed32() & 0xffffffffL));
      case 0x94 -> remember(memo.size());
      case 'q' -> remember(input.unsigned());
      case 'r' -> remember(input.signed32() & 0xffffffffL);
      case 0x95 -> input.signed64(); // FRAME: a hint for buffering
      case 'N' -> push(NONE);
      case 0x88 -> push(true);
      case 0x89 -> push(false);
      case 'J' -> push((long) input.signed32());
      case 'K' -> push((long) input.unsigned());
      case 'M' -> push((long) input.unsigned16());
      case 0x8a -> push(input.long1());
      case 'G' -> push(input.float64());
      case 0x8c -> text(input.unsigned());
      case 'X' -> text(input.signed32() & 0xffffffffL);
      case '(' -> mark();
      case '}' -> push(new PickleDict());
      case ']', ')' -> push(new ArrayList<>(0));
      case 't', 'l' -> tuple(dropMark());
      case 0x85, 0x86, 0x87 -> tuple(firstOfLast(opcode - 0x84));
      case 'd' -> {
        PickleDict dict = new PickleDict();
        putAll(dict, dropMark());
        push(dict);
      }
      case 'a' -> {
        Object item = pop();
        PickleEntries.Run.append(list(size), item);
      }
      case 'e' -> {
        int from = dropMark();
        appendAll(list(from), from);
      }
      case 's' -> {
        Object value = pop();
        Object key = pop();
        dict(size).put(key, value);
      }
      case 'u' -> {
        int from = dropMark();
        PickleDict dict = dict(from);
        putAll(dict, from);
        PickleEntries.Run entry = entries.take(dict);
        if (entry != null) {
          extracted(dict, entry);
        }
      }
      default ->
          throw input.error(
              "opcode "
                  + PickleOpcodes.name(opcode)
                  + " is refused; a memory snapshot contains plain data only");
    }
  }

  /** Replaces the dictionary of an entry, at the top of the stack and in the memo. */
  private void extracted(PickleDict dict, PickleEntries.Run entry) {
    stack[size - 1] = entry;
    int before = markMemos[depth];
    if (before > 0 && memo.get(before - 1) == dict) {
      memo.set(before - 1, EXTRACTED);
    }
    boolean isKnown = true;
    long kept = keptValues - markKept[depth] + slots(memo.size()) - slots(before);
    for (int i = before; i < memo.size(); i++) {
      Object value = memo.get(i);
      PickleEntries.Stack frames = entries.extractedFrames(value);
      if (frames != null) {
        memo.set(i, frames);
      } else if (value instanceof PickleDict frame && isPlain(frame)) {
        kept += 1 + frame.getLength();
      } else {
        isKnown &= isKeptText(value);
      }
    }
    // Values since the mark are garbage now, except for those that the memo refers to.
    if (isKnown) {
      values = markValues[depth] + kept;
    }
  }

  /**
   * Returns whether a dictionary, such as that of a frame, refers to kept texts and numbers only.
   */
  private boolean isPlain(PickleDict dict) {
    for (int i = 0; i < dict.getLength(); i++) {
      if (!(dict.at(i) instanceof Long) && !isKeptText(dict.at(i))) {
        return false;
      }
    }
    return true;
  }

  private boolean isKeptText(Object value) {
    return value instanceof String text && texts.containsKey(text);
  }

  private void text(long length) {
    String text = input.string(length);
    String known = texts.get(text);
    if (known != null) {
      push(known);
      return;
    }
    long before = values;
    values += length / TEXT_PER_VALUE;
    push(text);
    if (length <= SHORT_TEXT && texts.size() < MAX_SHORT_TEXTS) {
      texts.put(text, text);
      keptValues += values - before;
    }
  }

  private void push(Object value) {
    if (++values > maxValues) {
      throw input.error(
          "values and text for "
              + ByteSize.format(maxValues * HEAP_BYTES_PER_VALUE)
              + " and more do not fit the heap; set JAVA_OPTS=-Xmx to more");
    }
    if (size == stack.length) {
      stack = Arrays.copyOf(stack, 2 * size);
    }
    stack[size++] = value;
  }

  private Object pop() {
    Object value = last(size);
    size--;
    return value;
  }

  /** Returns the last of the first values of the stack, which must be above the last mark. */
  private Object last(int count) {
    return stack[checked(count - 1)];
  }

  /** Returns the index of the first of the last values of the stack. */
  private int firstOfLast(int count) {
    return checked(size - count);
  }

  private int checked(int index) {
    if (index < (depth == 0 ? 0 : marks[depth - 1])) {
      throw input.error("an opcode needs a value but the stack is empty; the pickle is damaged");
    }
    return index;
  }

  private void mark() {
    if (depth == MAX_DEPTH) {
      throw input.error("nests deeper than " + MAX_DEPTH + "; a snapshot nests 6 deep");
    }
    markValues[depth] = values;
    markKept[depth] = keptValues;
    markMemos[depth] = memo.size();
    marks[depth++] = size;
  }

  /** Drops the last mark; returns the number of values before it. */
  private int dropMark() {
    if (depth == 0) {
      throw input.error("an opcode needs a MARK but none is set; the pickle is damaged");
    }
    return marks[--depth];
  }

  /** Moves the values from an index on to a tuple. */
  private void tuple(int from) {
    List<Object> items = new ArrayList<>(Arrays.asList(stack).subList(from, size));
    size = from;
    push(items);
  }

  /** Moves the values from an index on to a list. */
  @SuppressWarnings("NonApiType") // its capacity is set
  private void appendAll(ArrayList<Object> list, int from) {
    list.ensureCapacity(list.size() + size - from);
    for (int i = from; i < size; i++) {
      PickleEntries.Run.append(list, stack[i]);
    }
    size = from;
  }

  /** Returns the list that is the last of the first values of the stack. */
  @SuppressWarnings({"unchecked", "NonApiType"}) // every list here was made by this class
  private ArrayList<Object> list(int count) {
    if (last(count) instanceof ArrayList<?> list) {
      return (ArrayList<Object>) list;
    }
    throw input.error("an item is appended to a value that is not a list; the pickle is damaged");
  }

  /** Returns the dictionary that is the last of the first values of the stack. */
  private PickleDict dict(int count) {
    Object last = last(count);
    if (last instanceof PickleEntries.Run || (last instanceof PickleDict some && some.isSealed())) {
      throw input.error("an item is set in a complete trace entry, which PyTorch never does");
    }
    if (last instanceof PickleDict dict) {
      return dict;
    }
    throw input.error("an item is set in a value that is not a dict; the pickle is damaged");
  }

  /** Moves the keys and values from an index on to a dictionary. */
  private void putAll(PickleDict dict, int from) {
    if ((size - from) % 2 != 0) {
      throw input.error("a dict has a key without a value; the pickle is damaged");
    }
    dict.putAll(stack, from, size);
    size = from;
  }

  /** Returns the number of values that occupy as much memory as slots of the memo. */
  private static int slots(int count) {
    return count / SLOTS_PER_VALUE;
  }

  private Object recall(long index) {
    if (index >= memo.size()) {
      throw input.error(
          "memo " + index + " is read but only " + memo.size() + " are set; the pickle is damaged");
    }
    return memo.get((int) index);
  }

  private void remember(long index) {
    Object top = last(size);
    Object value = top instanceof PickleEntries.Run ? EXTRACTED : top;
    if (index < memo.size()) {
      memo.set((int) index, value);
    } else if (index == memo.size()) {
      memo.add(value);
      // Slots count as values too, so that a file of one-byte MEMOIZE opcodes cannot exhaust the
      // heap.
      values += slots(memo.size()) - slots(memo.size() - 1);
    } else {
      throw input.error(
          "memo "
              + index
              + " is set but only "
              + memo.size()
              + " precede it; the pickle is damaged");
    }
  }
}
