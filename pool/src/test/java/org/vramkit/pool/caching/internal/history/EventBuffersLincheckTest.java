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

/** More writers than there is room for. Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of two threads chunks that writers take from each other")
@Tag("own-schedules")
public class EventBuffersLincheckTest {
  private static final int WRITERS = 3;

  /** For two of the smallest chunks. */
  private static final int ROOM = 1 << 10;

  private final AtomicLong clock = new AtomicLong();
  private final HistoryRing ring = new HistoryRing(ROOM, false, clock::incrementAndGet, false);
  private final HistoryWriter[] writers = new HistoryWriter[WRITERS];

  /** Events of each writer, guarded by it. */
  private final int[] written = new int[WRITERS];

  /** A fresh one for each order; two writers have begun, and the third one has no room. */
  public EventBuffersLincheckTest() {
    for (int i = 0; i < WRITERS; i++) {
      writers[i] = ring.newWriter();
    }
    write(0);
    write(1);
  }

  private void write(int writer) {
    synchronized (writers[writer]) {
      written[writer]++;
      writers[writer].happened(Action.ALLOCATE, 512, written[writer], writer, "");
    }
  }

  @Operation
  public void writesTwo() {
    write(0);
    write(1);
  }

  @Operation
  public void writesThird() {
    write(2);
    write(2);
  }

  /** Of each writer no event is missing between those that are told. */
  @Operation
  public long[] reads() {
    long[] latest = new long[WRITERS];
    long count = 0;
    AllocatorHistory history = ring.read();
    for (HistoryEvent each : history) {
      int writer = (int) each.stream();
      assertTrue(latest[writer] == 0 || latest[writer] + 1 == each.size(), "a gap");
      latest[writer] = each.size();
      count++;
    }
    assertEquals(history.getCount(), count);
    assertTrue(ring.bytes() <= ROOM, "more than there is room for");
    return latest;
  }

  /** What is not told is counted, and of those that are told the latest is there. */
  @Validate
  public void addsUp() {
    AllocatorHistory history = ring.read();
    assertEquals(written[0] + written[1] + written[2], history.getCount() + history.getLost());
    long[] latest = reads();
    for (int i = 0; i < WRITERS; i++) {
      assertTrue(latest[i] == 0 || latest[i] == written[i], "the latest of a writer is missing");
    }
  }

  @Test
  @DisplayName("lose nothing but what is counted")
  void lostIsCounted() {
    EveryOrder.checkAssertions(
        EventBuffersLincheckTest.class, EveryOrder.ORDERS, HistoryView.class);
  }
}
