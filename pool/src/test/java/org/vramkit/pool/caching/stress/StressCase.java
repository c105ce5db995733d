package org.vramkit.pool.caching.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.vramkit.pool.caching.ThreadKind;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.hazard.CheckerOptions;

/**
 * One simulated device without checker, and threads of one kind on it that have to come to an end.
 */
final class StressCase implements AutoCloseable {
  /** Of a round; one that hangs has not moved for much longer than any machine stands still. */
  private static final Duration PATIENCE = Duration.ofHours(1);

  final SimBackend backend =
      SimBackend.builder()
          .device(DeviceProfile.SMALL_8GIB)
          .bytes(false)
          .checker(CheckerOptions.OFF)
          .build();
  final SimDevice device = backend.getDevice(0);
  private final long usedBefore = device.getMemoryInfo().getUsedBytes();
  private final ExecutorService executor;

  StressCase(ThreadKind kind) {
    executor = kind.newExecutor();
  }

  /** Both kinds of memory, with both kinds of threads. */
  static Stream<Arguments> all() {
    return Stream.of(VirtualMemoryUse.ON, VirtualMemoryUse.OFF)
        .flatMap(use -> Stream.of(ThreadKind.values()).map(threads -> Arguments.of(use, threads)));
  }

  /** How long each case goes on: {@code -Dvramkit.stress.seconds}, 1 unless set. */
  static long endNanos() {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.getLong("vramkit.stress.seconds", 1));
  }

  /** Runs all at once, and waits for them. Where one hangs, it says where all threads are. */
  void run(List<? extends Callable<?>> tasks) throws Exception {
    List<Future<?>> running = new ArrayList<>();
    for (Callable<?> each : tasks) {
      running.add(executor.submit(each));
    }
    try {
      for (Future<?> each : running) {
        each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
    } catch (TimeoutException hang) {
      AssertionError failure = new AssertionError("hangs", hang);
      for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
        Throwable place = new Throwable(each.getKey().toString());
        place.setStackTrace(each.getValue());
        failure.addSuppressed(place);
      }
      throw failure;
    }
  }

  /** Whatever was taken from the driver went back. */
  void assertNothingTaken(String where) {
    assertEquals(usedBefore, device.getMemoryInfo().getUsedBytes(), where);
  }

  @Override
  public void close() {
    executor.shutdownNow();
    backend.close();
    assertEquals(List.of(), backend.getLeaks(), "leaks");
  }
}
