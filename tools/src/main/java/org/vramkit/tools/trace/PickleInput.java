package org.vramkit.tools.trace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Reads little-endian numbers and strings of a pickle, and tracks the byte offset, which errors
 * name.
 */
final class PickleInput implements Position {
  /** The longest string in bytes, far more than a name or stack frame needs. */
  static final int MAX_STRING = 1 << 20;

  private final String name;
  private final InputStream bytes;
  // A buffer of its own: those of Java lock for each byte.
  private final byte[] buffer = new byte[1 << 16];
  private int next;
  private int filled;
  // The offset of the buffer's first byte.
  private long bufferAt;
  private long opcodeAt;

  PickleInput(TraceInput input) {
    this.name = input.getName();
    this.bytes = input.getBytes();
  }

  @Override
  public TraceException error(String problem) {
    return new TraceException(where(), problem);
  }

  /** Reads an opcode, whose offset later errors name. */
  int opcode() {
    opcodeAt = bufferAt + next;
    return unsigned();
  }

  /** Checks that the file ends here; the rest would be ignored otherwise. */
  void end() {
    opcodeAt = bufferAt + next;
    if (next < filled || isRefilled()) {
      throw error("data follows the end of the pickle; the file is damaged");
    }
  }

  /** Reads the next bytes into the buffer; returns false at the end of the file. */
  private boolean isRefilled() {
    try {
      bufferAt += filled;
      next = 0;
      filled = Math.max(0, bytes.read(buffer));
      return filled > 0;
    } catch (IOException e) {
      throw TraceInput.failed(where(), e);
    }
  }

  int unsigned() {
    if (next == filled && !isRefilled()) {
      throw error("the pickle ends before its STOP; the file is truncated");
    }
    return buffer[next++] & 0xff;
  }

  int unsigned16() {
    int low = unsigned();
    return low | unsigned() << 8;
  }

  int signed32() {
    int low = unsigned16();
    return low | unsigned16() << 16;
  }

  long signed64() {
    long low = signed32() & 0xffffffffL;
    return low | (long) signed32() << 32;
  }

  /** Reads the big-endian number of BINFLOAT. */
  double float64() {
    return Double.longBitsToDouble(Long.reverseBytes(signed64()));
  }

  /** Reads a number of up to 8 bytes, or 9 if the last is the sign of an unsigned 64-bit number. */
  long long1() {
    int length = unsigned();
    if (length > 9) {
      throw error("LONG1 has " + length + " bytes; snapshots use at most 9");
    }
    long value = 0;
    int last = 0;
    for (int i = 0; i < length; i++) {
      last = unsigned();
      if (i < 8) {
        value |= (long) last << (8 * i);
      }
    }
    if (length == 9 && last != 0) {
      throw error("LONG1 does not fit 64 bits");
    }
    if (length > 0 && length < 8 && last >= 0x80) {
      value |= -1L << (8 * length);
    }
    return value;
  }

  String string(long length) {
    if (length < 0 || length > MAX_STRING) {
      throw error("a string of " + length + " bytes; the maximum is " + MAX_STRING);
    }
    byte[] text = new byte[(int) length];
    for (int done = 0; done < text.length; ) {
      if (next == filled && !isRefilled()) {
        throw error("the pickle ends inside a string; the file is truncated");
      }
      int part = Math.min(text.length - done, filled - next);
      System.arraycopy(buffer, next, text, done, part);
      next += part;
      done += part;
    }
    return new String(text, StandardCharsets.UTF_8);
  }

  private String where() {
    return name + ":byte " + opcodeAt;
  }
}
