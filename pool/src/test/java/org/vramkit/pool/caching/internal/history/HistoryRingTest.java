package org.vramkit.pool.caching.internal.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.pool.caching.HistoryEvent.Action;

@DisplayName("22.2 The ring of events")
class HistoryRingTest {
  private static final int RECORDS = 1000;

  private final AtomicLong clock = new AtomicLong();
  private final HistoryRing ring = new HistoryRing(48L * RECORDS, false, clock::incrementAndGet);

  private int reached;

  /** An event whose size is its number, from 1. */
  private static void write(HistoryWriter writer, long number) {
    writer.happened(Action.ALLOCATE, number * 512, number, writer.pool(), "");
  }

  private static List<Long> sizes(AllocatorHistory history) {
    List<Long> sizes = new ArrayList<>();
    history.forEach(each -> sizes.add(each.size()));
    assertEquals(history.getCount(), sizes.size());
    return sizes;
  }

  @Test
  @DisplayName("has the latest events of all writers in order, and counts the others")
  void latest() {
    for (long number = 1; number <= 3 * RECORDS + 17; number++) {
      write(new HistoryWriter(ring, number % 40), number);
    }
    AllocatorHistory history = ring.read();
    List<Long> expected = LongStream.rangeClosed(2018, 3017).boxed().toList();
    assertEquals(expected, sizes(history));
    assertEquals(2017, history.getLost());
    history.forEach(each -> assertEquals(each.size() % 40, each.pool()));
    write(new HistoryWriter(ring, 0), 1);
    assertEquals(expected, sizes(history), "a copy");
  }

  @Test
  @DisplayName("tells what one thread closes after what another one allocated, at one time as well")
  void sameTime() {
    AtomicLong time = new AtomicLong(5);
    HistoryRing still = new HistoryRing(48L * RECORDS, false, time::get);
    new HistoryWriter(still, 0).happened(Action.ALLOCATE, 512, 1, 0, "");
    time.set(3);
    new HistoryWriter(still, 1).freed(512, 1, 0, "");
    List<Action> actions = new ArrayList<>();
    still
        .read()
        .forEach(
            each -> {
              actions.add(each.action());
              assertEquals(0, each.nanos(), "times never fall");
            });
    assertEquals(List.of(Action.ALLOCATE, Action.FREE_REQUESTED, Action.FREE_COMPLETED), actions);
  }

  private static void allocate(HistoryWriter writer, long address) {
    writer.happened(Action.ALLOCATE, address, 1, 0, "");
  }

  @Test
  @DisplayName(
      "42.1 finds the stacks of live addresses, as far as their events are not overwritten")
  void stacksOfLiveAddresses() {
    HistoryRing small = new HistoryRing(48L * 64, true, clock::incrementAndGet);
    HistoryWriter writer = new HistoryWriter(small, 0);
    allocate(writer, 512);
    for (long other = 1; other <= 60; other++) {
      allocate(writer, other << 20);
    }
    writer.freed(60 << 20, 1, 0, "");
    Set<Long> live = Set.of(512L, 1L << 20, 59L << 20, 60L << 20, 61L << 20);
    allocate(writer, 60 << 20);
    allocate(writer, 61 << 20);
    Map<Long, List<StackTraceElement>> found = small.stacksOf(live);
    assertEquals(Set.of(1L << 20, 59L << 20, 60L << 20, 61L << 20), found.keySet());
    assertNotEquals(found.get(59L << 20), found.get(61L << 20), "lines of the calls");
  }

  @Test
  @DisplayName("42.1 reads for stacks only what is new, so what was known stays known")
  void stacksAgain() {
    HistoryRing small = new HistoryRing(48L * 64, true, clock::incrementAndGet);
    HistoryWriter writer = new HistoryWriter(small, 0);
    Set<Long> live = Set.of(512L, 1024L, 1536L);
    allocate(writer, 512);
    allocate(writer, 1024);
    Map<Long, List<StackTraceElement>> first = small.stacksOf(live);
    assertEquals(Set.of(512L, 1024L), first.keySet());
    writer.freed(1024, 1, 0, "");
    for (int i = 0; i < 61; i++) {
      allocate(writer, 1536);
    }
    Map<Long, List<StackTraceElement>> second = small.stacksOf(live);
    assertEquals(Set.of(512L, 1536L), second.keySet());
    assertEquals(first.get(512L), second.get(512L));
    for (int i = 0; i < 65; i++) {
      allocate(writer, 1024);
    }
    assertEquals(Set.of(1024L), small.stacksOf(live).keySet(), "closes may be overwritten");
  }

  @Test
  @DisplayName("22.2, 42.23 is read and written after stack overflows in the middle of writes")
  void overflow() throws InterruptedException {
    HistoryRing small = new HistoryRing(48L * 64, false, clock::incrementAndGet);
    HistoryWriter writer = new HistoryWriter(small, 0);
    write(writer, 1);
    int[] overflows = {0};
    Thread overflowing =
        new Thread(
            null,
            () -> {
              for (int i = 0; i < 5000 && overflows[0] < 2; i++) {
                int depth = deepest(writer) - i % 100;
                try {
                  descend(depth, writer);
                } catch (StackOverflowError e) {
                  overflows[0]++;
                }
              }
            },
            "overflows",
            256 * 1024);
    overflowing.start();
    overflowing.join();
    assertTrue(overflows[0] > 0, "no overflow");
    for (long number = 1; number <= 70; number++) {
      write(writer, number);
    }
    List<Long> sizes = sizes(small.read());
    assertTrue(sizes.size() >= 62 && sizes.get(sizes.size() - 1) >= 68, sizes::toString);
  }

  private int deepest(HistoryWriter writer) {
    reached = 0;
    try {
      descend(Integer.MAX_VALUE, writer);
    } catch (StackOverflowError e) {
      return reached;
    }
    throw new AssertionError("the stack has no end");
  }

  private void descend(int left, HistoryWriter writer) {
    reached++;
    if (left > 0) {
      descend(left - 1, writer);
    } else {
      write(writer, 1);
    }
  }

  @Test
  @DisplayName("is read without a gap or a torn event while threads overwrite it")
  void overwritten() throws InterruptedException {
    HistoryRing small = new HistoryRing(48L * 64, false, clock::incrementAndGet);
    AtomicBoolean stopped = new AtomicBoolean();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      HistoryWriter writer = new HistoryWriter(small, i);
      Thread thread =
          new Thread(
              () -> {
                for (long number = 1; !stopped.get(); number++) {
                  write(writer, number);
                }
              });
      threads.add(thread);
      thread.start();
    }
    long events = 0;
    try {
      for (int reads = 0; reads < 500; reads++) {
        long[] last = new long[threads.size()];
        for (HistoryEvent each : small.read()) {
          int writer = (int) each.pool();
          assertEquals(each.size() * 512, each.address());
          assertEquals(writer, each.stream());
          assertTrue(last[writer] == 0 || last[writer] + 1 == each.size(), () -> "gap: " + each);
          last[writer] = each.size();
          events++;
        }
      }
    } finally {
      stopped.set(true);
      for (Thread each : threads) {
        each.join();
      }
    }
    assertTrue(events > 500, "events read: " + events);
    assertEquals(64, small.read().getCount());
  }
}
