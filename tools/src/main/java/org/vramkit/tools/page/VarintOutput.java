package org.vramkit.tools.page;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Writes LEB128: seven bits per byte, lowest first. */
final class VarintOutput {
  private final OutputStream target;

  VarintOutput(OutputStream target) {
    this.target = target;
  }

  /** Writes a number from 0 to 2^63 - 1. */
  void number(long value) throws IOException {
    if (value < 0) {
      throw new IllegalArgumentException("an unsigned varint cannot be negative: " + value);
    }
    long rest = value;
    while (rest > 0x7f) {
      target.write((int) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    target.write((int) rest);
  }

  /** Writes a signed number in zigzag encoding, with the sign in the lowest bit. */
  void signed(long value) throws IOException {
    long rest = (value << 1) ^ (value >> 63);
    // All 64 bits may be in use, so "rest" must be treated as unsigned.
    while ((rest & ~0x7fL) != 0) {
      target.write((int) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    target.write((int) rest);
  }

  /** Writes the length of the UTF-8 text and its bytes. */
  void text(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    number(bytes.length);
    target.write(bytes);
  }
}
