package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("Pieces that streams still use")
@Tag("virtual-time")
class PendingUsesTest {
  private static final long WORK_NANOS = 10_000_000;

  /** A piece that must not pass before a virtual time. */
  private record Piece(int number, long bytes, long notBefore) {
    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return number;
    }
  }

  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimDevice device = backend.getDevice(0);
  private final List<SimStream> streams = new ArrayList<>();
  private final List<Piece> passed = new ArrayList<>();
  private final StreamClocks clocks = new StreamClocks(device);
  private final PendingUses<Piece> pending =
      new PendingUses<>(new PoolLock(new PoolHealth("a pool")), Piece::bytes, this::pass);

  /** When the work that each stream has been given ends. */
  private final Map<Stream, Long> ends = new HashMap<>();

  private int made;
  private boolean lost;

  private void pass(Piece piece) {
    assertTrue(lost || backend.getTimeNanos() >= piece.notBefore, "too early: " + piece);
    passed.add(piece);
  }

  @AfterEach
  void endWithNothingLeft() {
    backend.getFaults().clear();
    if (!lost) {
      device.synchronize();
      pending.pollAll();
    }
    assertTrue(pending.isEmpty());
    assertEquals(0, pending.bytes());
    assertEquals(made, passed.size(), "each has passed once");
    if (!lost) {
      clocks.close();
    }
    streams.forEach(SimStream::close);
    assertEquals(List.of(), backend.getLeaks());
    assertEquals(List.of(), backend.getHazards());
    assertEquals(List.of(), backend.getWarnings());
    backend.close();
  }

  private SimStream busyStream() {
    return busyStream(1);
  }

  private SimStream busyStream(int times) {
    SimStream stream = device.createStream();
    streams.add(stream);
    work(stream, times);
    return stream;
  }

  private void work(SimStream stream, int times) {
    stream.launch(SimKernel.named("work").taking(times * WORK_NANOS).build());
    long begin = Math.max(backend.getTimeNanos(), ends.getOrDefault(stream, 0L));
    ends.put(stream, begin + times * WORK_NANOS);
  }

  private Piece add(Stream... users) {
    return add(100, users);
  }

  private Piece add(long bytes, Stream... users) {
    long end = 0;
    for (Stream each : users) {
      end = Math.max(end, ends.getOrDefault(each, 0L));
    }
    Piece piece = new Piece(++made, bytes, end);
    List<StreamPoint> points = clocks.now(List.of(users));
    pending.add(piece, points);
    pending.mark(points);
    return piece;
  }

  private long calls(String function) {
    return backend.getDriverCalls().getCount(function);
  }

  @Test
  @DisplayName("have passed at once where no stream uses them")
  void unused() {
    Piece piece = add();
    assertEquals(List.of(piece), passed);
  }

  @Test
  @DisplayName("17.7 of one stream cost one event, and one question as long as it is behind")
  void oneStream() {
    SimStream stream = busyStream();
    for (int i = 0; i < 1000; i++) {
      add(stream);
    }
    pending.poll();
    assertEquals(1, calls("cuEventRecord"));
    assertEquals(1, calls("cuEventQuery"));
    stream.synchronize();
    pending.poll();
    assertEquals(1000, passed.size());
    assertEquals(2, calls("cuEventQuery"));
    assertEquals(1, calls("cuStreamQuery"));
    pending.poll();
    assertEquals(2, calls("cuEventQuery"));
  }

  @Test
  @DisplayName("wait for no work that is submitted after the mark at the first of them")
  void firstIsMarked() {
    SimStream stream = busyStream();
    Piece first = add(stream);
    work(stream, 100);
    Piece second = add(stream);
    backend.advance(2 * WORK_NANOS);
    pending.poll();
    assertEquals(List.of(first), passed);
    assertTrue(pending.awaitCheapest(Long.MAX_VALUE));
    assertEquals(List.of(first, second), passed);
  }

  @Test
  @DisplayName("41.3 that a poll is to know soon wait for no work after it, and cost it one event")
  void soon() {
    SimStream stream = busyStream();
    Piece first = add(stream);
    work(stream, 100);
    List<Piece> others = List.of(add(stream), add(stream), add(stream));
    pending.pollSoon();
    pending.pollSoon();
    assertEquals(2, calls("cuEventRecord"), "behind the first, and behind the others");
    work(stream, 1000);
    backend.advance(102 * WORK_NANOS);
    pending.pollSoon();
    assertEquals(4, passed.size());
    assertEquals(first, passed.get(0));
    assertTrue(passed.containsAll(others));
  }

  @Test
  @DisplayName("A32 of a stream that is behind hold back none of another")
  void apart() {
    SimStream slow = busyStream(9);
    SimStream fast = busyStream();
    Piece first = add(slow);
    Piece second = add(fast);
    Piece both = add(slow, fast);
    fast.synchronize();
    pending.poll();
    assertEquals(List.of(second), passed);
    slow.synchronize();
    pending.poll();
    assertEquals(List.of(second, first, both), passed);
  }

  @Test
  @DisplayName("17.7 ask few of many streams at a time, and the others the next time")
  void fewAtATime() {
    for (int i = 0; i < 100; i++) {
      add(busyStream(i == 50 ? 1 : 9));
    }
    pending.poll();
    assertEquals(16, calls("cuEventQuery"));
    streams.get(50).synchronize();
    for (int i = 0; i < 6; i++) {
      pending.poll();
    }
    assertEquals(51, passed.get(0).number);
  }

  @Test
  @DisplayName("are waited for: the smallest that is large enough, else the oldest")
  void cheapest() {
    SimStream[] busy = {busyStream(), busyStream(), busyStream()};
    Piece first = add(100, busy[0]);
    Piece large = add(900, busy[1]);
    Piece enough = add(500, busy[2]);
    backend.getFaults().failNext("cuEventSynchronize", Fault.UNKNOWN);
    assertThrows(DriverException.class, () -> pending.awaitCheapest(400));
    assertEquals(List.of(), passed);
    for (long wanted : new long[] {400, 1000, 1000}) {
      assertTrue(pending.awaitCheapest(wanted));
    }
    assertEquals(List.of(enough, first, large), passed);
    assertFalse(pending.awaitCheapest(1));
  }

  @Test
  @DisplayName("17.3 stay where they are when a question fails")
  void failedQuestion() {
    SimStream stream = busyStream();
    add(stream);
    add(stream);
    stream.synchronize();
    backend.getFaults().failNext("cuEventQuery", Fault.UNKNOWN);
    assertThrows(DriverException.class, pending::poll);
    assertEquals(200, pending.bytes());
    pending.poll();
    assertEquals(2, passed.size());
  }

  @Test
  @DisplayName("17.3 pass as well where no event could be recorded at first")
  void markedLater() {
    SimStream one = busyStream();
    SimStream other = busyStream(2);
    backend.getFaults().failNth("cuEventRecord", 2, Fault.UNKNOWN);
    add(one, other);
    one.synchronize();
    pending.poll();
    assertEquals(List.of(), passed, "the other still works");
    other.synchronize();
    pending.poll();
    assertEquals(1, passed.size());
  }

  @Test
  @DisplayName("R7 of a stream that is closed wait for its device, unless a mark is behind them")
  void closedStream() {
    SimStream marked = busyStream();
    Piece first = add(marked);
    marked.close();
    pending.poll();
    assertEquals(List.of(), passed);
    backend.advance(2 * WORK_NANOS);
    pending.poll();
    assertEquals(List.of(first), passed);
    SimStream unmarked = busyStream();
    unmarked.close();
    Piece second = add(unmarked);
    pending.pollOpen();
    assertEquals(List.of(first), passed, "no question waits");
    pending.poll();
    assertEquals(List.of(first, second), passed);
  }

  @Test
  @DisplayName(
      "can be taken out with what they still wait for, and another stream comes after that")
  void takenOut() {
    SimStream done = busyStream();
    SimStream behind = busyStream(9);
    SimStream next = busyStream();
    Piece piece = add(done, behind);
    done.synchronize();
    pending.poll();
    List<StreamPoint> points = pending.remove(piece);
    assertNotNull(points);
    assertEquals(List.of(behind), points.stream().map(StreamPoint::stream).toList());
    assertNull(pending.remove(piece));
    points.forEach(each -> each.orderBefore(next));
    next.synchronize();
    assertEquals(9, backend.getTimeNanos() / WORK_NANOS);
    pending.add(piece, points);
    pending.mark(points);
    pending.poll();
    assertEquals(List.of(piece), passed);
  }

  @Test
  @SuppressWarnings("ReferenceEquality") // of this very piece
  @DisplayName("tell their bytes in all, of some, and by stream")
  void figures() {
    SimStream one = busyStream();
    SimStream other = busyStream();
    add(100, one);
    Piece both = add(50, one, other);
    assertEquals(150, pending.bytes());
    assertEquals(50, pending.bytesOf(both::equals));
    assertEquals(
        Map.of(Streams.nameOf(one), 150L, Streams.nameOf(other), 50L), pending.bytesByStream());
  }

  @Test
  @DisplayName("42.20 wait for captures and graphs where a captured stream uses them")
  void setAside() {
    Graphs graphs = device.getGraphs();
    SimStream stream = busyStream();
    graphs.beginCapture(stream);
    Piece piece = new Piece(++made, 100, 0);
    pending.setAside(piece, List.of(stream));
    Piece waiting = add(stream);
    pending.pollAll();
    assertFalse(pending.awaitCheapest(1), "no capture is waited for");
    try (var graph = graphs.endCapture(stream)) {
      device.synchronize();
      pending.poll();
      assertFalse(graph.isClosed());
      assertEquals(List.of(waiting), passed);
    }
    pending.poll();
    assertEquals(List.of(waiting, piece), passed);
  }

  @Test
  @DisplayName("17.6 have passed where the device is lost: nothing runs on it any more")
  void lostDevice() {
    add(busyStream());
    add(busyStream());
    lost = true;
    backend.getFaults().failNext("cuEventQuery", Fault.FATAL);
    assertThrows(FatalDeviceException.class, pending::poll);
    assertEquals(2, passed.size());
    backend.getFaults().clear();
    clocks.close();
  }

  @Test
  @DisplayName("pass once all their streams have, and not before, in 300 random programs")
  void randomPrograms() {
    for (long seed = 1; seed <= 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      SimStream[] some = {busyStream(), busyStream(), busyStream()};
      for (int step = 0; step < 40; step++) {
        SimStream stream = some[random.nextInt(3)];
        SimStream other = some[random.nextInt(3)];
        switch (random.nextInt(6)) {
          case 0 -> work(stream, random.nextInt(1, 4));
          case 1 -> add(stream);
          case 2 -> {
            if (stream != other) {
              add(stream, other);
            }
          }
          case 3 -> pending.poll();
          case 4 -> backend.advance(random.nextLong(2 * WORK_NANOS));
          default -> pending.awaitCheapest(random.nextLong(200));
        }
      }
      device.synchronize();
      pending.pollAll();
      assertEquals(made, passed.size(), "seed " + seed);
    }
  }
}
