package org.vramkit.bench.soak;

import java.nio.ByteBuffer;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;

/**
 * A live block, the stream that may use it, and the byte that all of it holds.
 *
 * @param block the block
 * @param stream the stream that it was allocated on
 * @param value what every byte of it must be
 */
record Filled(Allocation block, Stream stream, byte value) {
  /** Bytes looked at in one place. */
  private static final int WINDOW = 4096;

  /** Fills a fresh block, on its stream. */
  static Filled fill(Allocation block, Stream stream, byte value) {
    stream.fill(block.getAddress(), value, block.getSize());
    return new Filled(block, stream, value);
  }

  /**
   * Counts bytes that are not what they should be, at both ends and in the middle: where blocks
   * meet others and pages are remapped. Waits for the stream.
   */
  long countMismatches() {
    int window = (int) Math.min(WINDOW, block.getSize());
    ByteBuffer bytes = ByteBuffer.allocateDirect(window);
    long last = block.getSize() - window;
    long mismatches = 0;
    for (long offset : new long[] {0, last / 2, last}) {
      bytes.clear();
      stream.copyToHost(bytes, block.getAddress() + offset);
      for (int i = 0; i < window; i++) {
        if (bytes.get(i) != value) {
          mismatches++;
        }
      }
    }
    return mismatches;
  }
}
