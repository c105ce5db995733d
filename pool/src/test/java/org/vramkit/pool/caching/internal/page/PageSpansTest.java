package org.vramkit.pool.caching.internal.page;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.internal.page.PageSpans.Span;

@DisplayName("Spans of pages")
class PageSpansTest {
  @Test
  @DisplayName("gather pages that follow each other")
  void ofPages() {
    assertEquals(List.of(), PageSpans.of(new int[0]));
    assertEquals(List.of(new Span(1, 4), new Span(7, 8)), PageSpans.of(new int[] {1, 2, 3, 7}));
  }

  @Test
  @DisplayName("that touch are called for at once, whether they rise, fall or both")
  void neighbours() {
    Span low = new Span(8, 10);
    Span middle = new Span(10, 12);
    Span high = new Span(12, 14);
    Span far = new Span(20, 21);
    assertEquals(
        List.of(List.of(middle, high, low), List.of(far)),
        PageSpans.neighbours(List.of(middle, high, low, far)));
    assertEquals(new Span(8, 14), Span.over(List.of(middle, high, low)));
    assertEquals(
        List.of(List.of(low), List.of(high, middle)),
        PageSpans.neighbours(List.of(low, high, middle)));
  }

  @Test
  @DisplayName("are cut into extents, but pages that a block shares stay single")
  void cut() {
    assertEquals(
        List.of(
            new Span(4, 5), new Span(5, 8), new Span(8, 10), new Span(10, 11), new Span(20, 21)),
        PageSpans.cut(List.of(new Span(4, 11), new Span(20, 21)), 5, 10, 3));
  }
}
