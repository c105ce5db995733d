package org.vramkit.bench.soak;

import java.nio.ByteBuffer;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;

/**
 * A live block whose bytes all have one value.
 *
 * @param block the block
 * @param stream the stream of the allocation
 * @param value the expected value of every byte
 */
record FilledBlock(Allocation block, Stream stream, byte value) {
  /** Number of bytes checked at each place. */
  private static final int WINDOW = 4096;

  /** Fills a new block on its stream. */
  static FilledBlock fill(Allocation block, Stream stream, byte value) {
    stream.fill(block.getAddress(), value, block.getSize());
    return new FilledBlock(block, stream, value);
  }

  /**
   * Counts wrong bytes at both ends, which overlapping neighbours would change, and in the middle.
   * Waits for the stream.
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
