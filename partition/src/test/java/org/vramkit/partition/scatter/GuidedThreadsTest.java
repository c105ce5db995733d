package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;
import static org.vramkit.partition.scatter.GuidedTasks.write;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.SimBackend;

@DisplayName("S5: threads of a guided scatter, and its listener")
class GuidedThreadsTest {
  private static final int UNITS = 1000;

  @Test
  @DisplayName("S5.6 chunks never run on threads of a work-stealing pool, nor on the caller's")
  void chunksRunOnOwnThreads() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Set<Thread> threads = ConcurrentHashMap.newKeySet();
      // Not the common pool, where a thread that joins a task may run the call itself.
      ForkJoinPool stealing = new ForkJoinPool(2);
      stealing
          .submit(
              () ->
                  scatter.run(
                      UNITS, Schedule.guided(), tile -> threads.add(Thread.currentThread())))
          .join();
      stealing.shutdown();
      assertFalse(threads.isEmpty());
      assertTrue(threads.stream().noneMatch(each -> each instanceof ForkJoinWorkerThread));
      assertTrue(threads.stream().allMatch(Thread::isDaemon));
    }
  }

  @Test
  @DisplayName("24 a task has its device current, and a thread is left as it was")
  void deviceIsCurrentInATask() {
    try (SimBackend backend = backend(2)) {
      AtomicInteger bound = new AtomicInteger();
      AtomicInteger left = new AtomicInteger();
      ThreadLocal<Integer> current = ThreadLocal.withInitial(() -> -1);
      try (Scatter scatter =
          Scatter.builder(DevicePool.of(backend))
              .deviceBinder(
                  device -> {
                    assertEquals(-1, current.get());
                    current.set(device.getOrdinal());
                    bound.incrementAndGet();
                    return () -> {
                      current.set(-1);
                      left.incrementAndGet();
                    };
                  })
              .build()) {
        scatter.run(
            UNITS,
            Schedule.guided(),
            tile -> assertEquals(tile.getTile().ordinal(), current.get()));
      }
      assertTrue(bound.get() > 2);
      assertEquals(bound.get(), left.get());
    }
  }

  @Test
  @DisplayName("the CPU works as one of the devices, on a thread of its own")
  void cpuWorksAsOneOfThem() {
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Units units = new Units(UNITS);
      AtomicLong onCpu = new AtomicLong();
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided().withCpu(),
              (from, to) -> {
                assertEquals("vramkit-scatter-cpu", Thread.currentThread().getName());
                units.add(from, to);
                onCpu.addAndGet(to - from);
              },
              tile -> {
                units.add(tile.getTile());
                write(tile);
              });
      units.assertEachOnce("with CPU");
      assertTrue(onCpu.get() > 0);
      assertEquals(
          onCpu.get(),
          report.tiles().stream()
              .filter(tile -> tile.ordinal() == Tile.CPU)
              .mapToLong(Tile::getUnits)
              .sum());
      assertEquals("", report.reason());
      assertThrows(
          InvalidArgumentException.class,
          () -> scatter.run(UNITS, Schedule.guided().withCpu(), tile -> {}));
    }
  }

  @Test
  @DisplayName("23 two scatters from two threads over the same devices both end")
  void twoScattersShareDevices() throws InterruptedException {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Units first = new Units(UNITS);
      Units second = new Units(UNITS);
      Thread other =
          new Thread(
              () ->
                  scatter.run(
                      UNITS,
                      Schedule.guided(),
                      tile -> {
                        second.add(tile.getTile());
                        write(tile);
                      }));
      other.start();
      scatter.run(
          UNITS,
          Schedule.guided(),
          tile -> {
            first.add(tile.getTile());
            write(tile);
          });
      other.join();
      first.assertEachOnce("first");
      second.assertEachOnce("second");
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("23 a chunk cannot scatter again over the workers that it runs on")
  void nestedScatterIsRefused() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      IllegalStateException e =
          assertThrows(
              IllegalStateException.class,
              () ->
                  scatter.run(
                      2,
                      Schedule.guided(),
                      tile -> scatter.run(2, Schedule.guided(), inner -> {})));
      assertTrue(e.toString().contains("cannot run another scatter"), e.toString());
    }
  }

  @Test
  @DisplayName("chunks are reported as they complete, one at a time, and add up")
  void listenerHearsOfEachChunk() {
    List<Long> told = new CopyOnWriteArrayList<>();
    Set<Long> firsts = new TreeSet<>();
    try (SimBackend backend = backend(4);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend))
                .listener(
                    (range, finished, units) -> {
                      assertEquals(UNITS, units);
                      told.add(finished);
                      firsts.add(range.from());
                    })
                .build()) {
      ScatterReport report = scatter.run(UNITS, Schedule.guided(), GuidedTasks::write);
      assertEquals(report.tiles().size(), told.size());
      assertEquals(report.tiles().size(), firsts.size());
      assertEquals(told.stream().sorted().toList(), told);
      assertEquals(UNITS, told.get(told.size() - 1));
      told.clear();
      scatter.run(UNITS, tile -> {});
      assertEquals(UNITS, told.get(told.size() - 1));
    }
  }

  @Test
  @DisplayName("17 an exception of a listener ends the scatter")
  void listenersFailureEndsTheScatter() {
    IllegalStateException mine = new IllegalStateException("mine");
    try (SimBackend backend = backend(2);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend))
                .listener(
                    (range, finished, units) -> {
                      throw mine;
                    })
                .build()) {
      RuntimeException e =
          assertThrows(
              RuntimeException.class,
              () -> scatter.run(UNITS, Schedule.guided(), GuidedTasks::write));
      assertInstanceOf(IllegalStateException.class, e);
      assertClean(backend);
    }
  }
}
