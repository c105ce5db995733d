package org.vramkit.pool.caching.outofmemory;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimGate;
import org.vramkit.sim.SimStream;

@Tag("own-schedules")
@DisplayName("17.2 Calls that wait for the device or for a handler")
class WaitsBesideOthersTest {
  @OnBothMemories
  @DisplayName(
      "17.4 trimming a private pool blocks no call, although another call" + " searches alone")
  void trimBesideRefusal(VirtualMemoryUse use) throws Exception {
    try (Sandbox box = Sandbox.on(use, builder -> builder.limit(44 * MIB))) {
      PrivatePool pool = box.allocator.createPool();
      SimStream side = box.newStream();
      Allocation waited = pool.getAllocator().allocate(10 * MIB, box.stream);
      box.allocate(20 * MIB);
      SimGate gate = box.backend.createGate("gate");
      box.busy(side, waited, 1000);
      side.waitFor(gate);
      waited.recordUse(side);
      waited.close();
      CompletableFuture<Void> trim = CompletableFuture.runAsync(() -> pool.getAllocator().trim(0));
      Thread.sleep(100);
      // What the pool keeps is missing: this thread looks at all pools alone before it is refused.
      CompletableFuture<Void> tooMuch =
          CompletableFuture.runAsync(
              () ->
                  assertThrows(
                      AllocatorOutOfMemoryException.class,
                      () -> box.allocator.allocate(20 * MIB, box.stream)));
      Thread.sleep(100);
      CompletableFuture<Void> little =
          CompletableFuture.runAsync(() -> box.allocator.allocate(MIB, box.stream).close());
      // Both hang if they are held up by the trim, which waits for the gate.
      little.get(1, TimeUnit.HOURS);
      tooMuch.get(1, TimeUnit.HOURS);
      gate.open();
      trim.get(1, TimeUnit.HOURS);
    }
  }

  @OnBothMemories
  @DisplayName("17.2 to trim or to allocate ends with a close that waits for the same work")
  void waitsBesideClose(VirtualMemoryUse use) throws Exception {
    for (int round = 0; round < 200; round++) {
      int where = round;
      try (Sandbox box = Sandbox.uncached(use, builder -> builder.limit(44 * MIB))) {
        SimStream side = box.newStream();
        SimStream third = box.newStream();
        PrivatePool pool = box.allocator.createPool();
        SimGate gate = box.backend.createGate("gate");
        SimGate later = box.backend.createGate("later");
        for (Allocator each : List.of(box.allocator, pool.getAllocator())) {
          Allocation waited = each.allocate(10 * MIB, box.stream);
          box.busy(side, waited, 1000);
          side.waitFor(gate);
          third.waitFor(later);
          waited.recordUse(side);
          waited.recordUse(third);
          waited.close();
        }
        CompletableFuture<?> trim = CompletableFuture.runAsync(() -> box.allocator.trim(0));
        CompletableFuture<?> other = CompletableFuture.runAsync(() -> pool.getAllocator().trim(0));
        CompletableFuture<?> wanted =
            CompletableFuture.runAsync(() -> box.allocator.allocate(30 * MIB, box.stream).close());
        Thread.sleep(2);
        CompletableFuture<?> closing = CompletableFuture.runAsync(box.allocator::close);
        Thread.sleep(2);
        gate.open();
        later.open();
        trim.get(1, TimeUnit.HOURS);
        other.get(1, TimeUnit.HOURS);
        Throwable end = wanted.handle((a, e) -> e).get(1, TimeUnit.HOURS);
        if (end != null) {
          assertInstanceOf(ClosedException.class, end.getCause());
        }
        Throwable refused = closing.handle((a, e) -> e).get(1, TimeUnit.HOURS);
        assertTrue(
            refused == null || (end == null && refused.toString().contains("open allocation")),
            () -> "round " + where + ": " + refused);
      }
    }
  }

  @OnBothMemories
  @DisplayName("17.2 in a private pool does not keep its allocator from being closed")
  void poolWaitsBesideClose(VirtualMemoryUse use) throws Exception {
    // As many as there are pauses.
    for (int round = 0; round < 400; round++) {
      CountDownLatch asked = new CountDownLatch(2);
      CountDownLatch answer = new CountDownLatch(1);
      try (Sandbox box =
          Sandbox.uncached(
              use,
              builder ->
                  builder
                      .limit(44 * MIB)
                      .outOfMemoryHandler(
                          (report, attempt) -> {
                            asked.countDown();
                            try {
                              answer.await();
                            } catch (InterruptedException e) {
                              return false;
                            }
                            return true;
                          }))) {
        PrivatePool pool = box.allocator.createPool();
        pool.getAllocator().allocate(10 * MIB, box.stream).close();
        List<CompletableFuture<?>> wanted = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
          wanted.add(
              CompletableFuture.runAsync(
                  () -> pool.getAllocator().allocate(50 * MIB, box.stream).close()));
        }
        asked.await();
        CompletableFuture<?> closing = CompletableFuture.runAsync(box.allocator::close);
        if (round % 2 == 0) {
          Thread.sleep(0, 1 + round * 1000 % 400_000);
        }
        answer.countDown();
        for (CompletableFuture<?> each : wanted) {
          each.handle((a, e) -> e).get(1, TimeUnit.HOURS);
        }
        closing.get(1, TimeUnit.HOURS);
      }
    }
  }
}
