package org.vramkit.tools.trace;

import de.siegmar.fastcsv.reader.CsvCallbackHandler;
import de.siegmar.fastcsv.reader.RecordType;
import java.util.Arrays;

/** The characters of one CSV row, in an array that the next row reuses. */
final class CsvRow extends CsvCallbackHandler<CsvRow> {
  /** The longest row in characters; a stack of a thousand frames fits. */
  static final int MAX_ROW = PickleInput.MAX_STRING;

  private static final int MAX_FIELDS = 32;

  private char[] chars = new char[256];
  // Field i is chars[starts[i] .. starts[i + 1]).
  private final int[] starts = new int[MAX_FIELDS + 1];
  private int fields;
  private long line;
  private boolean blank;

  /** Returns the line on which the row begins, from 1; 0 before the first row. */
  long getLine() {
    return line;
  }

  char[] chars() {
    return chars;
  }

  int start(int field) {
    return starts[field];
  }

  int end(int field) {
    return starts[field + 1];
  }

  void removeLastField() {
    fields--;
  }

  @Override
  protected int getFieldCount() {
    return fields;
  }

  @Override
  protected RecordType getRecordType() {
    return blank ? RecordType.EMPTY : RecordType.DATA;
  }

  @Override
  protected void beginRecord(long startingLineNumber) {
    line = startingLineNumber;
    fields = 0;
    blank = false;
  }

  @Override
  protected void addField(char[] from, int offset, int length, boolean quoted) {
    if (fields == MAX_FIELDS) {
      throw new RowException("has more than " + MAX_FIELDS + " fields");
    }
    int start = starts[fields];
    if (start + length > MAX_ROW) {
      throw new RowException(
          "the row is longer than "
              + MAX_ROW
              + " characters"
              + (quoted ? ", or a quote in it is not closed" : ""));
    }
    if (start + length > chars.length) {
      chars = Arrays.copyOf(chars, Math.max(chars.length * 2, start + length));
    }
    System.arraycopy(from, offset, chars, start, length);
    starts[++fields] = start + length;
  }

  @Override
  protected void setComment(char[] from, int offset, int length) {
    throw new IllegalStateException("comments are off");
  }

  @Override
  protected void setEmpty() {
    blank = true;
    fields = 0;
  }

  @Override
  protected CsvRow buildRecord() {
    return this;
  }

  /** Thrown for an invalid row; {@link RowReader} adds its position. */
  static final class RowException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RowException(String problem) {
      super(problem);
    }
  }
}
