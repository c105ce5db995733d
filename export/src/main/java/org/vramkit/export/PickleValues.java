package org.vramkit.export;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Values as a pickle of protocol 2, of plain data only. Texts and stacks that occur again are
 * written once and recalled from the reader's memo; how many are remembered is bounded, and so is
 * what this keeps.
 *
 * <p>Written here because the library that there is (net.razorvine:pickle) takes whole trees of
 * objects and remembers each object of them: a recording of 10 million events would take gigabytes.
 */
final class PickleValues extends ValueWriter {
  /** As in Python's own pickler, a list goes to the reader in pieces of this size. */
  private static final int PIECE = 1000;

  private static final int MOST_REMEMBERED = 1 << 16;
  private static final int LONGEST_REMEMBERED = 1000;

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

  /** Items of each open list in its last piece; negative for a dictionary. */
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

  /** A value begins. */
  private void item() throws IOException {
    if (items[depth] < 0) {
      return;
    }
    if (items[depth] == PIECE) {
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
    if (text.length() <= LONGEST_REMEMBERED) {
      remember(text);
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
      // As few bytes as hold the number and its sign.
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
    remember(frames);
  }

  @Override
  void frame(StackTraceElement frame) throws IOException {
    if (memo.containsKey(frame)) {
      item();
      recall(frame);
      return;
    }
    super.frame(frame);
    remember(frame);
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

  /** The value that was written last is to be recalled. */
  private void remember(Object value) throws IOException {
    int index = memo.size();
    if (index < MOST_REMEMBERED) {
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
