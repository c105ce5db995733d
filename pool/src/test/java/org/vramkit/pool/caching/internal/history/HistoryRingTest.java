package org.vramkit.pool.caching.internal.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.pool.caching.HistoryEvent.Action;

@DisplayName("22.2 The ring of events")
class HistoryRingTest {
  private static final long ROOM = 64 << 10;

  private final AtomicLong clock = new AtomicLong();
  private final HistoryRing ring = new HistoryRing(ROOM, false, clock::incrementAndGet, false);

  private List<HistoryWriter> writers(int count) {
    List<HistoryWriter> writers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      writers.add(ring.newWriter());
    }
    return writers;
  }

  /** An event whose stream names the writer, and whose size is its number there, from 1. */
  private static void write(HistoryWriter writer, int name, int number) {
    writer.happened(Action.ALLOCATE, number * 512L, number, name, "");
  }

  /** What is told of each writer is its latest events without a gap, and the rest is lost. */
  private static void assertTold(AllocatorHistory history, int[] written) {
    Map<Long, Long> next = new HashMap<>();
    long before = -1;
    long count = 0;
    for (HistoryEvent each : history) {
      assertTrue(each.nanos() > before, "times fall");
      before = each.nanos();
      count++;
      Long expected = next.put(each.stream(), each.size() + 1);
      assertTrue(expected == null || expected == each.size(), () -> "a gap before " + each);
    }
    next.forEach((writer, end) -> assertEquals(written[writer.intValue()] + 1, end));
    assertEquals(history.getCount(), count);
    long all = 0;
    for (int each : written) {
      all += each;
    }
    assertEquals(all, count + history.getLost());
  }

  @Test
  @DisplayName("stays within its bytes, however many write into it")
  void bound() {
    int count = 40;
    int[] written = new int[count];
    List<HistoryWriter> writers = writers(count);
    for (int i = 1; i <= 3000; i++) {
      for (int j = 0; j < count; j++) {
        write(writers.get(j), j, i);
        written[j] = i;
      }
    }
    AllocatorHistory history = ring.read();
    assertTrue(ring.bytes() <= ROOM, history::toString);
    assertTrue(history.getCount() > ROOM / 48 / 4, () -> "wasted: " + history);
    assertTold(history, written);
  }

  @Test
  @DisplayName("takes the room of those that write no more, and they begin again")
  void idle() {
    int count = 40;
    int[] written = new int[count];
    List<HistoryWriter> writers = writers(count);
    for (int j = 0; j < count; j++) {
      for (int i = 1; i <= 1000; i++) {
        write(writers.get(j), j, i);
        written[j] = i;
      }
    }
    AllocatorHistory others = ring.read();
    assertTrue(ring.bytes() <= ROOM, others::toString);
    assertTold(others, written);
    for (int j = 0; j < count; j++) {
      write(writers.get(j), j, ++written[j]);
    }
    AllocatorHistory all = ring.read();
    assertTold(all, written);
    List<Long> latest = new ArrayList<>();
    all.forEach(each -> latest.add(each.stream()));
    assertEquals(
        List.of(37L, 38L, 39L), latest.subList(latest.size() - 3, latest.size()), "the latest");
  }

  @Test
  @DisplayName("keeps the many events of one writer beside the few of another one")
  void slowBesideBusy() {
    List<HistoryWriter> writers = writers(2);
    int[] written = new int[2];
    for (int i = 1; i <= 100_000; i++) {
      write(writers.get(0), 0, i);
      written[0] = i;
      if (i % 10_000 == 0) {
        write(writers.get(1), 1, ++written[1]);
      }
    }
    AllocatorHistory history = ring.read();
    assertTold(history, written);
    assertTrue(history.getCount() > 600, history::toString);
  }

  @Test
  @DisplayName("tells what one thread closes after what another one allocated, at one time as well")
  void sameTime() {
    HistoryRing still = new HistoryRing(ROOM, false, () -> 5, false);
    HistoryWriter first = still.newWriter();
    HistoryWriter second = still.newWriter();
    first.happened(Action.ALLOCATE, 512, 1, 0, "");
    second.freed(512, 1, 0, "");
    List<Action> actions = new ArrayList<>();
    still.read().forEach(each -> actions.add(each.action()));
    assertEquals(List.of(Action.ALLOCATE, Action.FREE_REQUESTED, Action.FREE_COMPLETED), actions);
  }
}
