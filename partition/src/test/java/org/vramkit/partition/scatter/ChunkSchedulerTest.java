package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Who works on what next, where a thread does not begin")
class DealerTest {
  private static final long UNITS = 1000;
  private static final long MILLI = 1_000_000;

  private final Member stuck = new Member(0, null, 1, 0, Long.MAX_VALUE, 2);
  private final Member idle = new Member(1, null, 1, 0, Long.MAX_VALUE, 2);
  private final Dealer dealer =
      new Dealer(List.of(stuck, idle), List.of(Piece.fresh(0, UNITS)), Schedule.guided(), UNITS);

  @Test
  @DisplayName("what it was dealt goes to one that has nothing to do, also while units are left")
  void unitsLeft() {
    List<Chunk> dealt = dealer.deal(0);
    assertEquals(List.of(stuck, idle), dealt.stream().map(each -> each.member).toList());
    Chunk waiting = dealt.get(0);
    assertNull(dealer.queuedTooLong(dealt, 2 * MILLI), "both have something to do");
    dealer.finished(dealt.get(1), MILLI);
    assertFalse(dealer.isAllDealt());
    assertNull(dealer.queuedTooLong(List.of(waiting), MILLI), "it may begin any moment");
    assertSame(waiting, dealer.queuedTooLong(List.of(waiting), MILLI + 1));
  }
}
