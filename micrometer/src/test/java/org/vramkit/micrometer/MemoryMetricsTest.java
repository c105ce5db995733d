package org.vramkit.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.allocator.Metric;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.decorator.LimitingAllocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.pinned.PooledPinnedBuffer;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("Metrics")
class MemoryMetricsTest {
  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build();
  private final MockClock clock = new MockClock();
  private final MeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);

  @AfterEach
  void nothingIsLeft() {
    assertEquals(List.of(), backend.getHazards());
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }

  private double value(String name) {
    return registry.get("vramkit.memory." + name).gauge().value();
  }

  private long gauge(String name) {
    return Math.round(value(name));
  }

  private long counted(String name, String... tags) {
    return Math.round(registry.get(name).tags(tags).functionCounter().count());
  }

  private void wait(int millis) {
    clock.add(millis, TimeUnit.MILLISECONDS);
  }

  @Test
  @DisplayName("44.2 have descriptions, which monitoring systems show")
  void descriptions() {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        PinnedPool pinned = PinnedPool.create(backend.getDevice(0));
        MemoryMetrics metrics =
            MemoryMetrics.builder().allocator("a", allocator).pinnedPool("b", pinned).build()) {
      metrics.bindTo(registry);
      assertTrue(registry.getMeters().size() >= 15);
      Described.assertAll(registry);
    }
  }

  @Test
  @DisplayName("17.24 of a name that the registry already has are rejected as a whole, not lost")
  void sameName() {
    try (CachingAllocator first = CachingAllocator.create(backend.getDevice(0));
        CachingAllocator second = CachingAllocator.create(backend.getDevice(0));
        MemoryMetrics metrics = MemoryMetrics.of(first)) {
      MemoryMetrics other =
          MemoryMetrics.builder()
              .allocator("not yet there", second)
              .allocator("default", second)
              .build();
      metrics.bindTo(registry);
      int meters = registry.getMeters().size();
      String message =
          String.valueOf(
              assertThrows(InvalidArgumentException.class, () -> other.bindTo(registry))
                  .getMessage());
      assertTrue(message.contains("from other MemoryMetrics"), message);
      assertEquals(meters, registry.getMeters().size());
      other.close();
      assertEquals(meters, registry.getMeters().size(), "the first one's stay");
      MemoryMetrics.builder()
          .allocator("default", second)
          .tags(Tag.of("service", "b"))
          .build()
          .bindTo(registry);
      assertEquals(2 * meters, registry.getMeters().size());
    }
  }

  @Test
  @DisplayName("42.24 of one device in one registry differ by name and share its memory")
  void twoOfOneDevice() {
    try (CachingAllocator first = CachingAllocator.create(backend.getDevice(0));
        CachingAllocator second = CachingAllocator.create(backend.getDevice(0))) {
      long others = backend.getDevice(0).getMemoryInfo().getUsedBytes();
      MemoryMetrics training = MemoryMetrics.builder().allocator("training", first).build();
      MemoryMetrics serving = MemoryMetrics.builder().allocator("serving", second).build();
      training.bindTo(registry);
      int meters = registry.getMeters().size();
      serving.bindTo(registry);
      // They have the gauge of the device in common.
      assertEquals(2 * meters - 1, registry.getMeters().size());
      try (Allocation one = first.allocate(10 * ByteSize.MIB);
          Allocation two = second.allocate(20 * ByteSize.MIB)) {
        assertEquals(one.getSize(), live("training"));
        assertEquals(two.getSize(), live("serving"));
        assertEquals(others, gauge("foreign"), "neither calls the other's memory foreign");
        training.close();
        assertEquals(meters, registry.getMeters().size());
        assertEquals(others + first.getStatistics().reserved().current(), gauge("foreign"));
      }
      MemoryMetrics again = MemoryMetrics.builder().allocator("training", first).build();
      again.bindTo(registry);
      assertEquals(2 * meters - 1, registry.getMeters().size());
      again.close();
      serving.close();
      assertEquals(List.of(), registry.getMeters());
    }
  }

  private long live(String pool) {
    return Math.round(registry.get("vramkit.memory.live").tag("pool", pool).gauge().value());
  }

  @Test
  @DisplayName("42.24 of devices of two backends with the same ordinal differ by tags")
  void twoBackends() {
    try (SimBackend other = SimBackend.builder().device(DeviceProfile.H200).build();
        CachingAllocator here = CachingAllocator.create(backend.getDevice(0));
        CachingAllocator there = CachingAllocator.create(other.getDevice(0));
        MemoryMetrics metrics = MemoryMetrics.builder().allocator("here", here).build()) {
      metrics.bindTo(registry);
      int meters = registry.getMeters().size();
      MemoryMetrics untold = MemoryMetrics.builder().allocator("there", there).build();
      assertThrows(InvalidArgumentException.class, () -> untold.bindTo(registry));
      assertEquals(meters, registry.getMeters().size());
      try (MemoryMetrics told =
          MemoryMetrics.builder().allocator("there", there).tags(Tag.of("backend", "b")).build()) {
        told.bindTo(registry);
        assertEquals(2 * meters, registry.getMeters().size());
      }
    }
  }

  @Test
  @SuppressWarnings("NullAway") // that is what it is about
  @DisplayName("17.24 are bound to no registry that is null, and can be closed afterwards")
  void noRegistry() {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        MemoryMetrics metrics = MemoryMetrics.of(allocator)) {
      assertThrows(NullPointerException.class, () -> metrics.bindTo(null));
      assertThrows(NullPointerException.class, () -> metrics.bindTo(null));
    }
  }

  @Test
  @DisplayName("22.4 are the allocator's figures, in bytes, with device and pool")
  void figures() {
    try (CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0)).limit(ByteSize.GIB).build();
        MemoryMetrics metrics =
            MemoryMetrics.builder()
                .allocator("training", allocator)
                .tags(Tag.of("service", "batch"))
                .build()) {
      metrics.bindTo(registry);
      try (Allocation held = allocator.allocate(3 * ByteSize.MIB)) {
        allocator.allocate(500).close();
        allocator.allocate(400).close();
        AllocatorStatistics figures = allocator.getStatistics();
        assertEquals(3 * ByteSize.MIB, held.getSize());
        assertEquals(figures.active().current(), gauge("live"));
        assertEquals(figures.reserved().current(), gauge("reserved"));
        assertEquals(gauge("reserved"), gauge("live") + gauge("cached") + gauge("fragments"));
        assertEquals(0, gauge("suspended"));
        assertEquals(ByteSize.GIB, gauge("limit"));
        assertEquals(1, counted("vramkit.allocations", "result", "cache-hit"));
        assertEquals(figures.misses(), counted("vramkit.allocations", "result", "grow"));
        assertEquals(
            figures.servedFromPool() - figures.cacheHits(),
            counted("vramkit.allocations", "result", "search"));
        assertEquals(1, figures.cacheHits());
        assertEquals(3, figures.servedFromPool() + figures.misses());
        FunctionTimer driver = registry.get("vramkit.driver").functionTimer();
        assertEquals(allocator.getWorkStatistics().driverCalls(), Math.round(driver.count()));
        assertTrue(driver.totalTime(TimeUnit.NANOSECONDS) > 0);
        assertEquals(0, Math.round(registry.get("vramkit.wait").functionTimer().count()));
        assertEquals(0, counted("vramkit.out.of.memory"));
        assertEquals(0, counted("vramkit.leaks"));
        Meter.Id id = registry.get("vramkit.memory.live").gauge().getId();
        assertEquals("bytes", id.getBaseUnit());
        assertEquals(
            "device=0 pool=training service=batch",
            id.getTags().stream()
                .map(tag -> tag.getKey() + "=" + tag.getValue())
                .collect(Collectors.joining(" ")));
      }
    }
  }

  @Test
  @DisplayName("22.4 have a meter for each figure of the table")
  void everyFigure() {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        MemoryMetrics metrics = MemoryMetrics.of(allocator);
        Allocation held = allocator.allocate(1000)) {
      metrics.bindTo(registry);
      for (Figure each : Figure.values()) {
        String prefix = each.getKind() == Metric.Kind.COUNTER ? "vramkit." : "vramkit.memory.";
        boolean renamed = each == Figure.OUT_OF_MEMORIES;
        String name = prefix + (renamed ? "out.of.memory" : each.getName().replace(' ', '.'));
        double expected = allocator.getStatistics().get(each).current();
        double told = registry.get(name).meter().measure().iterator().next().getValue();
        if (each.getUnit() != Metric.Unit.NANOSECONDS) {
          assertEquals(expected, told, name);
        }
      }
      assertEquals(1000, held.getSize());
    }
  }

  @Test
  @DisplayName("22.4 count refusals and moved pages")
  void refusals() {
    try (CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0)).limit(4 * ByteSize.MIB).build();
        MemoryMetrics metrics = MemoryMetrics.of(allocator)) {
      metrics.bindTo(registry);
      assertThrows(
          DeviceOutOfMemoryException.class, () -> allocator.allocate(5 * ByteSize.MIB).close());
      assertEquals(1, counted("vramkit.out.of.memory", "pool", "default"));
      assertEquals(0, counted("vramkit.pages.moved"));
    }
  }

  @Test
  @DisplayName("22.4 tell the bytes of a device that others hold")
  void foreign() {
    try (CachingAllocator one = CachingAllocator.create(backend.getDevice(0));
        CachingAllocator two = CachingAllocator.create(backend.getDevice(0));
        MemoryMetrics metrics =
            MemoryMetrics.builder().allocator("one", one).allocator("two", two).build();
        Allocator other = DirectAllocator.builder(backend.getDevice(0)).build()) {
      metrics.bindTo(registry);
      long before = backend.getDevice(0).getMemoryInfo().getUsedBytes();
      assertEquals(before, gauge("foreign"));
      Allocation ours = one.allocate(10 * ByteSize.MIB);
      Allocation ours2 = two.allocate(20 * ByteSize.MIB);
      assertEquals(before, gauge("foreign"));
      Allocation theirs = other.allocate(64 * ByteSize.MIB);
      assertEquals(before + 64 * ByteSize.MIB, gauge("foreign"));
      theirs.close();
      assertEquals(before, gauge("foreign"));
      ours.close();
      ours2.close();
    }
  }

  @Test
  @DisplayName("22.4 read an allocator at most ten times a second")
  void fresh() {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        MemoryMetrics metrics = MemoryMetrics.of(allocator)) {
      metrics.bindTo(registry);
      assertEquals(0, gauge("live"));
      try (Allocation held = allocator.allocate(1000)) {
        wait(99);
        assertEquals(0, gauge("live"));
        wait(1);
        assertEquals(allocator.sizeOf(held.getSize()), gauge("live"));
      }
    }
  }

  @Test
  @DisplayName("22.4 know page-locked pools and any other allocator")
  void others() {
    try (PinnedPool pinned = PinnedPool.create(backend.getDevice(0));
        CachingAllocator inner = CachingAllocator.create(backend.getDevice(0));
        Allocator limited = LimitingAllocator.over(inner, ByteSize.MIB);
        MemoryMetrics metrics =
            MemoryMetrics.builder()
                .pinnedPool("staging", pinned)
                .allocator("limited", limited)
                .build();
        PooledPinnedBuffer buffer = pinned.acquire(5000)) {
      metrics.bindTo(registry);
      assertEquals(5000, buffer.getSize());
      assertEquals(pinned.getLockedBytes(), gauge("pinned"));
      assertEquals(DeviceProfile.H200.properties().totalMemoryBytes(), gauge("limit"));
    }
  }

  @Test
  @DisplayName("22.4 leave a registry when they are closed, and nothing else")
  void removal() {
    registry.counter("mine").increment();
    MeterRegistry second = new SimpleMeterRegistry();
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0))) {
      MemoryMetrics metrics = MemoryMetrics.of(allocator);
      metrics.bindTo(registry);
      int meters = registry.getMeters().size();
      metrics.bindTo(registry);
      assertEquals(meters, registry.getMeters().size());
      metrics.bindTo(second);
      metrics.close();
      metrics.close();
      assertEquals(1, registry.getMeters().size());
      assertEquals(List.of(), second.getMeters());
      assertThrows(ClosedException.class, () -> metrics.bindTo(second));
    }
  }

  @Test
  @DisplayName("22.4 have the last figures of an allocator, and none of a device, that is closed")
  void closed() {
    SimBackend other = SimBackend.builder().device(DeviceProfile.H200).build();
    CachingAllocator allocator = CachingAllocator.create(other.getDevice(0));
    MemoryMetrics metrics = MemoryMetrics.of(allocator);
    metrics.bindTo(registry);
    allocator.allocate(1000).close();
    allocator.close();
    assertEquals(0, gauge("reserved"));
    assertEquals(1, counted("vramkit.allocations", "result", "grow"));
    other.close();
    assertEquals(Double.NaN, value("foreign"));
    metrics.close();
  }

  @Test
  @DisplayName("42.24 leave the registry once their allocator is collected, and do not keep it")
  void gone() throws InterruptedException {
    CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
    MemoryMetrics.of(allocator).bindTo(registry);
    registry.counter("mine").increment();
    allocator.allocate(1000).close();
    allocator.close();
    WeakReference<CachingAllocator> weak = new WeakReference<>(allocator);
    allocator = null;
    awaitCollected(weak);
    for (int i = 0; i < 1_000 && registry.getMeters().size() > 1; i++) {
      // The collector hands what it found to the thread that removes meters.
      Thread.sleep(10);
    }
    assertEquals(
        List.of("mine"),
        registry.getMeters().stream().map(each -> each.getId().getName()).toList());
    try (CachingAllocator next = CachingAllocator.create(backend.getDevice(0));
        MemoryMetrics metrics = MemoryMetrics.of(next)) {
      metrics.bindTo(registry);
      assertEquals(0, gauge("live"));
    }
  }

  private static void awaitCollected(WeakReference<?> weak) throws InterruptedException {
    for (int i = 0; i < 100 && weak.get() != null; i++) {
      System.gc();
      Thread.sleep(20);
    }
    assertNull(weak.get(), "a meter keeps the allocator");
  }

  @Test
  @DisplayName("22.4 refuse a pool name twice")
  void names() {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0))) {
      MemoryMetrics.Builder builder = MemoryMetrics.builder().allocator("a", allocator);
      InvalidArgumentException e =
          assertThrows(InvalidArgumentException.class, () -> builder.allocator("a", allocator));
      assertTrue(e.toString().contains("'a' is already used"), e.toString());
    }
  }
}
