package org.vramkit.pool.caching.internal.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.ScriptedDevice;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.caching.internal.flight.FlightEvents.GrowEvent;
import org.vramkit.pool.caching.internal.flight.FlightEvents.LeakEvent;
import org.vramkit.pool.caching.internal.flight.FlightEvents.MoveEvent;
import org.vramkit.pool.caching.internal.flight.FlightEvents.OutOfMemoryEvent;
import org.vramkit.pool.caching.internal.flight.FlightEvents.TrimEvent;
import org.vramkit.pool.caching.internal.flight.FlightEvents.VramkitEvent;
import org.vramkit.pool.caching.internal.flight.FlightEvents.WaitEvent;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("The flight recorder")
class FlightRecorderTest {
  /** Bytes that no allocator of another test holds, which may be in this JVM too. */
  private static final long HELD = 5 * ByteSize.MIB + 7 * 512;

  private static final List<Class<? extends VramkitEvent>> ALL =
      List.of(
          GrowEvent.class,
          MoveEvent.class,
          TrimEvent.class,
          WaitEvent.class,
          OutOfMemoryEvent.class,
          LeakEvent.class);

  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build();

  @TempDir Path folder;

  @AfterEach
  void nothingIsLeft() {
    assertEquals(List.of(), backend.getHazards());
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }

