package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.MIB;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.decorator.RetryingAllocator;
import org.vramkit.sim.SimStream;

@DisplayName("45.2 An allocator that runs out of memory beneath a spill store")
class SpillLadderTest {
  private final Scene scene = new Scene(64);
  private final SimStream stream = scene.device.createStream();

  @AfterEach
  void nothingIsLost() {
    stream.close();
    scene.close();
  }

  private Spillable filled(SpillStore store, int priority, int value) {
    return filled(store, 30 * MIB, priority, value);
  }

  private Spillable filled(SpillStore store, long bytes, int priority, int value) {
    Spillable made = store.create(bytes, priority);
    try (SpillableLease lease = made.materialize(stream)) {
      stream.fill(lease.getAddress(), (byte) value, lease.getSize());
    }
    return made;
  }

  private int read(Spillable spillable) {
    try (SpillableLease lease = spillable.materialize(stream)) {
      ByteBuffer last = ByteBuffer.allocate(1);
      stream.copyToHost(last, lease.getAddress() + spillable.getSize() - 1);
      return last.get(0);
    }
  }

  @Test
  @DisplayName(
      "45.2 spills before the user's handler is asked, whether that was set before or after the store"
          + " was made, for every user of the memory")
  void beforeTheHandler() {
    List<String> asked = new ArrayList<>();
    scene.allocator.setOutOfMemoryHandler((report, attempt) -> !asked.add("before"));
    try (SpillStore store = SpillStore.over(scene.allocator).hostLimit(64 * MIB).build();
        Spillable first = filled(store, 0, 1);
        Spillable second = filled(store, 0, 2);
        Grant grant =
            Admission.over(RetryingAllocator.over(scene.allocator, attempt -> false))
                .build()
                .acquire(Demand.of("job", 50 * MIB), Duration.ZERO)) {
      for (Allocator each :
          List.of(scene.allocator, scene.allocator.tagged("other"), grant.getAllocator())) {
        each.allocate(50 * MIB, stream).close();
        assertFalse(first.isOnDevice() || second.isOnDevice(), each.toString());
        assertEquals(List.of(1, 2), List.of(read(first), read(second)));
        scene.allocator.setOutOfMemoryHandler((report, attempt) -> !asked.add("after"));
      }
      assertEquals(List.of(), asked);
      assertThrows(
          DeviceOutOfMemoryException.class, () -> scene.allocator.allocate(65 * MIB, stream));
      assertEquals(List.of("after"), asked);
    }
    // A closed store is not called any more.
    try (Allocation held = scene.allocator.allocate(50 * MIB, stream)) {
      assertThrows(
          DeviceOutOfMemoryException.class,
          () -> scene.allocator.allocate(held.getSize(), stream).close());
    }
    assertEquals(List.of("after", "after"), asked);
  }

  @Test
  @DisplayName(
      "45.2 spills the buffers of a job for another one, over grants and limits of their own")
  void ofGrants() {
    Admission gate = Admission.over(scene.allocator).build();
    scene.allocator.setOutOfMemoryHandler(
        (report, attempt) -> {
          throw new AssertionError(report);
        });
    try (Grant grant = gate.acquire(Demand.of("job", 30 * MIB), Duration.ZERO);
        SpillStore store = SpillStore.over(grant.getAllocator()).hostLimit(64 * MIB).build();
        Spillable first = filled(store, 0, 1);
        Spillable second = filled(store, 0, 2)) {
      // The grant suffices for one of them.
      assertFalse(first.isOnDevice());
      assertTrue(second.isOnDevice());
      scene.allocator.allocate(50 * MIB, stream).close();
      assertFalse(second.isOnDevice());
      assertEquals(List.of(1, 2), List.of(read(first), read(second)));
    }
  }

  @Test
  @DisplayName("45.2 lets two stores over it make room for each other at the same time")
  void twoStores() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (SpillStore one = SpillStore.over(scene.allocator).hostLimit(128 * MIB).build();
        SpillStore other = SpillStore.over(scene.allocator).hostLimit(128 * MIB).build();
        Spillable first = filled(one, 40 * MIB, 0, 1);
        Spillable second = filled(one, 40 * MIB, 0, 2);
        Spillable third = filled(other, 40 * MIB, 0, 3);
        Spillable fourth = filled(other, 40 * MIB, 0, 4)) {
      List<Future<?>> rounds =
          List.of(
              threads.submit(() -> alternate(first, second)),
              threads.submit(() -> alternate(third, fourth)));
      for (Future<?> each : rounds) {
        each.get(1, TimeUnit.HOURS);
      }
      assertEquals(
          List.of(1, 2, 3, 4), List.of(read(first), read(second), read(third), read(fourth)));
    } finally {
      threads.shutdownNow();
    }
  }

  /** Leases both in turn; an out of memory is allowed while the other thread holds too much. */
  private void alternate(Spillable one, Spillable other) {
    try (SimStream own = scene.device.createStream()) {
      for (int i = 0; i < 10; i++) {
        for (Spillable each : List.of(one, other)) {
          try {
            each.materialize(own).close();
          } catch (DeviceOutOfMemoryException e) {
            Thread.onSpinWait();
          }
        }
      }
    }
  }

  @Test
  @DisplayName("45.2 spills while a close of what was spilled serves an allocation that waits")
  void closeThatServes() {
    try (WaitingAllocator waiting = WaitingAllocator.over(scene.allocator, Duration.ofMinutes(1));
        SpillStore store = SpillStore.over(waiting).hostLimit(64 * MIB).build();
        Spillable first = filled(store, 0, 1);
        Spillable second = filled(store, 0, 2)) {
      CompletableFuture<Allocation> served;
      try (SpillableLease one = first.materialize(stream);
          SpillableLease other = second.materialize(stream)) {
        assertEquals(one.getSize(), other.getSize());
        served = waiting.allocateAsync(40 * MIB, stream, Runnable::run).toCompletableFuture();
        assertFalse(served.isDone());
      }
      assertEquals(60 * MIB, store.spill(60 * MIB));
      served.join().close();
      assertEquals(List.of(1, 2), List.of(read(first), read(second)));
    }
  }
}
