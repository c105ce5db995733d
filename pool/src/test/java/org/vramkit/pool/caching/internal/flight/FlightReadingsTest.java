package org.vramkit.pool.caching.internal.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Metric;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PoolsCopy;
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
    AtomicBoolean ended = new AtomicBoolean();
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Readings readings = new Readings()) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Thread thread = new Thread(() -> comeAndGo(allocator, ended));
        thread.start();
        threads.add(thread);
      }
      try {
        for (int i = 0; i < 50; i++) {
          readings.checkNext();
        }
      } finally {
        ended.set(true);
        for (Thread each : threads) {
          each.join();
        }
      }
    }
  }

  @Test
  @DisplayName("22.8 has a number of its own, even if class loaders have copies of the pools")
  void copiesOfThePools() throws InterruptedException {
    try (Allocator one = PoolsCopy.unchanged().allocator(backend.getDevice(0), Map.of());
        Allocator other = PoolsCopy.unchanged().allocator(backend.getDevice(0), Map.of());
        Allocation few = one.allocate(1 << 20);
        Allocation many = other.allocate(2 << 20);
        Readings readings = new Readings()) {
      Set<Long> seen = new HashSet<>();
      while (!seen.containsAll(Set.of(few.getSize(), many.getSize()))) {
        seen.add(readings.checkNext());
      }
    }
  }

  /** Readings of all allocators of this JVM, also of those that other tests left open. */
  private static final class Readings implements AutoCloseable {
    private final Map<Long, Long> live = new HashMap<>();
    private final BlockingQueue<List<Long>> sums = new LinkedBlockingQueue<>();
    private final RecordingStream stream = new RecordingStream();

    Readings() {
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
    }

    /** Compares the live bytes of the next reading with the sum of its streams; returns them. */
    long checkNext() throws InterruptedException {
      List<Long> each = sums.take();
      assertEquals(each.get(0), each.get(1));
      return each.get(0);
    }

    @Override
    public void close() {
      stream.close();
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
