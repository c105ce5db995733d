package org.vramkit.pool.caching.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.TagScope;
import org.vramkit.api.allocator.Tags;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.pool.caching.HistoryEvent.Action;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;

@DisplayName("22.2 The latest events are kept, and what was lost is counted")
class HistoryTest {
  private static final long MIB = ByteSize.MIB;

  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimStream stream = backend.getDevice(0).createStream();

  @AfterEach
  void nothingLeft() {
    stream.close();
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }

  @Test
  @DisplayName("17.26 stacks without a history are refused, and the message says what to set")
  void stacksAlone() {
    CachingAllocatorBuilder builder =
        CachingAllocator.builder(backend.getDevice(0)).historyStacks(true);
    String message =
        String.valueOf(assertThrows(InvalidArgumentException.class, builder::build).getMessage());
    assertTrue(message.contains("set history too"), message);
    CachingAllocatorBuilder named =
        CachingAllocator.builder(backend.getDevice(0)).set("history", "0,stacks");
    assertThrows(InvalidArgumentException.class, named::build);
    builder.history(MIB).build().close();
  }

  @Test
  @DisplayName("42.28 begins and ends in a running program, also for blocks and caches made before")
  void switched() {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0))) {
      allocator.stopHistory();
      assertThrows(NotSupportedException.class, allocator::getHistory);
      Allocation older = allocator.allocate(100, stream);
      allocator.allocate(200, stream).close();
      allocator.startHistory(MIB, true);
      allocator.allocate(200, stream).close();
      older.close();
      List<HistoryEvent> events = new ArrayList<>();
      allocator.getHistory().forEach(events::add);
      assertEquals(
          List.of(
              Action.ALLOCATE,
              Action.FREE_REQUESTED,
              Action.FREE_COMPLETED,
              Action.FREE_REQUESTED,
              Action.FREE_COMPLETED),
          events.stream().map(HistoryEvent::action).toList());
      assertEquals(List.of(200L, 100L), List.of(events.get(0).size(), events.get(3).size()));
      assertEquals("switched", events.get(0).stack().get(0).getMethodName());
      AllocatorHistory kept = allocator.getHistory();
      allocator.stopHistory();
      allocator.allocate(200, stream).close();
      assertEquals(5, kept.getCount());
      assertThrows(NotSupportedException.class, allocator::getHistory);
      allocator.startHistory(64 * ByteSize.KIB, false);
      assertEquals(0, allocator.getHistory().getCount());
      allocator.allocate(200, stream).close();
      assertEquals(3, allocator.getHistory().getCount());
      InvalidArgumentException tooSmall =
          assertThrows(InvalidArgumentException.class, () -> allocator.startHistory(1, false));
      assertTrue(tooSmall.toString().contains("at least 64 KiB"), tooSmall.toString());
      assertEquals(3, allocator.getHistory().getCount());
    }
  }

  @Test
  @DisplayName("42.28 that the Java heap has no room for is refused, and the earlier one stays")
  void largerThanTheHeap() {
    assumeTrue(Runtime.getRuntime().maxMemory() < 16 * ByteSize.GIB, "the heap has room for it");
    try (CachingAllocator allocator =
        CachingAllocator.builder(backend.getDevice(0)).history(MIB).build()) {
      allocator.allocate(100, stream).close();
      long kept = allocator.getHistory().getCount();
      InvalidArgumentException refusal =
          assertThrows(
              InvalidArgumentException.class,
              () -> allocator.startHistory(16 * ByteSize.GIB, false));
      assertTrue(refusal.toString().contains("a history of 16.00 GiB"), refusal.toString());
      assertEquals(kept, allocator.getHistory().getCount());
    }
  }

  @Test
  @DisplayName("an allocation, a hit and their closes, in order, with tag, stream and thread")
  void order() {
    try (CachingAllocator allocator =
        CachingAllocator.builder(backend.getDevice(0)).history(MIB).build()) {
      allocator.allocate(100, stream).close();
      try (TagScope scope = Tags.open("hit")) {
        allocator.allocate(200, stream).close();
        assertEquals("hit", scope.getTag());
      }
      AllocatorHistory history = allocator.getHistory();
      List<HistoryEvent> users = new ArrayList<>();
      history.forEach(
          each -> {
            if (each.action() != Action.GROW) {
              users.add(each);
            }
          });
      assertEquals(
          List.of(
              Action.ALLOCATE,
              Action.FREE_REQUESTED,
              Action.FREE_COMPLETED,
              Action.ALLOCATE,
              Action.FREE_REQUESTED,
              Action.FREE_COMPLETED),
          users.stream().map(HistoryEvent::action).toList());
      assertEquals(List.of(100L, 100L, 100L, 200L, 200L, 200L), sizes(users));
      assertEquals("hit", users.get(5).tag());
      assertEquals(stream.getHandle(), users.get(0).stream());
      assertEquals(Thread.currentThread().getId(), users.get(0).thread());
      assertEquals(0, history.getLost());
    }
  }

  private static List<Long> sizes(List<HistoryEvent> events) {
    return events.stream().map(HistoryEvent::size).toList();
  }

  @Test
  @DisplayName("a ring that is full keeps the latest without a gap, and counts the others")
  void full() {
    try (CachingAllocator allocator =
        CachingAllocator.builder(backend.getDevice(0)).history(64 << 10).build()) {
      int pairs = 100_000;
      for (int i = 0; i < pairs; i++) {
        allocator.allocate(1 + i % 5000, stream).close();
      }
      AllocatorHistory history = allocator.getHistory();
      List<HistoryEvent> events = new ArrayList<>();
      history.forEach(events::add);
      assertEquals(history.getCount(), events.size());
      assertTrue(events.size() > 1_000, () -> events.size() + " events");
      assertTrue(history.getLost() + history.getCount() >= 3L * pairs);
      long size = events.get(events.size() - 1).size();
      assertEquals(1 + (pairs - 1) % 5000, size);
      assertReplayable(events);
    }
  }

  /** Nothing is given out that is held; what was held before the events began may be freed. */
  static void assertReplayable(List<HistoryEvent> events) {
    Map<Long, Action> last = new TreeMap<>();
    long before = 0;
    for (HistoryEvent each : events) {
      assertTrue(each.nanos() >= before, "times fall");
      before = each.nanos();
      Action previous = last.get(each.address());
      switch (each.action()) {
        case ALLOCATE -> assertTrue(previous != Action.ALLOCATE, () -> "held already: " + each);
        case FREE_REQUESTED ->
            assertTrue(previous == null || previous == Action.ALLOCATE, () -> "not held: " + each);
        case FREE_COMPLETED ->
            assertTrue(
                previous == null || previous == Action.FREE_REQUESTED, () -> "not closed: " + each);
        default -> {
          continue;
        }
      }
      last.put(each.address(), each.action() == Action.FREE_COMPLETED ? null : each.action());
    }
  }

  @Test
  @DisplayName("threads that use and close each other's blocks write one history without a gap")
  void threads() throws Exception {
    int threads = 4;
    int pairs = 3000;
    BlockingQueue<Allocation> handedOver = new LinkedBlockingQueue<>();
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try (CachingAllocator allocator =
        CachingAllocator.builder(backend.getDevice(0)).history(16 * MIB).build()) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        running.add(
            executor.submit(
                () -> {
                  for (int j = 0; j < pairs; j++) {
                    handedOver.add(allocator.allocate(1 + j * 37 % 100_000, stream));
                    handedOver.take().close();
                  }
                  return null;
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
      List<HistoryEvent> events = new ArrayList<>();
      allocator.getHistory().forEach(events::add);
      assertEquals(0, allocator.getHistory().getLost());
      assertEquals(
          (long) threads * pairs,
          events.stream().filter(each -> each.action() == Action.ALLOCATE).count());
      assertReplayable(events);
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  @DisplayName("a block that another stream uses is free once that one has passed")
  void pending() {
    try (SimStream other = backend.getDevice(0).createStream();
        CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0)).history(MIB).build()) {
      Allocation shared = allocator.allocate(MIB, stream);
      shared.recordUse(other);
      shared.close();
      allocator.trim(0);
      List<Action> actions = new ArrayList<>();
      allocator.getHistory().forEach(each -> actions.add(each.action()));
      assertEquals(
          List.of(Action.FREE_REQUESTED, Action.FREE_COMPLETED),
          actions.stream().filter(each -> each.name().startsWith("FREE")).toList());
      assertTrue(actions.contains(Action.TRIM), actions::toString);
      assertTrue(actions.contains(Action.UNMAP), actions::toString);
    }
  }

  @Test
  @DisplayName("without the option there is no history, and the error says how to start one")
  void off() {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0))) {
      String message =
          String.valueOf(
              assertThrows(NotSupportedException.class, allocator::getHistory).getMessage());
      assertTrue(message.contains("vramkit.allocator.history"), message);
    }
  }
}
