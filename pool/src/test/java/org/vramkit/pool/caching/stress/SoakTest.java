package org.vramkit.pool.caching.stress;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.VirtualMemoryUse;

/** Runs with the profile {@code soak} alone; CONTRIBUTING.md says how. */
@DisplayName("16 threads on one caching allocator, for a given time")
@Tag("soak")
@Tag("own-schedules")
class SoakTest {
  private static final int THREADS = 16;

  @OnBothMemories
  @Timeout(value = 30, unit = TimeUnit.DAYS)
  @DisplayName("meet no hazard and no foreign contents, and books add up at every quiet moment")
  void soak(VirtualMemoryUse use) throws InterruptedException, ExecutionException {
    Duration time = Duration.ofSeconds(Long.getLong("vramkit.soak.seconds", 1800) / 2);
    long seed = Long.getLong("vramkit.soak.seed", 1);
    Soak soak = new Soak(seed, use, THREADS, time);
    try {
      soak.run();
    } catch (RuntimeException | AssertionError | ExecutionException e) {
      throw new AssertionError("seed " + seed + ", memory " + use + ", after " + soak, e);
    }
    System.out.println("memory " + use + ", seed " + seed + ": " + soak);
    assertTrue(soak.allocations.get() > 0);
  }
}
