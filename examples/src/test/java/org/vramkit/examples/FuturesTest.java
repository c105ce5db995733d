package org.vramkit.examples;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.testkit.sim.EverySchedule;
import org.vramkit.testkit.sim.ExpectHazard;
import org.vramkit.testkit.sim.SimulatedGpu;
import org.vramkit.testkit.sim.SimulatedTest;

/**
 * Threads of an executor that share an allocator: correct, and with one line missing. Where they
 * take turns every order of the work is tried; where they run side by side some are drawn.
 */
@SimulatedGpu(profile = "SMALL_8GIB")
@DisplayName("Tasks and futures on one caching allocator")
class FuturesTest {
  private static final int BYTES = 4096;

  private final ExecutorService threads = Executors.newFixedThreadPool(2);

  @AfterEach
  void end() {
    threads.shutdown();
  }

  private static Allocation produced(CachingAllocator allocator, SimStream stream) {
    Allocation block = allocator.allocate(BYTES, stream);
    stream.launch(SimKernel.named("produce").writes(block.getAddress(), BYTES).build());
    return block;
  }

  private static void consume(Allocation block, SimStream stream) {
    stream.launch(SimKernel.named("consume").reads(block.getAddress(), BYTES).build());
  }

  private static void order(SimStream earlier, SimStream later) {
    try (SimEvent done = earlier.getDevice().createEvent()) {
      done.record(earlier);
      later.waitFor(done);
    }
  }

  @EverySchedule
  @DisplayName("give no report when one task produces and the next consumes in order")
  void handsOn(SimDevice device, SimStream loading, SimStream training) {
    try (CachingAllocator allocator = CachingAllocator.create(device)) {
      CompletableFuture.supplyAsync(() -> produced(allocator, loading), threads)
          .thenAcceptAsync(
              block -> {
                order(loading, training);
                consume(block, training);
                block.recordUse(training);
                block.close();
              },
              threads)
          .join();
    }
  }

  @SimulatedTest(
      seeds = 10,
      schedules = {"timed", "lazy", "reverse", "random", "starving"})
  @DisplayName("give no report when tasks side by side wait for their work and others use it")
  void waitSideBySide(SimDevice device, SimStream a, SimStream b)
      throws ExecutionException, InterruptedException {
    try (CachingAllocator allocator = CachingAllocator.create(device)) {
      Future<Allocation> first = threads.submit(() -> waitedFor(allocator, a));
      Future<Allocation> second = threads.submit(() -> waitedFor(allocator, b));
      try (Allocation mine = first.get();
          Allocation other = second.get()) {
        consume(mine, b);
        mine.recordUse(b);
        consume(other, a);
        other.recordUse(a);
      }
    }
  }

  private static Allocation waitedFor(CachingAllocator allocator, SimStream stream) {
    Allocation block = produced(allocator, stream);
    stream.synchronize();
    return block;
  }

  @EverySchedule
  @ExpectHazard(HazardCode.USE_BEFORE_ALLOC)
  @DisplayName("report a consumer that waits for the future, but not for the stream")
  void forgottenOrder(SimDevice device, SimStream loading, SimStream training) {
    try (CachingAllocator allocator = CachingAllocator.create(device);
        Allocation block =
            CompletableFuture.supplyAsync(() -> produced(allocator, loading), threads).join()) {
      consume(block, training);
      block.recordUse(training);
    }
  }

  @EverySchedule
  @ExpectHazard(HazardCode.RACE_RAW)
  @DisplayName("report an event that was recorded before the task had submitted its work")
  void earlyEvent(SimDevice device, SimStream loading, SimStream training) {
    try (CachingAllocator allocator = CachingAllocator.create(device);
        Allocation block = allocator.allocate(BYTES, loading)) {
      order(loading, training);
      CompletableFuture.runAsync(
              () ->
                  loading.launch(
                      SimKernel.named("produce").writes(block.getAddress(), BYTES).build()),
              threads)
          .join();
      consume(block, training);
      block.recordUse(training);
    }
  }

  @EverySchedule
  @ExpectHazard(HazardCode.EARLY_REUSE)
  @DisplayName("report a use that was not recorded before another task closed the block")
  void forgottenUse(SimDevice device, SimStream loading, SimStream training) {
    try (CachingAllocator allocator = CachingAllocator.create(device)) {
      Allocation block = produced(allocator, loading);
      order(loading, training);
      consume(block, training);
      CompletableFuture.runAsync(block::close, threads).join();
      produced(allocator, loading).close();
    }
  }
}
