package org.vramkit.tools.page;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Numbers in seven bits a byte, the lowest first; small ones take one byte. */
final class VarintOutput {
  private final OutputStream target;

  VarintOutput(OutputStream target) {
    this.target = target;
  }

  /** A number from 0 to 2^63 - 1. */
  void number(long value) throws IOException {
    if (value < 0) {
      throw new IllegalArgumentException("no varint: " + value);
    }
    long rest = value;
    while (rest > 0x7f) {
      target.write((int) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    target.write((int) rest);
  }

  /** A number that may be negative: its sign in the lowest bit. */
  void signed(long value) throws IOException {
    long rest = (value << 1) ^ (value >> 63);
    // The 64 bits are unsigned.
    while ((rest & ~0x7fL) != 0) {
      target.write((int) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    target.write((int) rest);
  }

  /** Bytes of UTF-8 after their number. */
  void text(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    number(bytes.length);
    target.write(bytes);
  }
}