  @Test
  @DisplayName("42.28 a recording that begins as an allocator closes leaves no bean of it behind")
  void beanAfterTheClose() throws JMException {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0))) {
      FlightLog log = new FlightLog(backend.getDevice(0), allocator::getStatistics, new Thing());
      ObjectName name =
          new ObjectName("org.vramkit:type=CachingAllocator,device=0,number=" + log.number);
      log.start();
      assertTrue(server.isRegistered(name), "open");
      log.close();
      // The recording had found the log just before.
      log.manage();
      assertFalse(server.isRegistered(name), "closed");
    }
  }

  /** What a bean offers. */
  public interface ThingMBean {}

  /** A bean that offers nothing. */
  public static final class Thing implements ThingMBean {}

  /** What Vramkit told while the work was done. */
  private List<RecordedEvent> recorded(boolean all, Runnable work) throws IOException {
    try (Recording recording = new Recording()) {
      if (all) {
        ALL.forEach(each -> recording.enable(each).withThreshold(Duration.ZERO));
      }
      recording.start();
      work.run();
      recording.stop();
      Path file = folder.resolve("recorded.jfr");
      recording.dump(file);
      return RecordingFile.readAllEvents(file).stream()
          .filter(event -> event.getEventType().getName().startsWith("org.vramkit."))
          .collect(Collectors.toList());
    }
  }

  private static Map<String, Long> countOf(List<RecordedEvent> events) {
    return events.stream()
        .collect(
            Collectors.groupingBy(
                event -> event.getEventType().getName().replace("org.vramkit.", ""),
                TreeMap::new,
                Collectors.counting()));
  }

  private static long bytesOf(List<RecordedEvent> events, String name) {
    return events.stream()
        .filter(event -> event.getEventType().getName().equals("org.vramkit." + name))
        .mapToLong(event -> event.getLong("bytes"))
        .sum();
  }

  @Test
  @DisplayName("22.4 receives taken, moved and returned memory, on either kind of memory")
  void growth() throws IOException {
    for (VirtualMemoryUse use :
        new VirtualMemoryUse[] {VirtualMemoryUse.AUTO, VirtualMemoryUse.OFF}) {
      CachingAllocator allocator =
          CachingAllocator.builder(backend.getDevice(0)).virtualMemory(use).build();
      List<RecordedEvent> events =
          recorded(
              true,
              () -> {
                List<Allocation> held = new ArrayList<>();
                for (int i = 1; i < 20; i++) {
                  held.add(allocator.allocate(i * 3L * ByteSize.MIB));
                }
                held.forEach(Allocation::close);
                allocator.emptyCache();
              });
      long taken = allocator.getStatistics().reserved().added();
      long given = allocator.getStatistics().reserved().removed();
      assertEquals(taken, bytesOf(events, "Grow"), use.toString());
      assertEquals(given, bytesOf(events, "Trim"), use.toString());
      assertTrue(taken > 0 && given > 0);
      allocator.close();
    }
  }

  @Test
  @DisplayName("22.4 receives no hits")
  void hits() throws IOException {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0))) {
      allocator.allocate(1000).close();
      List<RecordedEvent> events =
          recorded(
              true,
              () -> {
                for (int i = 0; i < 10_000; i++) {
                  allocator.allocate(1000).close();
                }
              });
      assertEquals(Map.of(), countOf(events));
      assertEquals(10_000, allocator.getStatistics().cacheHits());
    }
  }

  @Test
  @DisplayName(
      "22.4 receives out-of-memory errors in every recording, and other events"
          + " only if enabled")
  void refusals() throws IOException {
    try (CachingAllocator allocator =
        CachingAllocator.builder(backend.getDevice(0)).limit(8 * ByteSize.MIB).build()) {
      List<RecordedEvent> events =
          recorded(
              false,
              () -> {
                allocator.allocate(ByteSize.MIB).close();
                assertThrows(
                    DeviceOutOfMemoryException.class,
                    () -> allocator.allocate(9 * ByteSize.MIB).close());
              });
      assertEquals(Map.of("OutOfMemory", 1L), countOf(events));
      RecordedEvent refusal = events.get(0);
      assertEquals(9 * ByteSize.MIB, refusal.getLong("requested"));
      assertEquals(8 * ByteSize.MIB, refusal.getLong("limit"));
      assertEquals(0, refusal.getInt("device"));
      assertTrue(refusal.getLong("allocator") > 0);
      assertTrue(
          refusal.getStackTrace().getFrames().stream()
              .anyMatch(frame -> frame.getMethod().getType().getName().contains("FlightRecorder")),
          "the stack of who asked");
    }
  }

  @Test
  @Tag("virtual-time") // Elsewhere the work may be done before anybody waits.
  @DisplayName("22.4 receives waits for a stream")
  void waits() throws IOException {
    try (CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0)).limit(8 * ByteSize.MIB).build();
        Stream own = backend.getDevice(0).createStream();
        Stream other = backend.getDevice(0).createStream()) {
      List<RecordedEvent> events =
          recorded(
              true,
              () -> {
                Allocation block = allocator.allocate(6 * ByteSize.MIB, own);
                own.fill(block.getAddress(), (byte) 1, block.getSize());
                own.synchronize();
                for (int i = 0; i < 100; i++) {
                  other.fill(block.getAddress(), (byte) 1, block.getSize());
                }
                block.recordUse(other);
                block.close();
                allocator.allocate(6 * ByteSize.MIB, own).close();
              });
      assertTrue(countOf(events).containsKey("Wait"), countOf(events).toString());
    }
  }

  @Test
  @DisplayName("22.4 streams the statistics of every allocator, and of its tags, by the second")
  void statistics() throws InterruptedException {
    BlockingQueue<RecordedEvent> pools = new LinkedBlockingQueue<>();
    BlockingQueue<RecordedEvent> tags = new LinkedBlockingQueue<>();
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Allocation held = allocator.tagged("weights").allocate(HELD);
        RecordingStream stream = new RecordingStream()) {
      stream.enable("org.vramkit.PoolStatistics").withPeriod(Duration.ofMillis(50));
      stream.enable("org.vramkit.TagStatistics").withPeriod(Duration.ofMillis(50));
      stream.onEvent("org.vramkit.PoolStatistics", event -> keep(event, pools));
      stream.onEvent("org.vramkit.TagStatistics", event -> keep(event, tags));
      stream.startAsync();
      RecordedEvent pool = await(pools);
      assertEquals(held.getSize(), pool.getLong("live"));
      assertEquals(allocator.getStatistics().reserved().current(), pool.getLong("reserved"));
      assertEquals(
          pool.getLong("reserved"),
          pool.getLong("live") + pool.getLong("cached") + pool.getLong("fragments"));
      assertEquals(1, pool.getLong("allocations"));
      assertEquals(backend.getDevice(0).getMemoryInfo().getUsedBytes(), pool.getLong("deviceUsed"));
      RecordedEvent tag = await(tags);
      assertEquals("weights", tag.getString("tag"));
      assertEquals(HELD, tag.getLong("live"));
      assertEquals(pool.getLong("allocator"), tag.getLong("allocator"));
    }
  }

  @Test
  @DisplayName("22.4 tells of an allocator beside one whose device cannot be asked")
  void untold() throws InterruptedException {
    BlockingQueue<RecordedEvent> pools = new LinkedBlockingQueue<>();
    try (CachingAllocator unaskable = CachingAllocator.create(new ScriptedDevice());
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Allocation held = allocator.allocate(HELD);
        RecordingStream stream = new RecordingStream()) {
      stream.enable("org.vramkit.PoolStatistics").withPeriod(Duration.ofMillis(50));
      stream.onEvent("org.vramkit.PoolStatistics", event -> keep(event, pools));
      stream.startAsync();
      assertEquals(held.getSize(), await(pools).getLong("live"));
      assertEquals(0, unaskable.getStatistics().getLiveBytes());
    }
  }

  @Test
  @DisplayName("22.8 tells an allocator's tags before its figures: no reader has these alone")
  void tagsFirst() throws InterruptedException {
    BlockingQueue<RecordedEvent> told = new LinkedBlockingQueue<>();
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Allocation held = allocator.tagged("weights").allocate(HELD);
        RecordingStream stream = new RecordingStream()) {
      assertTrue(held.getSize() > 0);
      stream.enable("org.vramkit.PoolStatistics").withPeriod(Duration.ofMillis(50));
      stream.enable("org.vramkit.TagStatistics").withPeriod(Duration.ofMillis(50));
      stream.onEvent(event -> keep(event, told));
      stream.startAsync();
      for (int i = 0; i < 6; i++) {
        String expected = "org.vramkit." + (i % 2 == 0 ? "Tag" : "Pool") + "Statistics";
        assertEquals(expected, await(told).getEventType().getName());
      }
    }
  }

  private static void keep(RecordedEvent event, BlockingQueue<RecordedEvent> events) {
    if (event.getLong("live") == HELD) {
      events.add(event);
    }
  }

  private static RecordedEvent await(BlockingQueue<RecordedEvent> events)
      throws InterruptedException {
    RecordedEvent event = events.poll(1, TimeUnit.HOURS);
    if (event == null) {
      throw new AssertionError("no statistics within a minute");
    }
    return event;
  }

  @Test
  @DisplayName("22.4 may be missing from the JVM")
  void absent() throws IOException, InterruptedException, ClassNotFoundException {
    String modules = "java.base,java.logging";
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--limit-modules=" + modules,
                "-cp",
                classPath(),
                WithoutFlightRecorder.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    assertTrue(output.contains("allocated 1000, refused, recorder false"), output);
  }

  /** Where the classes came from that the program needs. */
  private static String classPath() throws ClassNotFoundException {
    List<Class<?>> needed =
        List.of(
            WithoutFlightRecorder.class,
            CachingAllocator.class,
            Allocation.class,
            SimBackend.class,
            Class.forName("com.fasterxml.jackson.core.JsonFactory"));
    return needed.stream()
        .map(each -> each.getProtectionDomain().getCodeSource().getLocation().getPath())
        .distinct()
        .collect(Collectors.joining(File.pathSeparator));
  }
}
