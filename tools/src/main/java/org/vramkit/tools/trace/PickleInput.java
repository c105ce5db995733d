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
  private long offset;
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
    opcodeAt = offset;
    return unsigned();
  }

  /** Checks that the file ends here; the rest would be ignored otherwise. */
  void end() {
    opcodeAt = offset;
    try {
      if (bytes.read() >= 0) {
        throw error("data follows the end of the pickle; the file is damaged");
      }
    } catch (IOException e) {
      throw TraceInput.failed(where(), e);
    }
  }

  int unsigned() {
    try {
      int value = bytes.read();
      if (value < 0) {
        throw error("the pickle ends before its STOP; the file is truncated");
      }
      offset++;
      return value;
    } catch (IOException e) {
      throw TraceInput.failed(where(), e);
    }
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
    try {
      byte[] text = bytes.readNBytes((int) length);
      offset += text.length;
      if (text.length < length) {
        throw error("the pickle ends inside a string; the file is truncated");
      }
      return new String(text, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw TraceInput.failed(where(), e);
    }
  }

  private String where() {
    return name + ":byte " + opcodeAt;
  }
}
