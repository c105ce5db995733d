package org.vramkit.sim.check;

import java.nio.ByteBuffer;

/** A range of page-locked memory, and its bytes as nobody but work is to change them. */
class WatchedBytes {
  final PinnedRange range;
  private final ByteBuffer content;
  private final byte[] expected;

  WatchedBytes(PinnedRange range, ByteBuffer content) {
    this.range = range;
    this.content = content.slice();
    this.expected = new byte[content.remaining()];
    expectAsItIs();
  }

  final void expectAsItIs() {
    content.get(0, expected);
  }

  final int size() {
    return expected.length;
  }

  final boolean overlaps(long start, long end) {
    return range.start() < end && start < range.end();
  }

  /** The first byte that has changed, from 0; -1 if none has. */
  final int firstChange() {
    return content.mismatch(ByteBuffer.wrap(expected));
  }

  /** The byte behind those in a row that have changed. */
  final int endOfChange(int first) {
    int end = first + 1;
    while (end < expected.length && content.get(end) != expected[end]) {
      end++;
    }
    return end;
  }
}
