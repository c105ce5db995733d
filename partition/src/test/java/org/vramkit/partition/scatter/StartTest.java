package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.sim.SimBackend;

@DisplayName("S5: tiles that cannot start")
class StartTest {

  /** Workers that cannot create a thread for one device once tiles of others run. */
  private static final class OutOfThreads extends Workers {
    private final int ordinal;
    private final CountDownLatch others;
    private final Error error;

    OutOfThreads(int ordinal, CountDownLatch others, Error error) {
      this.ordinal = ordinal;
      this.others = others;
      this.error = error;
    }

    @Override
    void submit(int device, int lane, Runnable work) {
      if (device == ordinal) {
        Gpus.awaitQuietly(others);
        throw error;
      }
      super.submit(device, lane, work);
    }
  }

  private static Scatter scatter(SimBackend backend, Workers workers) {
    return new Scatter(Scatter.builder(DevicePool.of(backend)).settings(), workers);
  }

  @Test
  @DisplayName(
      "21 without a thread for a tile, earlier tiles are awaited and later ones not started")
  void outOfThreads() {
    Error error = new OutOfMemoryError("unable to create native thread");
    CountDownLatch running = new CountDownLatch(2);
    try (SimBackend backend = backend(4);
        Scatter scatter = scatter(backend, new OutOfThreads(2, running, error))) {
      AtomicInteger begun = new AtomicInteger();
      AtomicInteger ended = new AtomicInteger();
      Error thrown =
          assertThrows(
              Error.class,
              () ->
                  scatter.run(
                      4,
                      (from, to) -> {
                        throw new AssertionError("covered up by the CPU");
                      },
                      tile -> {
                        begun.incrementAndGet();
                        tile.getStream();
                        running.countDown();
                        while (!tile.isCancelled()) {
                          Thread.onSpinWait();
                        }
                        ended.incrementAndGet();
                      }));
      assertSame(error, thrown);
      assertEquals(2, ended.get());
      assertEquals(2, begun.get());
      assertClean(backend);
    }
  }
}
