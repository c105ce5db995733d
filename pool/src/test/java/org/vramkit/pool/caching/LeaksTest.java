package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.option.Option;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;

@DisplayName("22.3 Handles that are dropped without a close")
@Tag("own-schedules")
class LeaksTest {
  private static final long MIB = ByteSize.MIB;

  /** Collections that a handle that nobody has may survive. */
  private static final int MOST_COLLECTIONS = 50;

  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimStream stream = backend.getDevice(0).createStream();
  private final List<LeakReport> leaks = new CopyOnWriteArrayList<>();
  private final AtomicLong clock = new AtomicLong();

  /** What tests drop on purpose ends with the device. */
  @AfterEach
  void end() {
    backend.close();
  }

  private CachingAllocatorBuilder watching(LeakDetection level) {
    return CachingAllocator.builder(backend.getDevice(0))
        .leakDetection(level)
        .leakListener(leaks::add)
        .clock(clock::get);
  }

  /** Nobody has the handle once this returns. */
  private @Nullable WeakReference<Allocation> drop(CachingAllocator allocator, long bytes) {
    return new WeakReference<>(allocator.tagged("forgotten").allocate(bytes, stream));
  }

  private static void collect(@Nullable WeakReference<Allocation> dropped) throws Exception {
    for (int i = 0; dropped != null && dropped.get() != null; i++) {
      assertTrue(i < MOST_COLLECTIONS, "the collector does not take it");
      System.gc();
    }
    System.gc();
    // What a collection finds may be queued before what earlier ones have found, but both in one
    // go. The second reference is queued in a later one.
    for (int i = 0; i < 2; i++) {
      ReferenceQueue<Object> queue = new ReferenceQueue<>();
      WeakReference<Object> later = new WeakReference<>(new Object(), queue);
      do {
        System.gc();
      } while (queue.remove(10) != later);
    }
  }

  @Test
  @DisplayName("are named by an out of memory, which does not advise to close them")
  void outOfMemory() throws Exception {
    CachingAllocator allocator = watching(LeakDetection.ALL).limit(40 * MIB).build();
    collect(drop(allocator, 30 * MIB));
    String told =
        assertThrows(
                AllocatorOutOfMemoryException.class,
                () -> allocator.allocate(20 * MIB, stream).close())
            .toString();
    assertTrue(
        told.contains("; 1 allocation of 30.00 MiB was dropped without close(): VRK-L001"), told);
    assertTrue(
        told.replaceFirst(":\\d+\\)", "")
            .contains(
                "; owners: org.vramkit.pool.caching.LeaksTest"
                    + ".drop(LeaksTest.java 30.00 MiB; 1 allocation"),
        told);
    assertTrue(
        told.endsWith("to do: raise the limit by 10.00 MiB, or ask for at most 10.00 MiB"), told);
  }

  @Test
  @DisplayName("that fill the device leave no advice, with and without pools of free memory")
  void leakedDevice() throws Exception {
    CachingAllocator allocator = watching(LeakDetection.ALL).build();
    collect(drop(allocator, 6144 * MIB));
    PrivatePool pool = allocator.createPool();
    pool.getAllocator().allocate(2048 * MIB, stream).close();
    String nothing = "nothing that this program can free suffices";
    assertEquals(
        nothing + "; a trim of private pool 1 of device 0 frees 2.00 GiB", advice(allocator));
    pool.close();
    collect(drop(allocator, 2048 * MIB));
    assertEquals(nothing, advice(allocator));
  }

  private String advice(CachingAllocator allocator) {
    return assertThrows(
            AllocatorOutOfMemoryException.class,
            () -> allocator.allocate(4096 * MIB, stream).close())
        .getReport()
        .advice();
  }

  @Test
  @DisplayName(
      "is reported by the next allocation, with tag, size, stream and stack; its" + " memory stays")
  void dropped() throws Exception {
    CachingAllocator allocator = watching(LeakDetection.ALL).build();
    collect(drop(allocator, 3 * MIB));
    Allocation next = allocator.allocate(3 * MIB, stream);
    assertEquals(1, leaks.size(), leaks::toString);
    LeakReport leak = leaks.get(0);
    assertEquals("forgotten", leak.tag());
    assertEquals(3 * MIB, leak.size());
    assertEquals("0x" + Long.toHexString(stream.getHandle()), leak.stream());
    assertEquals("drop", leak.stack().get(0).getMethodName());
    assertTrue(leak.stack().size() <= 16);
    assertTrue(next.getAddress() != leak.address(), "its memory was handed out again");
    assertEquals(1, allocator.getStatistics().leaks());
    next.close();
    assertEquals(3 * MIB, allocator.getStatistics().getLiveBytes());
    String refused =
        String.valueOf(assertThrows(IllegalStateException.class, allocator::close).getMessage());
    assertTrue(refused.contains("forgotten"), refused);
  }

