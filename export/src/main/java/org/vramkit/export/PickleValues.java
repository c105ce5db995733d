package org.vramkit.export;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes values as a pickle of protocol 2, of plain data only. Repeated texts and stacks are
 * written once and then referenced through the memo, whose size is bounded.
 *
 * <p>Not net.razorvine:pickle, because it needs the whole object tree and memoizes every object: a
 * recording of 10 million events would take gigabytes.
 */
final class PickleValues extends ValueWriter {
  /** Number of items per APPENDS batch, as in Python's pickler. */
  private static final int BATCH = 1000;

  private static final int MAX_MEMO_ENTRIES = 1 << 16;
  private static final int MAX_MEMO_TEXT = 1000;

  private static final int PROTO = 0x80;
  private static final int EMPTY_DICT = '}';
  private static final int EMPTY_LIST = ']';
  private static final int MARK = '(';
  private static final int SETITEMS = 'u';
  private static final int APPENDS = 'e';
  private static final int TUPLE2 = 0x86;
  private static final int BININT = 'J';
  private static final int BININT1 = 'K';
  private static final int BININT2 = 'M';
  private static final int LONG1 = 0x8a;
  private static final int NEWTRUE = 0x88;
  private static final int NEWFALSE = 0x89;
  private static final int BINUNICODE = 'X';
  private static final int BINPUT = 'q';
  private static final int LONG_BINPUT = 'r';
  private static final int BINGET = 'h';
  private static final int LONG_BINGET = 'j';
  private static final int STOP = '.';

  private final OutputStream out;
  private final Map<Object, Integer> memo = new HashMap<>();

  /** Number of items in the last batch of each open list; negative for a dictionary. */
  private int[] items = new int[16];

  private int depth;

  PickleValues(OutputStream out) throws IOException {
    this.out = out;
    out.write(PROTO);
    out.write(2);
    items[0] = -1;
  }

  private void open(int kind, int first) throws IOException {
    item();
    out.write(kind);
    out.write(MARK);
    if (++depth == items.length) {
      items = Arrays.copyOf(items, depth * 2);
    }
    items[depth] = first;
  }

  /** Begins a value. */
  private void item() throws IOException {
    if (items[depth] < 0) {
      return;
    }
    if (items[depth] == BATCH) {
      out.write(APPENDS);
      out.write(MARK);
      items[depth] = 0;
    }
    items[depth]++;
  }

  @Override
  void beginDict() throws IOException {
    open(EMPTY_DICT, -1);
  }

  @Override
  void endDict() throws IOException {
    out.write(SETITEMS);
    depth--;
  }

  @Override
  void beginList() throws IOException {
    open(EMPTY_LIST, 0);
  }

  @Override
  void endList() throws IOException {
    out.write(APPENDS);
    depth--;
  }

  @Override
  void key(String key) throws IOException {
    write(key);
  }

  @Override
  void text(String value) throws IOException {
    item();
    write(value);
  }

  private void write(String text) throws IOException {
    if (recall(text)) {
      return;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.write(BINUNICODE);
    little(bytes.length, 4);
    out.write(bytes);
    if (text.length() <= MAX_MEMO_TEXT) {
      memoize(text);
    }
  }

  @Override
  void flag(boolean value) throws IOException {
    item();
    out.write(value ? NEWTRUE : NEWFALSE);
  }

  @Override
  void number(long value) throws IOException {
    item();
    write(value);
  }

  private void write(long value) throws IOException {
    if (value >= 0 && value < 1 << 8) {
      out.write(BININT1);
      little(value, 1);
    } else if (value >= 0 && value < 1 << 16) {
      out.write(BININT2);
      little(value, 2);
    } else if (value == (int) value) {
      out.write(BININT);
      little(value, 4);
    } else {
      // The minimum number of bytes for the number and its sign.
      int bits = 65 - Long.numberOfLeadingZeros(value < 0 ? ~value : value);
      int bytes = (bits + 7) / 8;
      out.write(LONG1);
      out.write(bytes);
      little(value, bytes);
    }
  }

  private void little(long value, int bytes) throws IOException {
    for (int i = 0; i < bytes; i++) {
      out.write((int) (value >> (8 * i)));
    }
  }

  @Override
  void pair(long first, long second) throws IOException {
    item();
    write(first);
    write(second);
    out.write(TUPLE2);
  }

  @Override
  void stack(List<StackTraceElement> frames) throws IOException {
    if (memo.containsKey(frames)) {
      item();
      recall(frames);
      return;
    }
    super.stack(frames);
    memoize(frames);
  }

  @Override
  void frame(StackTraceElement frame) throws IOException {
    if (memo.containsKey(frame)) {
      item();
      recall(frame);
      return;
    }
    super.frame(frame);
    memoize(frame);
  }

  private boolean recall(Object value) throws IOException {
    Integer index = memo.get(value);
    if (index == null) {
      return false;
    }
    out.write(index < 1 << 8 ? BINGET : LONG_BINGET);
    little(index, index < 1 << 8 ? 1 : 4);
    return true;
  }

  /** Adds the value that was written last to the memo. */
  private void memoize(Object value) throws IOException {
    int index = memo.size();
    if (index < MAX_MEMO_ENTRIES) {
      memo.put(value, index);
      out.write(index < 1 << 8 ? BINPUT : LONG_BINPUT);
      little(index, index < 1 << 8 ? 1 : 4);
    }
  }

  @Override
  void finish() throws IOException {
    out.write(STOP);
    out.flush();
  }
}
