package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.LeakDetection;
import org.vramkit.pool.caching.LeakReport;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.support.UserClock;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;

@DisplayName("An exception inside of a caching allocator's call")
class FailingClockTest {
  private static final long UNIT = ByteSize.MIB;

  @ParameterizedTest
  @EnumSource(
      value = VirtualMemoryUse.class,
      names = {"ON", "OFF"})
  @DisplayName(
      "42.23 of the user's clock lets the time stand still and is logged, and loses nothing")
  void clock(VirtualMemoryUse use) {
    Logger logger = Logger.getLogger(UserClock.class.getName());
    CountingHandler handler = new CountingHandler(null);
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    try {
      long readings = new ClockedProgram(use, Long.MAX_VALUE, null).run();
      assertTrue(readings > 50, "readings: " + readings);
      assertEquals(0, handler.entries);
      for (long failing = 1; failing <= readings; failing++) {
        for (Throwable thrown :
            List.of(new AssertionError("planned"), new IllegalStateException("planned"))) {
          new ClockedProgram(use, failing, thrown).run();
        }
        assertEquals(2 * failing, handler.entries);
      }
    } finally {
      logger.setUseParentHandlers(true);
      logger.removeHandler(handler);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("42.23 of the user's clock and of the log that is told of it loses nothing")
  void clockAndLog(boolean isError) {
    Logger logger = Logger.getLogger(UserClock.class.getName());
    Throwable thrown = isError ? new AssertionError("planned") : new IllegalStateException("log");
    CountingHandler handler = new CountingHandler(thrown);
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    try {
      long readings = new ClockedProgram(VirtualMemoryUse.ON, Long.MAX_VALUE, null).run();
      for (long failing = 1; failing <= readings; failing++) {
        new ClockedProgram(VirtualMemoryUse.ON, failing, new IllegalStateException("clock")).run();
      }
      assertEquals(readings, handler.entries);
    } finally {
      logger.setUseParentHandlers(true);
      logger.removeHandler(handler);
    }
  }

  /** A program whose clock throws at one of its readings. */
  private static final class ClockedProgram {
    private final VirtualMemoryUse use;
    private final long failing;
    private final @Nullable Throwable thrown;
    private long readings;

    ClockedProgram(VirtualMemoryUse use, long failing, @Nullable Throwable thrown) {
      this.use = use;
      this.failing = failing;
      this.thrown = thrown;
    }

    private long read() {
      // The first reading is that of the builder, which throws it.
      if (readings++ == failing) {
        if (thrown instanceof Error planned) {
          throw planned;
        }
        throw (RuntimeException) Objects.requireNonNull(thrown);
      }
      return readings * 1_000_000;
    }

    long run() {
      try (PoolScene scene = new PoolScene(AllocatorKind.NATIVE)) {
        CachingAllocator allocator =
            CachingAllocator.builder(scene.device)
                .virtualMemory(use)
                .clock(this::read)
                .decay(Duration.ofMillis(20))
                .leakDetection(LeakDetection.ALL)
                .history(64 * ByteSize.KIB)
                .build();
        List<Allocation> held = new ArrayList<>();
        for (int round = 1; round <= 3; round++) {
          for (int i = 1; i <= 4; i++) {
            Allocation made = allocator.allocate(UNIT * round * i, i < 3 ? scene.s1 : scene.s2);
            scene.work(i < 3 ? scene.s1 : scene.s2, made.getAddress(), made.getSize());
            made.recordUse(i < 3 ? scene.s2 : scene.s1);
            held.add(made);
          }
          held.forEach(Allocation::close);
          held.clear();
          allocator.decay();
        }
        scene.device.synchronize();
        allocator.trim(0);
        assertTrue(allocator.getHistory().getCount() > 0);
        AllocatorStatistics end = allocator.getStatistics();
        assertEquals(0, end.allocated().current() + end.reserved().current(), "at " + failing);
        allocator.close();
        return readings - 1;
      }
    }
  }

  @Test
  @DisplayName(
      "42.23 of the user's log that receives a leak is thrown as it is, and breaks nothing")
  void log() throws Exception {
    AssertionError error = new AssertionError("planned");
    Logger logger = Logger.getLogger(LeakReport.class.getName());
    CountingHandler handler = new CountingHandler(error);
    logger.addHandler(handler);
    try (SimBackend gpu = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimStream stream = gpu.getDevice(0).createStream();
      CachingAllocator allocator =
          CachingAllocator.builder(gpu.getDevice(0)).leakDetection(LeakDetection.ALL).build();
      drop(allocator, stream);
      AssertionError thrown = null;
      for (int i = 0; i < 100 && thrown == null; i++) {
        System.gc();
        // The collector's own thread puts what it found into the queue a moment later.
        Thread.sleep(10);
        thrown = thrownBy(allocator, stream);
      }
      assertSame(error, thrown);
      assertNull(thrownBy(allocator, stream));
      assertEquals(UNIT, allocator.getStatistics().getLiveBytes());
    } finally {
      logger.removeHandler(handler);
    }
  }

  private static void drop(CachingAllocator allocator, SimStream stream) {
    assertEquals(UNIT, allocator.allocate(UNIT, stream).getSize());
  }

  private static @Nullable AssertionError thrownBy(CachingAllocator allocator, SimStream stream) {
    try {
      allocator.allocate(UNIT, stream).close();
      return null;
    } catch (AssertionError e) {
      return e;
    }
  }

  /** Counts entries of a log, and throws for each. */
  private static final class CountingHandler extends Handler {
    private final @Nullable Throwable error;
    int entries;

    CountingHandler(@Nullable Throwable error) {
      this.error = error;
    }

    @Override
    public void publish(LogRecord entry) {
      entries++;
      if (error instanceof Error thrown) {
        throw thrown;
      }
      if (error instanceof RuntimeException thrown) {
        throw thrown;
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
