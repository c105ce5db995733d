package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.check.SimulatorThread;
import org.vramkit.sim.thread.WorkerThreads;

@DisplayName("20.7 Threads that are no thread of the program alone")
class SimulatorThreadsTest {
  @Test
  @DisplayName("a host function runs on a thread of the simulator, the program does not")
  void hostFunction() {
    List<Boolean> seen = new ArrayList<>();
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        SimStream stream = backend.getDevice(0).createStream()) {
      stream.callHost("look", () -> seen.add(Thread.currentThread() instanceof SimulatorThread));
      stream.synchronize();
      assertEquals(List.of(), backend.getHazards());
    }
    assertEquals(List.of(true), seen);
    assertFalse(Thread.currentThread() instanceof SimulatorThread);
  }

  @Test
  @DisplayName("a fork-join pool's thread shows by its class that it runs tasks; others do not")
  void workers() throws Exception {
    ForkJoinPool pool = new ForkJoinPool(1);
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try {
      assertTrue(isWorker(pool));
      assertFalse(isWorker(threads));
      assertFalse(WorkerThreads.include(Thread.currentThread()));
    } finally {
      pool.shutdown();
      threads.shutdown();
    }
  }

  private static boolean isWorker(ExecutorService executor) throws Exception {
    return executor.submit(() -> WorkerThreads.include(Thread.currentThread())).get();
  }
}