  @Test
  @DisplayName("of one allocation in 128, on average, if they are sampled, and without a stack")
  void sampled() throws Exception {
    CachingAllocator allocator = watching(LeakDetection.SAMPLED).build();
    int dropped = 5_000;
    WeakReference<Allocation> last = null;
    for (int i = 0; i < dropped; i++) {
      last = drop(allocator, 1000);
    }
    collect(last);
    for (int i = 0; i < 300; i++) {
      allocator.allocate(1000, stream).close();
    }
    // Some 39 are expected; each of these is 8 deviations away.
    assertTrue(leaks.size() > 5 && leaks.size() < 100, () -> leaks.size() + " leaks");
    assertEquals(List.of(), leaks.get(0).stack());
  }

  @Test
  @DisplayName("receives each leak, however many threads use one cache")
  void droppedByManyThreads() throws Exception {
    CachingAllocator allocator = watching(LeakDetection.ALL).build();
    int threads = 16;
    int each = 500;
    List<Thread> droppers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      droppers.add(
          new Thread(
              () -> {
                for (int j = 0; j < each; j++) {
                  drop(allocator, 4096);
                }
              }));
    }
    droppers.forEach(Thread::start);
    for (Thread dropper : droppers) {
      dropper.join();
    }
    for (int i = 0; leaks.size() < threads * each && i < MOST_COLLECTIONS; i++) {
      collect(null);
      allocator.allocate(MIB, stream).close();
    }
    assertEquals(threads * each, leaks.size());
  }

  @ParameterizedTest
  @EnumSource(LeakDetection.class)
  @SuppressWarnings("NullAway") // what a caller without null checks may do
  @DisplayName("A stream that is null is refused, also by a cache whose next handle is watched")
  void nullStream(LeakDetection level) {
    try (CachingAllocator allocator = watching(level).build()) {
      for (int i = 0; i < 1000; i++) {
        allocator.allocate(4096, stream).close();
        assertThrows(NullPointerException.class, () -> allocator.allocate(4096, null));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(LeakDetection.class)
  @DisplayName("Twin: allocations closed by any thread are never reported")
  void closed(LeakDetection level) throws Exception {
    try (SimStream other = backend.getDevice(0).createStream();
        CachingAllocator allocator = watching(level).build()) {
      WeakReference<Allocation> last = null;
      for (int i = 0; i < 2000; i++) {
        Allocation allocation = allocator.allocate(1 + i * 100L, stream);
        if (i % 10 == 0) {
          allocation.recordUse(other);
        }
        if (i % 3 == 0) {
          Thread closer = new Thread(allocation::close);
          closer.start();
          closer.join();
        } else {
          allocation.close();
        }
        last = new WeakReference<>(allocation);
      }
      collect(last);
      allocator.allocate(MIB, stream).close();
      allocator.allocate(MIB, stream).close();
      allocator.trim(0);
    }
    assertEquals(List.of(), leaks);
  }

  @Test
  @DisplayName("Twin: with off, none is reported")
  void off() throws Exception {
    CachingAllocator allocator = watching(LeakDetection.OFF).build();
    collect(drop(allocator, MIB));
    allocator.allocate(MIB, stream).close();
    assertEquals(List.of(), leaks);
  }

  @Test
  @DisplayName("a listener that fails does not prevent allocations")
  void failingListener() throws Exception {
    CachingAllocator allocator =
        watching(LeakDetection.ALL)
            .leakListener(
                leak -> {
                  throw new IllegalStateException("as a test wants it");
                })
            .build();
    collect(drop(allocator, MIB));
    allocator.allocate(MIB, stream).close();
    assertEquals(1, allocator.getStatistics().leaks());
  }

  @Test
  @DisplayName("an assertion that fails in a listener does not prevent allocations")
  void failingAssertion() throws Exception {
    CachingAllocator allocator =
        watching(LeakDetection.ALL)
            .leakListener(
                leak -> {
                  throw new AssertionError("as a test wants it");
                })
            .build();
    allocator.allocate(MIB, stream).close();
    collect(drop(allocator, 2 * MIB));
    allocator.allocate(MIB, stream).close();
    assertEquals(1, allocator.getStatistics().leaks());
    assertEquals(2 * MIB, allocator.getStatistics().getLiveBytes());
  }

  @Test
  @DisplayName("the system property sets the level, and a wrong one says which there are")
  void property() {
    assertEquals(LeakDetection.ALL, configured("all").options().get(Option.LEAK_DETECTION));
    String message =
        String.valueOf(
            assertThrows(InvalidArgumentException.class, () -> configured("everything"))
                .getMessage());
    assertTrue(message.contains("off, sampled, stacks, all"), message);
  }

  private CachingAllocatorBuilder configured(String level) {
    Properties properties = new Properties();
    properties.setProperty("vramkit.leak-detection", level);
    CachingAllocatorBuilder builder = watching(LeakDetection.OFF);
    ConfiguredOptions.apply(builder, Map.of(), properties);
    return builder;
  }
}
