package org.vramkit.pool.caching.internal.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.EveryOrder;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.pool.caching.HistoryEvent.Action;

/**
 * Two writers that one thread after the other uses. Lincheck makes instances of it, so it is
 * public.
 */
@DisplayName("In every order of two threads a history that is read while it is written")
@Tag("own-schedules")
public class HistoryRingLincheckTest {
  private static final long ADDRESS = 512;

  private final AtomicLong clock = new AtomicLong();
  private final HistoryRing ring = new HistoryRing(64 << 10, false, clock::incrementAndGet);
  private final HistoryWriter first = new HistoryWriter(ring, 0);
  private final HistoryWriter second = new HistoryWriter(ring, 0);

  private final AtomicLong grown = new AtomicLong();

  /** Numbers what is written. */
  private long pairs;

  /** A fresh one for each order; its writers have begun. */
  public HistoryRingLincheckTest() {
    passes();
  }

  /** A block is allocated by way of one writer and closed by way of the other one. */
  @Operation
  public void passes() {
    synchronized (clock) {
      pairs++;
      first.happened(Action.ALLOCATE, ADDRESS, pairs, 0, "");
      second.freed(ADDRESS, pairs, 0, "");
    }
  }

  /** A writer beside the others, whose event nothing depends on. */
  @Operation
  public void grows() {
    second.mapped(ADDRESS, 1, /* moved= */ false);
    grown.incrementAndGet();
  }

  /** Of all that is told, what made it possible is told before it. */
  @Operation
  public void reads() {
    AllocatorHistory history = ring.read();
    long count = 0;
    long passed = 0;
    Action before = Action.FREE_COMPLETED;
    for (HistoryEvent each : history) {
      count++;
      if (each.action() == Action.GROW) {
        continue;
      }
      passed += each.action() == Action.ALLOCATE ? 1 : 0;
      assertEquals(passed, each.size(), "a pair is missing");
      assertEquals(next(before), each.action());
      before = each.action();
    }
    assertEquals(history.getCount(), count);
    assertEquals(0, history.getLost());
  }

  private static Action next(Action before) {
    return switch (before) {
      case ALLOCATE -> Action.FREE_REQUESTED;
      case FREE_REQUESTED -> Action.FREE_COMPLETED;
      default -> Action.ALLOCATE;
    };
  }

  @Validate
  public void tellsAll() {
    reads();
    assertEquals(3 * pairs + grown.get(), ring.read().getCount());
    assertTrue(pairs > 0);
  }

  @Test
  @DisplayName("tells nothing before what made it possible, and all of it in the end")
  void inOrder() {
    EveryOrder.checkAssertions(HistoryRingLincheckTest.class, EveryOrder.ORDERS, HistoryView.class);
  }
}
