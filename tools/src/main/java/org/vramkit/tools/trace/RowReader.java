package org.vramkit.tools.trace;

import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Reads rows of comma-separated fields, quoted as in RFC 4180. FastCSV splits the rows; numbers are
 * parsed without creating objects.
 */
final class RowReader implements Position {
  private static final String DECIMAL = "a decimal number of at most 2^63 - 1";
  private static final String ADDRESS = "a decimal number of at most 2^64 - 1";

  // 2^64 - 1 without its last digit, and that digit.
  private static final long LAST_TENTH = Long.divideUnsigned(-1, 10);
  private static final long LAST_DIGIT = Long.remainderUnsigned(-1, 10);

  /**
   * A field appended to the file to detect how the file ends. The field is in a row of its own if
   * the last line has a line break, and the last field of that line if not. If a quote is not
   * closed, it is part of the quoted field.
   */
  private static final String END = "\u0003end of the file\u0003";

  private final String name;
  private final CsvRow row = new CsvRow();
  private final CloseableIterator<CsvRow> rows;
  private boolean isCut;

  RowReader(TraceInput input) {
    this.name = input.getName();
    this.rows =
        CsvReader.builder()
            .skipEmptyLines(true)
            .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
            .build(row, withEnd(input.getBytes()), StandardCharsets.UTF_8)
            .iterator();
  }

  private static InputStream withEnd(InputStream bytes) {
    byte[] end = ("," + END).getBytes(StandardCharsets.UTF_8);
    return new SequenceInputStream(bytes, new ByteArrayInputStream(end));
  }

  @Override
  public TraceException error(String problem) {
    return new TraceException(where(), problem);
  }

  /** Reads the next row that is not blank; returns false at the end. */
  boolean next() {
    try {
      if (!rows.hasNext()) {
        return false;
      }
      rows.next();
      int last = row.getFieldCount() - 1;
      isCut = endsWith(last, END);
      if (!isCut) {
        return true;
      }
      if (is(last, END)) {
        row.removeLastField();
        return last > 1 || row.start(0) < row.end(0);
      }
      if (text(last).indexOf('\n') >= 0) {
        throw error("a quote that begins here is not closed; close it or record again");
      }
      return true;
    } catch (CsvRow.RowException e) {
      throw error(String.valueOf(e.getMessage()));
    } catch (CsvParseException e) {
      if (e.getCause() instanceof CsvRow.RowException ours) {
        throw error(String.valueOf(ours.getMessage()));
      }
      if (e.getCause() instanceof IOException failure) {
        throw TraceInput.failed(where(), failure);
      }
      throw error("is not a row of CSV: " + Text.printable(reason(e), 200));
    } catch (UncheckedIOException e) {
      throw TraceInput.failed(where(), Objects.requireNonNull(e.getCause()));
    }
  }

  /**
   * Returns whether the current row is the last and lacks its line break, so that it may be
   * incomplete.
   */
  boolean isCut() {
    return isCut;
  }

  /** Returns the current row as text. */
  String text() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < row.getFieldCount(); i++) {
      text.append(i == 0 ? "" : ",").append(text(i));
    }
    return text.toString();
  }

  int getFieldCount() {
    return row.getFieldCount();
  }

  /** Checks the number of fields. */
  void expect(int count, String header) {
    int fields = row.getFieldCount();
    if (fields != count) {
      throw error("has " + fields + " fields instead of the " + count + " of '" + header + "'");
    }
  }

  /** Returns a field as text. */
  String text(int field) {
    return new String(row.chars(), row.start(field), row.end(field) - row.start(field));
  }

  /** Returns whether a field equals {@code word}. */
  boolean is(int field, String word) {
    return row.end(field) - row.start(field) == word.length() && endsWith(field, word);
  }

  private boolean endsWith(int field, String word) {
    int start = row.end(field) - word.length();
    if (start < row.start(field)) {
      return false;
    }
    char[] chars = row.chars();
    for (int i = 0; i < word.length(); i++) {
      if (chars[start + i] != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Parses a field as a signed decimal number. */
  long decimal(int field, String what) {
    long value = unsigned(field, what, DECIMAL);
    boolean negative = row.chars()[row.start(field)] == '-';
    if (negative ? value > 0 : value < 0) {
      throw notNumber(field, what, DECIMAL);
    }
    return value;
  }

  /**
   * Parses a field as an address or a handle: a decimal number up to 2^64 - 1, or a negative number
   * for an address in the upper half, as programs without unsigned numbers write.
   */
  long address(int field, String what) {
    return unsigned(field, what, ADDRESS);
  }

  private long unsigned(int field, String what, String kind) {
    char[] chars = row.chars();
    int at = row.start(field);
    int end = row.end(field);
    boolean negative = at < end && chars[at] == '-';
    if (negative) {
      at++;
    }
    if (at == end) {
      throw notNumber(field, what, kind);
    }
    long value = 0;
    for (; at < end; at++) {
      int digit = chars[at] - '0';
      boolean tooLarge =
          Long.compareUnsigned(value, LAST_TENTH) > 0
              || (value == LAST_TENTH && digit > LAST_DIGIT);
      if (digit < 0 || digit > 9 || tooLarge) {
        throw notNumber(field, what, kind);
      }
      value = value * 10 + digit;
    }
    return negative ? -value : value;
  }

  /** Parses a field as a hexadecimal number with or without {@code 0x}; {@code (nil)} is 0. */
  long hexadecimal(int field, String what) {
    if (is(field, "(nil)")) {
      return 0;
    }
    char[] chars = row.chars();
    int at = row.start(field);
    int end = row.end(field);
    if (end - at > 2 && chars[at] == '0' && (chars[at + 1] == 'x' || chars[at + 1] == 'X')) {
      at += 2;
    }
    if (at == end || end - at > 16) {
      throw notNumber(field, what, "a hexadecimal number of 64 bits");
    }
    long value = 0;
    for (; at < end; at++) {
      int digit = chars[at] < 0x80 ? Character.digit(chars[at], 16) : -1;
      if (digit < 0) {
        throw notNumber(field, what, "a hexadecimal number of 64 bits");
      }
      value = value << 4 | digit;
    }
    return value;
  }

  private static String reason(CsvParseException e) {
    Throwable cause = e.getCause();
    return String.valueOf((cause == null ? e : cause).getMessage());
  }

  private TraceException notNumber(int field, String what, String kind) {
    return error(what + " is not " + kind + ": '" + Text.printable(text(field), 40) + "'");
  }

  private String where() {
    return name + ":" + Math.max(1, row.getLine());
  }
}
