package org.vramkit.pool.caching.internal.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.jfr.DataAmount;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Metric;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("A reading of statistics for the flight recorder")
class FlightReadingsTest {
  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build();

  @AfterEach
  void nothingIsLeft() {
    assertEquals(List.of(), backend.getHazards());
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }

  @Test
  @DisplayName("has every figure of the table, with its unit")
  void everyFigure() throws InterruptedException {
    BlockingQueue<RecordedEvent> pools = new LinkedBlockingQueue<>();
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Allocation held = allocator.allocate(4096);
        RecordingStream stream = new RecordingStream()) {
      assertEquals(4096, held.getSize());
      stream.enable("org.vramkit.PoolStatistics").withPeriod(Duration.ofMillis(50));
      stream.onEvent("org.vramkit.PoolStatistics", pools::add);
      stream.startAsync();
      RecordedEvent pool = pools.take();
      // Allocators that other tests left to the collector have events too.
      while (pool.getLong("requested") != held.getSize()) {
        pool = pools.take();
      }
      for (Metric<AllocatorStatistics> each : AllocatorStatistics.getMetrics()) {
        if (each.unit() != Metric.Unit.NANOSECONDS) {
          long now = each.value().applyAsLong(allocator.getStatistics());
          assertEquals(now, pool.getLong(each.key()), each.name());
        }
        DataAmount bytes = pool.getEventType().getField(each.key()).getAnnotation(DataAmount.class);
        assertEquals(each.unit() == Metric.Unit.BYTES, bytes != null, each.name());
      }
    }
  }

  @Test
  @DisplayName(
      "22.8 tells streams, tags and figures of one reading, which add up as threads allocate")
  void oneReading() throws InterruptedException {
    Map<Long, Long> live = new HashMap<>();
    BlockingQueue<List<Long>> sums = new LinkedBlockingQueue<>();
    AtomicBoolean ended = new AtomicBoolean();
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        RecordingStream stream = new RecordingStream()) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Thread thread = new Thread(() -> comeAndGo(allocator, ended));
        thread.start();
        threads.add(thread);
      }
      stream.enable("org.vramkit.PoolStatistics").withPeriod(Duration.ofMillis(20));
      stream.enable("org.vramkit.StreamStatistics").withPeriod(Duration.ofMillis(20));
      stream.onEvent(
          "org.vramkit.StreamStatistics",
          event -> live.merge(event.getLong("reading"), event.getLong("live"), Long::sum));
      stream.onEvent(
          "org.vramkit.PoolStatistics",
          event ->
              sums.add(
                  List.of(
                      event.getLong("live"), live.getOrDefault(event.getLong("reading"), -1L))));
      stream.startAsync();
      try {
        for (int i = 0; i < 50; i++) {
          List<Long> each = sums.take();
          assertEquals(each.get(0), each.get(1));
        }
      } finally {
        ended.set(true);
        for (Thread each : threads) {
          each.join();
        }
      }
    }
  }

  private void comeAndGo(CachingAllocator allocator, AtomicBoolean ended) {
    try (Stream stream = backend.getDevice(0).createStream()) {
      List<Allocation> held = new ArrayList<>();
      while (!ended.get()) {
        for (int i = 0; i < 100; i++) {
          held.add(allocator.allocate(1 + 10_000L * i, stream));
        }
        held.forEach(Allocation::close);
        held.clear();
      }
    }
  }
}
