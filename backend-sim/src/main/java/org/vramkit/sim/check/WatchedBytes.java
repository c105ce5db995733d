package org.vramkit.sim.check;

import java.nio.ByteBuffer;

/** A range of page-locked memory and its expected content, which the host must not change. */
abstract class WatchedBytes {
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

  /** Expects what is there between two addresses. */
  final void expectAsItIs(long start, long end) {
    int from = indexOf(start);
    content.get(from, expected, from, indexOf(end) - from);
  }

  private int indexOf(long address) {
    return (int) (Math.max(range.start(), Math.min(address, range.end())) - range.start());
  }

  /**
   * Returns whether the host has written between two addresses, and reports the whole change. Costs
   * what the part costs: work writes a long range in many pieces.
   */
  final boolean isChanged(long start, long end) {
    int from = indexOf(start);
    int count = indexOf(end) - from;
    return content.slice(from, count).mismatch(ByteBuffer.wrap(expected, from, count)) >= 0
        && isChanged();
  }

  /** Returns whether the host has written the range, and reports it. */
  boolean isChanged() {
    int first = content.mismatch(ByteBuffer.wrap(expected));
    if (first >= 0) {
      report(first);
    }
    return first >= 0;
  }

  /** Reports a change, given the index of the first changed byte. */
  abstract void report(int first);

  /** Returns the index after a run of changed bytes. */
  final int endOfChange(int first) {
    int end = first + 1;
    while (end < expected.length && content.get(end) != expected[end]) {
      end++;
    }
    return end;
  }
}
