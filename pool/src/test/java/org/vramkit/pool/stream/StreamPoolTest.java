package org.vramkit.pool.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.testkit.sim.SimulatedGpu;

@SimulatedGpu(devices = 2)
@DisplayName("17.26 A pool of streams")
class StreamPoolTest {

  private static StreamPool of(int size, SimDevice device) {
    return StreamPool.builder(device).size(size).build();
  }

  private static List<Stream> take(int count, StreamPool pool) {
    return IntStream.range(0, count).mapToObj(each -> pool.next()).toList();
  }

  private static void fail(SimDevice device, String call, int nth) {
    device
        .getBackend()
        .getFaults()
        .inject(FaultPlan.NONE.fail(CallSelector.of(call).withNth(nth), Fault.UNKNOWN));
  }

  @Test
  @DisplayName("hands out each of its streams in turn, and then the same again")
  void takesTurns(SimDevice device) {
    try (StreamPool pool = of(5, device)) {
      List<Stream> first = take(5, pool);
      assertEquals(5, Set.copyOf(first).size());
      assertEquals(first, take(5, pool));
      assertEquals(first.subList(0, 2), take(2, pool));
    }
  }

  @Test
  @DisplayName("has 32 streams that are not ordered with the default stream, by default")
  void defaults(SimDevice device) {
    try (StreamPool pool = StreamPool.create(device);
        StreamPool blocking =
            StreamPool.builder(device).size(1).kind(StreamKind.BLOCKING).build()) {
      assertEquals(32, pool.getSize());
      assertSame(device, pool.getDevice());
      assertEquals("pool of 32 streams of device 0", pool.toString());
      assertSame(StreamKind.NON_BLOCKING, ((SimStream) pool.next()).getKind());
      assertSame(StreamKind.BLOCKING, ((SimStream) blocking.next()).getKind());
      assertSame(device, pool.next().getDevice());
      assertNotSame(pool.next(), pool.next());
    }
  }

  @Test
  @DisplayName("asks no driver for a stream that it hands out")
  void callsNoDriver(SimBackend backend, SimDevice device) {
    try (StreamPool pool = of(3, device)) {
      long calls = backend.getDriverCalls().getTotal();
      take(100, pool);
      assertEquals(calls, backend.getDriverCalls().getTotal());
    }
  }

  @Test
  @DisplayName("gives threads that take at once all streams equally often")
  void sharedEvenly(SimDevice device) throws Exception {
    int threads = 4;
    int takes = 5000;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try (StreamPool pool = of(5, device)) {
      CountDownLatch start = new CountDownLatch(threads);
      Callable<List<Stream>> taker =
          () -> {
            start.countDown();
            start.await();
            return take(takes, pool);
          };
      List<Future<List<Stream>>> all = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        all.add(executor.submit(taker));
      }
      Map<Stream, Integer> counts = new HashMap<>();
      for (Future<List<Stream>> each : all) {
        each.get().forEach(stream -> counts.merge(stream, 1, Integer::sum));
      }
      assertEquals(5, counts.size());
      assertEquals(Set.of(threads * takes / 5), Set.copyOf(counts.values()));
    } finally {
      executor.shutdown();
    }
  }

  @Test
  @DisplayName("closes its streams with itself, also twice, and hands out none afterwards")
  void closes(SimDevice device) {
    StreamPool pool = of(3, device);
    List<Stream> streams = take(3, pool);
    pool.close();
    pool.close();
    assertTrue(streams.stream().allMatch(Stream::isClosed));
    ClosedException error = assertThrows(ClosedException.class, pool::next);
    assertEquals(
        "the pool of 3 streams of device 0 is closed: it provides no more streams; make a new one",
        error.getMessage());
  }

  @RepeatedTest(20)
  @DisplayName(
      "that is closed while others take leaves no stream open, and refuses what comes later")
  void closesAgainstTakers(SimDevice device) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(2);
    try {
      StreamPool pool = of(4, device);
      CountDownLatch start = new CountDownLatch(1);
      Callable<List<Stream>> taker =
          () -> {
            List<Stream> taken = new ArrayList<>();
            start.countDown();
            try {
              while (true) {
                taken.add(pool.next());
              }
            } catch (ClosedException e) {
              assertTrue(String.valueOf(e.getMessage()).startsWith("the " + pool + " is closed: "));
              return taken;
            }
          };
      Future<List<Stream>> one = executor.submit(taker);
      Future<List<Stream>> other = executor.submit(taker);
      start.await();
      pool.close();
      for (Future<List<Stream>> each : List.of(one, other)) {
        assertTrue(each.get().stream().allMatch(Stream::isClosed));
      }
    } finally {
      executor.shutdown();
    }
  }

  @Test
  @DisplayName("reports a stream that a caller has closed when its turn comes")
  void closedByOthers(SimDevice device) {
    try (StreamPool pool = of(2, device)) {
      pool.next();
      pool.next().close();
      pool.next();
      ClosedException error = assertThrows(ClosedException.class, pool::next);
      assertEquals(
          "stream 1 of the pool of 2 streams of device 0 is closed: a caller has closed it,"
              + " although callers share it; let only the pool close it",
          error.getMessage());
      assertTrue(!pool.next().isClosed());
    }
  }

  @Test
  @DisplayName("that cannot make one of its streams makes none")
  void cannotMakeAll(SimDevice device) {
    fail(device, "cuStreamCreate", 3);
    assertThrows(DriverException.class, () -> of(4, device));
  }

  @Test
  @DisplayName("that cannot close one of its streams closes the others, and says so")
  void cannotCloseOne(SimDevice device) {
    StreamPool pool = of(3, device);
    List<Stream> streams = take(3, pool);
    fail(device, "cuStreamDestroy", 1);
    assertThrows(DriverException.class, pool::close);
    assertTrue(streams.stream().allMatch(Stream::isClosed));
    assertThrows(ClosedException.class, pool::next);
  }

  @Test
  @DisplayName("of no streams, or of more than 4096, is refused with the range")
  void sizes(SimDevice device) {
    StreamPoolBuilder builder = StreamPool.builder(device);
    for (int size : new int[] {0, -1, 4097, 10_000_000}) {
      String message =
          String.valueOf(
              assertThrows(InvalidArgumentException.class, () -> builder.size(size)).getMessage());
      assertTrue(message.contains("1 to 4096 streams, not " + size + ";"), message);
    }
    builder.size(4096);
  }
}
