package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DriverException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("Pieces that streams still use")
@Tag("virtual-time")
class InFlightTest {
  private static final long WORK_NANOS = 10_000_000;

  /** A piece of 100 bytes, in the order in which they were made. */
  private static final class Piece {
    final RecordedUses uses = new RecordedUses();
    final int number;

    Piece(int number) {
      this.number = number;
    }

    @Override
    public String toString() {
      return "piece " + number;
    }
  }

  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimDevice device = backend.getDevice(0);
  private final List<SimStream> streams = new ArrayList<>();
  private final List<Piece> settled = new ArrayList<>();
  private final PoolLock lock = new PoolLock();
  private final InFlight<Piece> inFlight =
      new InFlight<>(lock, piece -> 100, piece -> piece.uses, settled::add);
  private int made;

  @AfterEach
  void giveBack() {
    backend.getFaults().clear();
    device.synchronize();
    inFlight.settleAll();
    assertTrue(inFlight.isEmpty());
    assertEquals(0, inFlight.bytes());
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
    stream.launch(SimKernel.named("work").taking(times * WORK_NANOS).build());
    return stream;
  }

  private Piece add(Stream... users) {
    Piece piece = new Piece(++made);
    for (Stream each : users) {
      piece.uses.record(each);
    }
    piece.uses.mark();
    inFlight.add(piece);
    return piece;
  }

  private long questions() {
    return backend.getDriverCalls().getCount("cuEventQuery");
  }

  @Test
  @DisplayName("are none where nobody uses them")
  void unused() {
    Piece piece = add();
    assertEquals(List.of(piece), settled);
  }

  @Test
  @DisplayName("17.7 of one stream cost one question as long as it is behind, and one each after")
  void oneLine() {
    SimStream stream = busyStream();
    for (int i = 0; i < 1000; i++) {
      add(stream);
    }
    inFlight.settleAll();
    assertEquals(1, questions());
    stream.synchronize();
    inFlight.settleAll();
    assertEquals(1001, questions());
    assertEquals(1000, settled.size());
    inFlight.settleAll();
    assertEquals(1001, questions());
  }

  @Test
  @DisplayName("32 of a stream that is behind hold back none of another")
  void apart() {
    SimStream slow = busyStream(9);
    SimStream fast = busyStream();
    Piece first = add(slow);
    Piece second = add(fast);
    Piece both = add(slow, fast);
    fast.synchronize();
    inFlight.settleAll();
    assertEquals(List.of(second), settled);
    slow.synchronize();
    inFlight.settleAll();
    assertEquals(List.of(second, first, both), settled);
  }

  @Test
  @DisplayName("17.7 ask few of many streams at a time, and the others the next time")
  void fewAtATime() {
    for (int i = 0; i < 100; i++) {
      add(busyStream(i == 50 ? 1 : 9));
    }
    inFlight.settleUntil(() -> false);
    assertEquals(16, questions());
    streams.get(50).synchronize();
    for (int i = 0; i < 6; i++) {
      inFlight.settleUntil(() -> !settled.isEmpty());
    }
    assertEquals(51, settled.get(0).number);
  }

  @Test
  @DisplayName("end only with all users, also when some of them could be marked only later")
  void markedLater() {
    SimStream one = busyStream();
    SimStream other = busyStream(2);
    Piece piece = new Piece(1);
    piece.uses.record(one);
    piece.uses.record(other);
    backend.getFaults().failNth("cuEventRecord", 2, Fault.UNKNOWN);
    backend.getFaults().failNext("cuCtxSynchronize", Fault.UNKNOWN);
    assertThrows(DriverException.class, piece.uses::mark);
    inFlight.add(piece);
    one.synchronize();
    inFlight.settleAll();
    assertEquals(List.of(), settled, "the other still works");
    other.synchronize();
    inFlight.settleAll();
    assertEquals(List.of(piece), settled);
    assertTrue(piece.uses.isEmpty());
  }

  @Test
  @DisplayName("17.3 stay where they are when a question fails, and so do those behind them")
  void failedQuestion() {
    SimStream stream = busyStream();
    List<Piece> pieces = List.of(add(stream), add(stream), add(stream));
    stream.synchronize();
    backend.getFaults().failNth("cuEventQuery", 2, Fault.UNKNOWN);
    assertThrows(DriverException.class, inFlight::settleAll);
    assertEquals(pieces.subList(0, 1), settled);
    assertEquals(200, inFlight.bytes());
    backend.getFaults().failNext("cuEventDestroy", Fault.UNKNOWN);
    assertThrows(DriverException.class, inFlight::settleAll);
    assertEquals(pieces.subList(0, 2), settled, "what the driver does not take back is no piece");
  }

  @Test
  @DisplayName("are waited for in the order in which they came")
  void waited() {
    SimStream one = busyStream();
    SimStream other = busyStream();
    Piece first = add(other, one);
    Piece second = add(one);
    assertTrue(inFlight.awaitOldest());
    assertEquals(List.of(first), settled);
    backend.getFaults().failNext("cuEventSynchronize", Fault.UNKNOWN);
    assertThrows(DriverException.class, inFlight::awaitOldest);
    assertEquals(List.of(first), settled);
    assertTrue(inFlight.awaitOldest());
    assertEquals(List.of(first, second), settled);
    assertFalse(inFlight.awaitOldest());
  }

  @Test
  @DisplayName("can be taken out while another thread asks for them; their events end with it")
  void takenMeanwhile() throws InterruptedException {
    DriverStub driver = new DriverStub();
    CountDownLatch asking = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    Stream user = driver.newStream();
    var event = driver.device.createEvent();
    when(driver.device.createEvent()).thenReturn(event);
    when(event.isComplete())
        .thenAnswer(
            call -> {
              asking.countDown();
              assertTrue(answered.await(30, TimeUnit.SECONDS));
              return true;
            });
    Piece piece = add(user);
    Thread asker = new Thread(inFlight::settleAll);
    asker.start();
    assertTrue(asking.await(30, TimeUnit.SECONDS));
    lock.lock();
    try {
      assertTrue(inFlight.remove(piece));
    } finally {
      lock.unlock();
    }
    piece.uses.forget();
    verify(event, never()).close();
    answered.countDown();
    asker.join();
    verify(event).close();
    assertEquals(List.of(), settled);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("17.2 leave alone whom their next owner records while another thread asks for them")
  void takenAndUsedMeanwhile(Question question) {
    DriverStub driver = new DriverStub();
    Stream user = driver.newStream();
    Piece piece = new Piece(1);
    piece.uses.record(user);
    lock.perform(() -> inFlight.add(piece));
    var event = driver.device.createEvent();
    when(driver.device.createEvent())
        .thenAnswer(
            call -> {
              lock.perform(() -> inFlight.remove(piece));
              piece.uses.forget();
              // Its work is queued only after this, so a mark of now is too early.
              piece.uses.record(user);
              return event;
            });
    question.put(inFlight);
    assertFalse(piece.uses.isMarked());
    verify(event).close();
    assertEquals(List.of(), settled);
  }

  /** A call that asks the driver about users that have no mark. */
  enum Question {
    SETTLE {
      @Override
      void put(InFlight<Piece> inFlight) {
        inFlight.settleAll();
      }
    },
    AWAIT {
      @Override
      void put(InFlight<Piece> inFlight) {
        inFlight.awaitOldest();
      }
    };

    abstract void put(InFlight<Piece> inFlight);
  }
}
