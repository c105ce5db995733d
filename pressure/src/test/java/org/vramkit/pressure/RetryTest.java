package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.MIB;
import static org.vramkit.pressure.Scene.says;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.sim.driver.Fault;

@DisplayName("45.3 A task that is retried")
class RetryTest {
  private final Scene scene = new Scene(256);
  private final Retry retry = Retry.over(scene.allocator);

  @AfterEach
  void nothingIsLost() {
    RetryStatistics end = retry.getStatistics();
    assertEquals(0, end.running() + end.blocked() + end.rolledBack(), end.toString());
    scene.close();
  }

  /** Halves a size in MiB, down to 1. */
  private static List<Long> halve(long mebibytes) {
    return mebibytes < 2 ? List.of() : List.of(mebibytes / 2, mebibytes - mebibytes / 2);
  }

  private List<Long> run(String name, long mebibytes) {
    return retry.withSplit(
        name,
        mebibytes,
        RetryTest::halve,
        (piece, memory) -> {
          try (Allocation block = memory.allocate(piece * MIB)) {
            return block.getSize() / MIB;
          }
        });
  }

  @Test
  @DisplayName("45.3 gives one result where everything fits")
  void fits() {
    assertEquals(List.of(100L), run("fits", 100));
    assertEquals(0, retry.getStatistics().splits());
  }

  @Test
  @DisplayName(
      "45.3 continues with halves if no other task holds memory, in the order of the input")
  void splits() {
    assertEquals(List.of(150L, 151L), run("once", 301));
    assertEquals(List.of(250L, 250L, 250L, 250L), run("twice", 1000));
    assertEquals(4, retry.getStatistics().splits());
  }

  @Test
  @DisplayName(
      "45.3 keeps the memory of its results for the caller, and closes the memory of its"
          + " attempts")
  void results() {
    List<Allocation> blocks =
        retry.withSplit(
            "results",
            200L,
            RetryTest::halve,
            (piece, memory) -> {
              Allocation result = memory.allocate(piece * MIB / 2);
              memory.allocate(piece * MIB).close();
              return result;
            });
    assertEquals(2, blocks.size());
    assertEquals(100 * MIB, scene.allocator.getStatistics().getLiveBytes());
    blocks.forEach(Allocation::close);
  }

  @Test
  @DisplayName("45.3 waits for no other task if it asks for more than the limit")
  void aboveTheLimit() throws Exception {
    scene.allocator.setLimit(100 * MIB);
    CountDownLatch holds = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    CompletableFuture<Object> holder =
        CompletableFuture.supplyAsync(
            () ->
                retry.withSplit(
                    "holder",
                    1L,
                    RetryTest::halve,
                    (piece, memory) -> {
                      try (Allocation block = memory.allocate(piece * MIB)) {
                        holds.countDown();
                        return awaited(ended) ? block.getSize() : 0;
                      }
                    }));
    assertTrue(awaited(holds));
    CompletableFuture<List<Long>> large = CompletableFuture.supplyAsync(() -> run("large", 120));
    assertEquals(List.of(60L, 60L), large.get());
    CompletableFuture<Object> whole =
        CompletableFuture.supplyAsync(
            () ->
                retry.withSplit(
                    "whole",
                    1L,
                    piece -> List.of(),
                    (piece, memory) -> memory.allocate(120 * MIB)));
    says(
        "task \"whole\" ran out of memory after 0 pieces, on an input that cannot be halved, and"
            + " asked for more than there is; divide the input further: ",
        assertThrows(ExecutionException.class, whole::get));
    ended.countDown();
    holder.join();
  }

  @Test
  @DisplayName("45.3 waits for another task's memory, and is run whole")
  void waits() {
    CountDownLatch holds = new CountDownLatch(1);
    CompletableFuture<Object> holder =
        CompletableFuture.supplyAsync(
            () ->
                retry.withSplit(
                    "holder",
                    200L,
                    RetryTest::halve,
                    (piece, memory) -> {
                      try (Allocation block = memory.allocate(piece * MIB)) {
                        holds.countDown();
                        while (retry.getStatistics().blocked() == 0) {
                          Thread.onSpinWait();
                        }
                        return block.getSize();
                      }
                    }));
    assertTrue(awaited(holds));
    assertEquals(List.of(200L), run("waiter", 200));
    holder.join();
    assertEquals(1, retry.getStatistics().waits());
  }

