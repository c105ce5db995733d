package org.vramkit.tools.trace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads rows of comma-separated fields without making objects of them. Nothing is quoted. */
final class RowReader implements Position {
  private static final int MAX_ROW = 4096;
  private static final int MAX_FIELDS = 16;
  private static final String DECIMAL = "a decimal number of at most 2^63 - 1";

  private final String name;
  private final InputStream input;
  private final byte[] chunk = new byte[1 << 16];
  private int chunkAt;
  private int chunkEnd;
  private final byte[] row = new byte[MAX_ROW];
  private int length;
  // Field i is row[starts[i] .. starts[i + 1] - 1), the comma left out.
  private final int[] starts = new int[MAX_FIELDS + 1];
  private int fields;
  private long line;

  RowReader(TraceInput input) {
    this.name = input.getName();
    this.input = input.getBytes();
  }

  @Override
  public TraceException error(String problem) {
    return new TraceException(where(), problem);
  }

  /** Reads the next row that is not blank; false at the end. */
  boolean next() {
    do {
      line++;
      if (!fill()) {
        return false;
      }
    } while (length == 0);
    split();
    return true;
  }

  /** The current row as text. */
  String text() {
    return new String(row, 0, length, StandardCharsets.ISO_8859_1);
  }

  /** Checks the number of fields. */
  void expect(int count, String header) {
    if (fields != count) {
      throw error("has " + fields + " fields instead of the " + count + " of '" + header + "'");
    }
  }

  /** A field as text. */
  String text(int field) {
    int start = starts[field];
    return new String(row, start, end(field) - start, StandardCharsets.ISO_8859_1);
  }

  /** Whether a field is this word. */
  boolean is(int field, String word) {
    int start = starts[field];
    if (end(field) - start != word.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (row[start + i] != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** A field as a decimal number, which may be negative. */
  long decimal(int field, String what) {
    int at = starts[field];
    int end = end(field);
    boolean negative = at < end && row[at] == '-';
    if (negative) {
      at++;
    }
    // 2^63 - 1 has 19 digits, and 19 digits are less than 2^64: a number above it turns negative.
    if (at == end || end - at > 19) {
      throw notNumber(field, what, DECIMAL);
    }
    long value = 0;
    for (; at < end; at++) {
      int digit = row[at] - '0';
      if (digit < 0 || digit > 9) {
        throw notNumber(field, what, DECIMAL);
      }
      value = value * 10 + digit;
    }
    if (value < 0) {
      throw notNumber(field, what, DECIMAL);
    }
    return negative ? -value : value;
  }

  /** A field as a hexadecimal number with or without {@code 0x}; {@code (nil)} is 0. */
  long hexadecimal(int field, String what) {
    int at = starts[field];
    int end = end(field);
    if (is(field, "(nil)")) {
      return 0;
    }
    if (end - at > 2 && row[at] == '0' && (row[at + 1] == 'x' || row[at + 1] == 'X')) {
      at += 2;
    }
    if (at == end || end - at > 16) {
      throw notNumber(field, what, "a hexadecimal number of 64 bits");
    }
    long value = 0;
    for (; at < end; at++) {
      int digit = Character.digit(row[at], 16);
      if (digit < 0) {
        throw notNumber(field, what, "a hexadecimal number of 64 bits");
      }
      value = value << 4 | digit;
    }
    return value;
  }

  private TraceException notNumber(int field, String what, String kind) {
    return error(what + " is not " + kind + ": '" + Text.printable(text(field), 40) + "'");
  }

  private String where() {
    return name + ":" + line;
  }

  private int end(int field) {
    return starts[field + 1] - 1;
  }

  private boolean fill() {
    length = 0;
    boolean any = false;
    while (true) {
      if (chunkAt == chunkEnd && !refill()) {
        break;
      }
      any = true;
      byte b = chunk[chunkAt++];
      if (b == '\n') {
        break;
      }
      if (length == MAX_ROW) {
        throw error("the line is longer than " + MAX_ROW + " bytes");
      }
      row[length++] = b;
    }
    if (length > 0 && row[length - 1] == '\r') {
      length--;
    }
    return any;
  }

  private boolean refill() {
    try {
      chunkEnd = Math.max(0, input.read(chunk));
      chunkAt = 0;
      return chunkEnd > 0;
    } catch (IOException e) {
      throw TraceInput.failed(where(), e);
    }
  }

  private void split() {
    fields = 0;
    starts[0] = 0;
    for (int i = 0; i <= length; i++) {
      if (i == length || row[i] == ',') {
        if (fields == MAX_FIELDS) {
          throw error("has more than " + MAX_FIELDS + " fields");
        }
        starts[++fields] = i + 1;
      }
    }
  }
}
