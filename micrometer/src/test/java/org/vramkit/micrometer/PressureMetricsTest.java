package org.vramkit.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Metric;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pressure.Admission;
import org.vramkit.pressure.AdmissionStatistics;
import org.vramkit.pressure.Demand;
import org.vramkit.pressure.Grant;
import org.vramkit.pressure.Retry;
import org.vramkit.pressure.SpillStore;
import org.vramkit.pressure.Spillable;
import org.vramkit.pressure.WaitingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("Metrics of scarce memory")
class PressureMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @AfterEach
  void everyMeterIsDescribed() {
    assertFalse(registry.getMeters().isEmpty());
    Described.assertAll(registry);
  }

  private double gauge(String name) {
    return registry.get(name).tag("name", "jobs").gauge().value();
  }

  private double counter(String name) {
    return registry.get(name).tag("name", "jobs").functionCounter().count();
  }

  @Test
  @DisplayName("45.1 show running and waiting jobs with their bytes")
  void admission() {
    try (SimBackend gpu = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        CachingAllocator allocator = CachingAllocator.create(gpu.getDevice(0));
        Admission gate = Admission.over(allocator).build()) {
      PressureMetrics.of("jobs", gate).bindTo(registry);
      Grant first = gate.acquire(Demand.of("job", 6 * ByteSize.GIB), Duration.ZERO);
      CompletionStage<Grant> second = gate.acquireAsync(Demand.of("job", 6 * ByteSize.GIB));
      assertEquals(6.0 * ByteSize.GIB, gauge("vramkit.admission.granted"));
      assertEquals(1, gauge("vramkit.admission.running"));
      assertEquals(1, gauge("vramkit.admission.waiting"));
      first.close();
      second.toCompletableFuture().join().close();
      assertEquals(2, counter("vramkit.admission.admitted"));
      assertEquals(1, registry.get("vramkit.admission.wait").functionTimer().count());
    }
  }

  @Test
  @DisplayName("45.2 show the places of bytes, and the moves")
  void spilled() {
    try (SimBackend gpu = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        CachingAllocator allocator = CachingAllocator.create(gpu.getDevice(0));
        SpillStore store = SpillStore.over(allocator).hostLimit(ByteSize.MIB).build();
        Spillable bytes = store.create(ByteSize.MIB, 0)) {
      PressureMetrics.of("jobs", store).bindTo(registry);
      bytes.materialize(gpu.getDevice(0).getDefaultStream()).close();
      assertEquals(1.0 * ByteSize.MIB, gauge("vramkit.spill.device"));
      assertEquals(ByteSize.MIB, store.spill(1));
      assertEquals(1.0 * ByteSize.MIB, gauge("vramkit.spill.host"));
      assertEquals(1.0 * ByteSize.MIB, counter("vramkit.spill.spilled"));
    }
  }

  @Test
  @DisplayName("45.3 show tasks that were divided, and 45.5 requests that waited in vain")
  void retriedAndWaiting() {
    try (SimBackend gpu = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        CachingAllocator allocator = CachingAllocator.create(gpu.getDevice(0));
        WaitingAllocator waiting = WaitingAllocator.over(allocator, Duration.ZERO)) {
      Retry retry = Retry.over(allocator);
      PressureMetrics.of("jobs", retry).bindTo(registry);
      PressureMetrics.of("jobs", waiting).bindTo(registry);
      List<Long> parts =
          retry.withSplit(
              "job",
              12 * ByteSize.GIB,
              bytes -> List.of(bytes / 2, bytes / 2),
              (bytes, memory) -> {
                memory.allocate(bytes).close();
                return bytes;
              });
      assertEquals(2, parts.size());
      assertEquals(1, counter("vramkit.retry.tasks"));
      assertEquals(1, counter("vramkit.retry.splits"));
      assertEquals(0, gauge("vramkit.retry.running"));
      try (Allocation held = waiting.allocate(5 * ByteSize.GIB)) {
        assertThrows(
            DeviceOutOfMemoryException.class, () -> waiting.allocate(held.getSize()).close());
        assertEquals(5.0 * ByteSize.GIB, gauge("vramkit.waiting.live"));
      }
      assertEquals(1, counter("vramkit.waiting.failed"));
      assertEquals(0, gauge("vramkit.waiting.requests"));
      assertEquals(0, registry.get("vramkit.waiting.wait").functionTimer().count());
    }
  }

  @Test
  @DisplayName("45.1 leave the registry once their subject is collected, and then free their name")
  void forgotten() {
    registry.gauge("mine", 1);
    try (SimBackend gpu = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        CachingAllocator allocator = CachingAllocator.create(gpu.getDevice(0))) {
      bindForgotten(allocator);
      for (int i = 0; i < 1_000 && registry.getMeters().size() > 1; i++) {
        System.gc();
        LockSupport.parkNanos(1_000_000);
      }
      registry.remove(registry.get("mine").gauge());
      assertEquals(List.of(), registry.getMeters());
      try (Admission gate = Admission.over(allocator).build()) {
        PressureMetrics.of("jobs", gate).bindTo(registry);
        assertEquals(0, gauge("vramkit.admission.running"));
      }
    }
  }

  private void bindForgotten(CachingAllocator allocator) {
    PressureMetrics.of("jobs", Admission.over(allocator).build()).bindTo(registry);
  }

  @Test
  @DisplayName("refuse a name that others of the registry have, until those are closed")
  void usedName() {
    try (SimBackend gpu = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        CachingAllocator allocator = CachingAllocator.create(gpu.getDevice(0));
        Admission first = Admission.over(allocator).build();
        Admission second = Admission.over(allocator).build()) {
      PressureMetrics others = PressureMetrics.of("jobs", first);
      PressureMetrics metrics = PressureMetrics.of("jobs", second);
      others.bindTo(registry);
      int meters = registry.getMeters().size();
      InvalidArgumentException refused =
          assertThrows(InvalidArgumentException.class, () -> metrics.bindTo(registry));
      assertEquals(
          "the registry has a meter vramkit.admission.capacity with [tag(name=jobs)] from other"
              + " PressureMetrics; close those, or distinguish them by names or tags",
          refused.getMessage());
      others.bindTo(registry);
      assertEquals(meters, registry.getMeters().size());
      others.close();
      assertEquals(List.of(), registry.getMeters());
      metrics.bindTo(registry);
      try (Grant grant = second.acquire(Demand.of("job", ByteSize.GIB), Duration.ZERO)) {
        assertEquals((double) grant.getBytes(), gauge("vramkit.admission.granted"));
      }
      assertThrows(ClosedException.class, () -> others.bindTo(registry));
      PressureMetrics.of("others", first).bindTo(registry);
      assertEquals(2 * meters, registry.getMeters().size());
    }
  }

  @Test
  @DisplayName("refuse one of two that are bound under a name at the same time, 200 times")
  void usedNameAtOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (SimBackend gpu = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        CachingAllocator allocator = CachingAllocator.create(gpu.getDevice(0));
        Admission gate = Admission.over(allocator).build()) {
      for (int round = 0; round < 200; round++) {
        CyclicBarrier both = new CyclicBarrier(2);
        Callable<Integer> binding =
            () -> {
              try (PressureMetrics metrics = PressureMetrics.of("jobs", gate)) {
                both.await();
                int bound = bind(metrics);
                both.await();
                return bound;
              }
            };
        int bound = 0;
        for (Future<Integer> each : threads.invokeAll(List.of(binding, binding))) {
          bound += each.get();
        }
        assertEquals(1, bound, "round " + round);
      }
      PressureMetrics.of("jobs", gate).bindTo(registry);
    } finally {
      threads.shutdown();
    }
  }

  /** Returns 1 if the metrics were bound, 0 if they were refused. */
  private int bind(PressureMetrics metrics) {
    try {
      metrics.bindTo(registry);
      return 1;
    } catch (InvalidArgumentException refused) {
      return 0;
    }
  }

  @Test
  @DisplayName("22.4 of each figure of statistics, by its name")
  void everyFigure() {
    try (SimBackend gpu = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        CachingAllocator allocator = CachingAllocator.create(gpu.getDevice(0));
        Admission gate = Admission.over(allocator).build()) {
      PressureMetrics.of("jobs", gate).bindTo(registry);
      for (Metric<AdmissionStatistics> each : AdmissionStatistics.getMetrics()) {
        String name = "vramkit.admission." + each.name().replace(' ', '.');
        assertEquals(each.text(), registry.get(name).meter().getId().getDescription());
      }
      assertEquals(AdmissionStatistics.getMetrics().size(), registry.getMeters().size());
    }
  }
}
