package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.awaitQuietly;
import static org.vramkit.partition.scatter.Gpus.backend;
import static org.vramkit.partition.scatter.GuidedFaults.HandClock;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.SimBackend;

@DisplayName("Guided scatter with chunks that do not end in time")
@SuppressWarnings("try") // scatters are closed early, so that leaks show
class GuidedHangTest {
  private static final int UNITS = 1000;

  @Test
  @DisplayName("22 a task that does not end in time is named; it closes its stream when it does")
  void taskThatHangsIsNamed() {
    CountDownLatch both = new CountDownLatch(2);
    CountDownLatch release = new CountDownLatch(1);
    try (SimBackend backend = backend(2)) {
      try (Scatter scatter =
          Scatter.builder(DevicePool.of(backend)).drainDeadline(Duration.ofMillis(500)).build()) {
        ScatterException e =
            assertThrows(
                ScatterException.class,
                () ->
                    scatter.run(
                        2,
                        Schedule.guided(),
                        tile -> {
                          tile.getStream();
                          both.countDown();
                          awaitQuietly(both);
                          if (tile.getIndex() == 1) {
                            throw new Exception("checked");
                          }
                          awaitQuietly(release);
                        }));
        Throwable cause = Objects.requireNonNull(e.getCause());
        assertEquals("checked", cause.getMessage());
        assertTrue(cause.getSuppressed()[0].toString().contains("did not end within"));
        release.countDown();
        while (!backend.getLeaks().isEmpty()) {
          Thread.onSpinWait();
        }
      }
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("22 an overdue chunk of a repeatable task is done elsewhere, once, and named")
  void overdueChunkIsDoneElsewhere() {
    CountDownLatch release = new CountDownLatch(1);
    HandClock clock = new HandClock();
    AtomicLong told = new AtomicLong();
    try (SimBackend backend = backend(2);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend))
                .clock(clock)
                .listener((range, finished, all) -> told.set(finished))
                .build()) {
      Units units = new Units(UNITS);
      AtomicInteger hung = new AtomicInteger();
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided().withDeadline(Duration.ofSeconds(1)),
              TileTask.repeatable(
                  tile -> {
                    if (tile.getTile().ordinal() == 1 && hung.incrementAndGet() == 3) {
                      while (told.get() < UNITS - tile.getTile().getUnits()) {
                        // No other chunk may become overdue.
                        Thread.onSpinWait();
                      }
                      clock.now.addAndGet(Duration.ofSeconds(2).toNanos());
                      awaitQuietly(release);
                      return;
                    }
                    while (tile.getTile().ordinal() == 0 && hung.get() < 3) {
                      // The other device must have its chunk.
                      Thread.onSpinWait();
                    }
                    units.add(tile.getTile());
                  }));
      units.assertEachOnce("overdue");
      Units.assertCovered(report.tiles(), UNITS);
      assertEquals(1, report.getOverdue().size());
      assertEquals(1, report.getOverdue().get(0).ordinal());
      release.countDown();
      scatter.close();
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("22 an overdue chunk that must not be done twice is waited for")
  void overdueChunkIsWaitedFor() {
    HandClock clock = new HandClock();
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.builder(DevicePool.of(backend)).clock(clock).build()) {
      Units units = new Units(UNITS);
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided().withDeadline(Duration.ofSeconds(1)),
              tile -> {
                clock.now.addAndGet(Duration.ofSeconds(2).toNanos());
                units.add(tile.getTile());
              });
      units.assertEachOnce("overdue");
      assertEquals(List.of(), report.getOverdue());
    }
    assertThrows(
        InvalidArgumentException.class, () -> Schedule.guided().withDeadline(Duration.ZERO));
  }

  @Test
  @DisplayName("a chunk waiting behind another scatter's thread is run by a free device")
  void chunkOfBusyThreadIsTakenOver() throws InterruptedException {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Thread other =
          new Thread(
              () ->
                  scatter.run(
                      1,
                      Schedule.recorded(List.of(new Tile(0, 0, 1))),
                      tile -> {
                        busy.countDown();
                        awaitQuietly(release);
                      }));
      other.start();
      busy.await();
      Units units = new Units(UNITS);
      ScatterReport report =
          scatter.run(UNITS, Schedule.guided(), tile -> units.add(tile.getTile()));
      units.assertEachOnce("taken over");
      assertTrue(report.tiles().stream().allMatch(tile -> tile.ordinal() == 1), "" + report);
      release.countDown();
      other.join();
    }
  }
}
