package org.vramkit.sim.check;

import java.nio.ByteBuffer;

/** A range of page-locked memory, with the content that only work may change. */
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

  /** Returns the index of the first changed byte; -1 if there is none. */
  final int firstChange() {
    return content.mismatch(ByteBuffer.wrap(expected));
  }

  /** Returns the index behind a run of changed bytes. */
  final int endOfChange(int first) {
    int end = first + 1;
    while (end < expected.length && content.get(end) != expected[end]) {
      end++;
    }
    return end;
  }
}
