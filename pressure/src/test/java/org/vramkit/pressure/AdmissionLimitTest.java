package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.MIB;
import static org.vramkit.pressure.Scene.says;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.PrivatePoolOptions;
import org.vramkit.pool.decorator.LimitingAllocator;
import org.vramkit.sim.SimStream;

@DisplayName("45.1 Admission over an allocator with a limit")
class AdmissionLimitTest {
  private static final Duration NOW = Duration.ZERO;
  private static final Duration LONG = Duration.ofSeconds(60);

  private final Scene scene = new Scene(1024);

  @AfterEach
  void nothingIsLost() {
    scene.close();
  }

  private static CompletableFuture<Grant> ask(Admission gate, long mebibytes) {
    return gate.acquireAsync(Demand.of("job", mebibytes * MIB)).toCompletableFuture();
  }

  /** Checks that of six jobs of 60 MiB as many run at once as a limit of 200 MiB allows. */
  private static void assertThreeOfSix(Allocator allocator) {
    try (Admission gate = Admission.over(allocator).build()) {
      List<CompletableFuture<Grant>> asked = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        asked.add(ask(gate, 60));
      }
      assertEquals(3, gate.getStatistics().running());
      assertTrue(gate.getStatistics().capacityBytes() <= 200 * MIB);
      for (CompletableFuture<Grant> each : asked) {
        try (Grant grant = each.join();
            Allocation all = grant.getAllocator().allocate(60 * MIB)) {
          assertEquals(60 * MIB, all.getSize());
        }
      }
      DeviceOutOfMemoryException refused =
          assertThrows(
              DeviceOutOfMemoryException.class,
              () -> gate.acquire(Demand.of("large", 201 * MIB), LONG));
      says("at most 200.00 MiB can be granted", refused);
      gate.acquire(Demand.of("all", 200 * MIB), NOW).close();
    }
  }

  @Test
  @DisplayName("45.1 grants no more than the limit of a caching allocator, or of a view of it")
  void caching() {
    scene.allocator.setLimit(200 * MIB);
    assertThreeOfSix(scene.allocator);
    assertThreeOfSix(scene.allocator.tagged("jobs"));
  }

  @Test
  @DisplayName("45.1 grants no more than the limit of a decorator, even under another one")
  void decorator() {
    try (LimitingAllocator limited = LimitingAllocator.over(scene.allocator, 200 * MIB);
        WaitingAllocator waiting = WaitingAllocator.over(limited, Duration.ZERO);
        LimitingAllocator wide = LimitingAllocator.over(waiting, 500 * MIB)) {
      assertThreeOfSix(limited);
      assertThreeOfSix(wide);
    }
  }

  @Test
  @DisplayName("45.1 grants no more than the limit of a private pool, or of the grant it is over")
  void poolsAndGrants() {
    PrivatePoolOptions options = PrivatePoolOptions.DEFAULT.withLimit(200 * MIB);
    try (PrivatePool pool = scene.allocator.createPool(options)) {
      assertThreeOfSix(pool.getAllocator());
    }
    try (Admission outer = Admission.over(scene.allocator).build();
        Grant grant = outer.acquire(Demand.of("outer", 200 * MIB), NOW)) {
      assertThreeOfSix(grant.getAllocator());
    }
  }

  @Test
  @DisplayName("45.1 counts memory below the decorator that its limit does not count")
  void othersBelow() {
    try (LimitingAllocator limited = LimitingAllocator.over(scene.allocator, 200 * MIB);
        Allocation model = scene.allocator.allocate(400 * MIB);
        Admission gate = Admission.over(limited).build()) {
      assertEquals(400 * MIB, model.getSize());
      gate.acquire(Demand.of("job", MIB), NOW).close();
      assertEquals(200 * MIB - 200 * MIB / 32, gate.getStatistics().capacityBytes());
    }
  }

  @Test
  @DisplayName("45.1 subtracts memory without a grant from the limit")
  void ungranted() {
    scene.allocator.setLimit(320 * MIB);
    try (Allocation model = scene.allocator.allocate(100 * MIB);
        Admission gate = Admission.over(scene.allocator).build()) {
      Grant one = gate.acquire(Demand.of("one", 200 * MIB), NOW);
      CompletableFuture<Grant> two = ask(gate, 20);
      assertEquals(210 * MIB, gate.getStatistics().capacityBytes(), "beside " + model.getSize());
      assertEquals(1, gate.getStatistics().waiting());
      one.close();
      two.join().close();
    }
  }

  @Test
  @DisplayName("45.1 follows a limit that is lowered or raised while jobs run and wait")
  void setLater() throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (Admission gate = Admission.over(scene.allocator).build();
        Grant first = gate.acquire(Demand.of("first", 600 * MIB), NOW)) {
      scene.allocator.setLimit(800 * MIB);
      Future<Grant> waiting =
          other.submit(() -> gate.acquire(Demand.of("second", 300 * MIB), LONG));
      while (gate.getStatistics().waiting() == 0) {
        Thread.onSpinWait();
      }
      assertTrue(gate.getStatistics().capacityBytes() <= 800 * MIB);
      scene.allocator.setLimit(Long.MAX_VALUE);
      waiting.get().close();
      scene.allocator.setLimit(400 * MIB);
      DeviceOutOfMemoryException refused =
          assertThrows(DeviceOutOfMemoryException.class, () -> first.grow(MIB, NOW));
      says("at most 0 B can be granted", refused);
    } finally {
      other.shutdown();
    }
  }

  @Test
  @DisplayName("45.1 grants what a suspended pool has returned")
  void suspended() {
    try (SimStream stream = scene.device.createStream();
        PrivatePool pool = scene.allocator.createPool();
        Allocation model = pool.getAllocator().allocate(800 * MIB, stream);
        Admission gate = Admission.over(scene.allocator).build()) {
      scene.allocator.setLimit(900 * MIB);
      pool.suspend(Backup.NONE, stream);
      try (Grant one = gate.acquire(Demand.of("one", 400 * MIB), NOW);
          Grant two = gate.acquire(Demand.of("two", 400 * MIB), NOW)) {
        assertEquals(800 * MIB, one.getBytes() + two.getBytes(), "beside " + model.getSize());
      }
      pool.resume(stream);
    }
  }

  @Test
  @DisplayName("45.1 never reports a negative capacity, also if other processes hold the device")
  void othersHoldTheDevice() {
    scene.device.occupy(1010 * MIB);
    try (Admission gate = Admission.over(scene.allocator).build();
        Grant alone = gate.acquire(Demand.of("alone", MIB), NOW)) {
      DeviceOutOfMemoryException late =
          assertThrows(
              DeviceOutOfMemoryException.class, () -> gate.acquire(Demand.of("next", MIB), NOW));
      says("1 open grant and memory of closed grants take 1.00 MiB of 0 B", late);
      assertEquals(0, gate.getStatistics().capacityBytes(), alone.toString());
    }
  }
}
