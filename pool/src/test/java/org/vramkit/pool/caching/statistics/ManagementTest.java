package org.vramkit.pool.caching.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Metric;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorMXBean;
import org.vramkit.pool.caching.PoolsCopy;
import org.vramkit.pool.caching.ScriptedDevice;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("42.28 The bean of an allocator in a JVM whose management runs")
class ManagementTest {
  private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final Set<ObjectName> before = beans();

  @AfterEach
  void nothingLeft() {
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }

  private Set<ObjectName> beans() {
    try {
      return server.queryNames(new ObjectName("org.vramkit:type=CachingAllocator,*"), null);
    } catch (javax.management.MalformedObjectNameException e) {
      throw new AssertionError(e);
    }
  }

  private ObjectName added() {
    Set<ObjectName> added = new HashSet<>(beans());
    added.removeAll(before);
    assertEquals(1, added.size(), added.toString());
    return added.iterator().next();
  }

  @Test
  @DisplayName("is there while the allocator is open, and counted for tools that look from outside")
  void life() {
    long open = Long.parseLong(System.getProperty("vramkit.open-allocators", "0"));
    CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
    assertEquals(Long.toString(open + 1), System.getProperty("vramkit.open-allocators"));
    assertTrue(server.isRegistered(added()));
    allocator.close();
    assertFalse(beans().stream().anyMatch(each -> !before.contains(each)));
    assertEquals(Long.toString(open), System.getProperty("vramkit.open-allocators"));
  }

  @Test
  @DisplayName(
      "has a name of its own and is counted, even if class loaders have copies of the pools")
  void copiesOfThePools() {
    long open = Long.parseLong(System.getProperty("vramkit.open-allocators", "0"));
    Allocator one = PoolsCopy.unchanged().allocator(backend.getDevice(0), Map.of());
    ObjectName first = added();
    PoolsCopy.unchanged().allocator(backend.getDevice(0), Map.of()).close();
    assertTrue(server.isRegistered(first));
    assertEquals(Long.toString(open + 1), System.getProperty("vramkit.open-allocators"));
    one.close();
    assertFalse(server.isRegistered(first));
  }

  @Test
  @DisplayName(
      "has a name of its own, and is counted, after a program restored its system properties")
  void restoredProperties() {
    Properties saved = (Properties) System.getProperties().clone();
    CachingAllocator first = CachingAllocator.create(backend.getDevice(0));
    ObjectName name = added();
    Properties used = System.getProperties();
    String open = used.getProperty("vramkit.open-allocators");
    System.setProperties(saved);
    try {
      CachingAllocator.create(backend.getDevice(0)).close();
      assertTrue(server.isRegistered(name));
      assertEquals(open, System.getProperty("vramkit.open-allocators"));
    } finally {
      System.setProperties(used);
    }
    first.close();
    assertFalse(server.isRegistered(name));
  }

  @Test
  @DisplayName("counts an allocator that was dropped without a close, whose memory stays reserved")
  void dropped() throws InterruptedException {
    long open = Long.parseLong(System.getProperty("vramkit.open-allocators", "0"));
    WeakReference<CachingAllocator> dropped =
        new WeakReference<>(CachingAllocator.create(new ScriptedDevice()));
    for (int i = 0; i < 100 && dropped.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertNull(dropped.get());
    assertEquals(Long.toString(open + 1), System.getProperty("vramkit.open-allocators"));
  }

  @Test
  @ResourceLock(Resources.SYSTEM_PROPERTIES)
  @DisplayName("sets the limit and trims, only if the JVM allows it")
  void control() {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0))) {
      CachingAllocatorMXBean bean =
          JMX.newMXBeanProxy(server, added(), CachingAllocatorMXBean.class);
      allocator.allocate(8 * ByteSize.MIB).close();
      long reserved = allocator.getStatistics().reserved().current();
      for (Executable change :
          List.<Executable>of(() -> bean.setLimit(ByteSize.GIB), () -> bean.trim(0))) {
        String refused =
            String.valueOf(assertThrows(IllegalStateException.class, change).getMessage());
        assertTrue(refused.endsWith("start it with -Dvramkit.remote-control=true"), refused);
      }
      assertEquals(Long.MAX_VALUE, bean.getLimit());
      assertEquals(reserved, allocator.getStatistics().reserved().current());
      System.setProperty("vramkit.remote-control", "true");
      try {
        bean.setLimit(ByteSize.GIB);
        assertEquals(ByteSize.GIB, allocator.getLimit());
        assertEquals(ByteSize.GIB, bean.getLimit());
        bean.trim(0);
        assertEquals(0, allocator.getStatistics().reserved().current());
        String wrong =
            String.valueOf(
                assertThrows(IllegalStateException.class, () -> bean.setLimit(-1)).getMessage());
        assertTrue(wrong.contains("limit"), wrong);
      } finally {
        System.clearProperty("vramkit.remote-control");
      }
    }
  }

  @Test
  @DisplayName("begins and ends the history, and shows the summary")
  void operations() {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0))) {
      CachingAllocatorMXBean bean =
          JMX.newMXBeanProxy(server, added(), CachingAllocatorMXBean.class);
      assertEquals(0, bean.getDevice());
      assertEquals(allocator.getSummary(), bean.getSummary());
      Map<String, Long> figures = bean.getFigures();
      for (Metric<AllocatorStatistics> each : AllocatorStatistics.getMetrics()) {
        long now = each.value().applyAsLong(allocator.getStatistics());
        assertTrue(
            each.unit() == Metric.Unit.NANOSECONDS || Objects.equals(figures.get(each.key()), now),
            each.name());
      }
      assertEquals(AllocatorStatistics.getMetrics().size(), figures.size());
      assertFalse(bean.isHistoryKept());
      bean.startHistory(ByteSize.MIB, false);
      assertTrue(bean.isHistoryKept());
      allocator.allocate(100).close();
      assertTrue(allocator.getHistory().getCount() >= 3);
      bean.stopHistory();
      assertThrows(NotSupportedException.class, allocator::getHistory);
      IllegalStateException refused =
          assertThrows(IllegalStateException.class, () -> bean.startHistory(1, false));
      assertTrue(refused.toString().contains("at least 64 KiB"), refused.toString());
    }
  }

  @Test
  @DisplayName("says what a dump lacks where vramkit-export is not on the class path")
  void dumpWithoutWriter() {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0))) {
      CachingAllocatorMXBean bean =
          JMX.newMXBeanProxy(server, added(), CachingAllocatorMXBean.class);
      for (RuntimeException each :
          List.of(
              assertThrows(IllegalStateException.class, () -> bean.dump("memory.pickle")),
              assertThrows(
                  NotSupportedException.class,
                  () -> allocator.writeSnapshot(Path.of("memory.pickle"))))) {
        assertTrue(each.toString().contains("add org.vramkit:vramkit-export"), each.toString());
      }
    }
  }
}