  private static boolean awaited(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  @Test
  @DisplayName("45.3 fails by name at its smallest size, with the memory report, and keeps nothing")
  void fails() {
    try (Allocation beside = scene.allocator.allocate(200 * MIB)) {
      DeviceOutOfMemoryException failed =
          assertThrows(
              DeviceOutOfMemoryException.class,
              () ->
                  retry.withSplit(
                      "stubborn",
                      200L,
                      RetryTest::halve,
                      (piece, memory) -> {
                        memory.allocate(MIB);
                        return memory.allocate(100 * MIB);
                      }));
      says("task \"stubborn\" ran out of memory", failed);
      assertTrue(failed.getCause() instanceof AllocatorOutOfMemoryException, beside.toString());
      assertEquals(200 * MIB, scene.allocator.getStatistics().getLiveBytes());
    }
  }

  @Test
  @DisplayName("45.3 a halving that makes nothing smaller ends the task, and says so")
  void notSmaller() {
    Retry retry = Retry.over(scene.allocator);
    InvalidArgumentException wrong =
        assertThrows(
            InvalidArgumentException.class,
            () ->
                retry.withSplit(
                    "endless",
                    300 * MIB,
                    bytes -> List.of(bytes, bytes),
                    (bytes, memory) -> memory.allocate(bytes)));
    says("task \"endless\" returned the input itself", wrong);
    assertEquals(1, wrong.getSuppressed().length, "the out of memory");
    assertEquals(0, scene.allocator.getStatistics().requested().current());
  }

  @Test
  @DisplayName("45.3 an argument that is null is named")
  void nulls() {
    Retry retry = Retry.over(scene.allocator);
    says(
        "input",
        assertThrows(
            NullPointerException.class,
            () ->
                retry.withSplit(
                    "t", NullArgument.<Long>of(), each -> List.of(), (each, memory) -> each)));
    says(
        "halving",
        assertThrows(
            NullPointerException.class,
            () -> retry.withSplit("t", 1L, NullArgument.of(), (each, memory) -> each)));
    says(
        "function",
        assertThrows(
            NullPointerException.class,
            () -> retry.withSplit("t", 1L, each -> List.of(), NullArgument.of())));
  }

  @Test
  @DisplayName("45.3 a failure of closing the task's memory does not replace what the task threw")
  void failingCloses() {
    IllegalStateException own = new IllegalStateException("own");
    try (DirectAllocator direct = DirectAllocator.builder(scene.device).build()) {
      scene.gpu.getFaults().failNext("cuMemFree", Fault.UNKNOWN);
      assertSame(
          own,
          assertThrows(
              IllegalStateException.class,
              () ->
                  Retry.over(direct)
                      .withSplit(
                          "throws",
                          1L,
                          RetryTest::halve,
                          (piece, memory) -> {
                            memory.allocate(MIB);
                            memory.allocate(MIB);
                            throw own;
                          })));
      assertInstanceOf(DriverException.class, own.getSuppressed()[0]);
      assertEquals(0, direct.getStatistics().requested().current());
    }
  }

  @Test
  @DisplayName("45.3 passes other errors on, and closes all that it has allocated")
  void otherErrors() {
    IllegalStateException own = new IllegalStateException("own");
    assertSame(
        own,
        assertThrows(
            IllegalStateException.class,
            () ->
                retry.withSplit(
                    "throws",
                    4L,
                    RetryTest::halve,
                    (piece, memory) -> {
                      memory.allocate(MIB);
                      throw own;
                    })));
    scene.gpu.getFaults().failNext("cuMemCreate", Fault.UNKNOWN);
    assertThrows(GpuException.class, () -> run("driver fails", 200));
    assertThrows(
        ArithmeticException.class,
        () ->
            retry.withSplit(
                "cannot halve",
                300L,
                size -> {
                  throw new ArithmeticException("halving");
                },
                (piece, memory) -> memory.allocate(piece * MIB)));
    assertThrows(InvalidArgumentException.class, () -> run("negative", -1));
  }

  @Test
  @DisplayName("45.3 is halved at once where it wants more than the device, whatever else runs")
  void largerThanDevice() {
    assertEquals(16, run("large", 4000).size());
    assertThrows(
        DeviceOutOfMemoryException.class,
        () ->
            retry.withSplit(
                "endless",
                1L,
                RetryTest::halve,
                (piece, memory) -> memory.allocate(Long.MAX_VALUE)));
  }

  @Test
  @DisplayName("45.3 cannot run inside of another one, nor allocate after its end")
  void misplaced() {
    says(
        "is run inside another task",
        assertThrows(
            InvalidArgumentException.class,
            () ->
                retry.withSplit(
                    "outer", 1L, RetryTest::halve, (piece, memory) -> run("inner", piece))));
    Allocator[] kept = new Allocator[1];
    retry.withSplit("keeps", 1L, RetryTest::halve, (piece, memory) -> kept[0] = memory);
    says("its task has ended", assertThrows(ClosedException.class, () -> kept[0].allocate(MIB)));
  }

  @Test
  @DisplayName("45.3 an interrupted thread that waits ends its task, and stays interrupted")
  void interrupted() {
    CountDownLatch holds = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    CompletableFuture<Object> holder =
        CompletableFuture.supplyAsync(
            () ->
                retry.withSplit(
                    "holder",
                    200L,
                    RetryTest::halve,
                    (piece, memory) -> {
                      try (Allocation block = memory.allocate(piece * MIB)) {
                        holds.countDown();
                        assertTrue(awaited(done));
                        return block.getSize();
                      }
                    }));
    assertTrue(awaited(holds));
    Thread.currentThread().interrupt();
    assertThrows(CancellationException.class, () -> run("interrupted", 200));
    assertTrue(Thread.interrupted());
    assertFalse(holder.isDone());
    done.countDown();
    holder.join();
  }

  @Test
  @DisplayName("45.3 a task may allocate on several threads: a close wakes all that wait")
  void severalThreads() {
    CountDownLatch holds = new CountDownLatch(1);
    CompletableFuture<Object> holder =
        CompletableFuture.supplyAsync(
            () ->
                retry.withSplit(
                    "holder",
                    200L,
                    RetryTest::halve,
                    (piece, memory) -> {
                      try (Allocation block = memory.allocate(piece * MIB)) {
                        holds.countDown();
                        while (retry.getStatistics().waits() < 2) {
                          Thread.onSpinWait();
                        }
                        return block.getSize();
                      }
                    }));
    assertTrue(awaited(holds));
    retry.withSplit(
        "parallel",
        200L,
        RetryTest::halve,
        (piece, memory) -> {
          CompletableFuture<Void> other =
              CompletableFuture.runAsync(() -> memory.allocate(100 * MIB).close());
          memory.allocate(100 * MIB).close();
          return other.join();
        });
    holder.join();
  }
}
