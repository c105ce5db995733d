package org.vramkit.pool.caching.internal.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A segment's pieces")
class SegmentTest {
  private final Segment segment = new Segment(4096, 1 << 20, false);

  @Test
  @DisplayName("are blocks that ended, the latest first, and linked to nothing any more")
  void endedBlocksComeBack() {
    Block first = segment.newPiece();
    Block second = segment.newPiece();
    assertNotSame(first, second);
    first.next = segment.first;
    first.previous = segment.first;
    segment.end(first);
    segment.end(second);
    assertSame(second, segment.newPiece());
    assertSame(first, segment.newPiece());
    assertNull(first.next);
    assertNull(first.previous);
    assertNotSame(first, segment.newPiece());
  }

  @Test
  @DisplayName("keep a few of those at most")
  void fewAreKept() {
    Set<Block> ended = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      ended.add(new Block(segment, 4096, 512));
    }
    ended.forEach(segment::end);
    int kept = 0;
    while (ended.contains(segment.newPiece())) {
      kept++;
    }
    assertEquals(16, kept);
  }
}
