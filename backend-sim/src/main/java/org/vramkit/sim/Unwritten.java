package org.vramkit.sim;

import java.nio.ByteBuffer;

/** Page-locked memory as it is allocated: filled with what hardly anybody would write. */
final class Unwritten {
  private static final int CHUNK = 8192;

  /** Fewer bytes may be written so by chance. */
  private static final int FEWEST = 8;

  private static final byte[] PATTERN = {-35, 77, -90, 19, -20, 101, -70, 41};

  private Unwritten() {}

  static ByteBuffer fill(ByteBuffer buffer) {
    byte[] chunk = new byte[Math.min(CHUNK, buffer.capacity())];
    for (int i = 0; i < chunk.length; i++) {
      chunk[i] = PATTERN[i % PATTERN.length];
    }
    for (int at = 0; at < buffer.capacity(); at += chunk.length) {
      buffer.put(at, chunk, 0, Math.min(chunk.length, buffer.capacity() - at));
    }
    return buffer;
  }

  /** Whether all of a range is as it was at first. */
  static boolean isAll(ByteBuffer buffer, int from, int bytes) {
    if (bytes < FEWEST) {
      return false;
    }
    byte[] first = new byte[FEWEST];
    buffer.get(from, first);
    for (int i = 0; i < FEWEST; i++) {
      if (first[i] != PATTERN[(from + i) % PATTERN.length]) {
        return false;
      }
    }
    // The pattern repeats itself, so all is as the beginning is if each byte is as the one before.
    return bytes == FEWEST
        || buffer.slice(from, bytes - FEWEST).mismatch(buffer.slice(from + FEWEST, bytes - FEWEST))
            < 0;
  }
}
