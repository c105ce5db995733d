package org.vramkit.pool.streamordered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.api.units.ByteSize.GIB;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimGate;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("StreamOrderedPool: the driver fails")
class StreamOrderedPoolFailureTest {
  private static final String[] CALLS = {
    "cuEventQuery",
    "cuEventRecord",
    "cuEventCreate",
    "cuEventDestroy",
    "cuEventSynchronize",
    "cuStreamWaitEvent",
    "cuMemFree"
  };

  private static void closeBlocksOf(PoolScene scene, SimStream stream, long... sizes) {
    for (long size : sizes) {
      Allocation block = scene.allocator.allocate(size, stream);
      scene.work(stream, block.getAddress(), size);
      block.close();
    }
  }

  private static void assertAllBack(PoolScene scene) {
    scene.backend.getFaults().clear();
    scene.device.synchronize();
    scene.allocator.trim(0);
    AllocatorStatistics figures = scene.allocator.getStatistics();
    assertEquals(0, figures.reserved().current(), "reserved");
    assertEquals(0, figures.cachedBytes(), "cached");
    assertEquals(
        scene.device.getMemoryInfo().totalBytes(), scene.device.getMemoryInfo().freeBytes());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  @DisplayName("17.3 no block is lost to a question that fails, whichever of two it is")
  @Tag("virtual-time")
  void failedQuestion(int nth) {
    try (PoolScene scene = new PoolScene(AllocatorKind.STREAM_ORDERED)) {
      SimGate gate = scene.backend.createGate("gate");
      scene.s1.waitFor(gate);
      scene.s2.waitFor(gate);
      closeBlocksOf(scene, scene.s1, 50 * MIB);
      closeBlocksOf(scene, scene.s2, 51 * MIB);
      gate.open();
      scene.device.synchronize();
      scene.backend.getFaults().failNth("cuEventQuery", nth, Fault.UNKNOWN);
      assertThrows(DriverException.class, () -> scene.allocator.allocate(8 * GIB, scene.s1));
      assertEquals(101 * MIB, scene.allocator.getStatistics().cachedBytes());
      scene.allocator.allocate(8 * GIB, scene.s1).close();
      assertAllBack(scene);
    }
  }

  @Test
  @DisplayName("17.3 an event that cannot be given back at the end costs no memory")
  void failedDestroy() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      SimStream stream = device.createStream();
      StreamOrderedPool pool = StreamOrderedPool.builder(device).build();
      pool.allocate(50 * MIB, stream).close();
      backend.getFaults().failNext("cuEventDestroy", Fault.UNKNOWN);
      assertThrows(DriverException.class, pool::close);
      pool.close();
      assertEquals(0, pool.getStatistics().reserved().current());
      assertEquals(device.getMemoryInfo().totalBytes(), device.getMemoryInfo().freeBytes());
      stream.close();
    }
  }

  @Test
  @DisplayName(
      "17.3 the memory of a lost device is dropped, so a trim after the close calls no driver")
  void lostDevice() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      SimStream stream = device.createStream();
      StreamOrderedPool pool = StreamOrderedPool.builder(device).build();
      pool.allocate(50 * MIB, stream).close();
      pool.allocate(51 * MIB, stream).close();
      backend.getFaults().failNext("cuMemFree", Fault.FATAL);
      assertThrows(FatalDeviceException.class, pool::close);
      pool.trimCache(0);
      assertEquals(0, pool.getStatistics().reserved().current());
      stream.close();
      assertEquals(List.of(), backend.getLeaks());
    }
  }

  @Test
  @DisplayName("17.3 no block is lost to a wait that fails")
  @Tag("virtual-time")
  void failedWait() {
    try (PoolScene scene = new PoolScene(AllocatorKind.STREAM_ORDERED)) {
      closeBlocksOf(scene, scene.s1, 50 * MIB);
      scene.backend.getFaults().failNext("cuEventSynchronize", Fault.UNKNOWN);
      assertThrows(DriverException.class, () -> scene.allocator.trim(0));
      assertEquals(50 * MIB, scene.allocator.getStatistics().cachedBytes());
      assertAllBack(scene);
    }
  }

  @Test
  @DisplayName("17.3 of four threads and calls that fail now and then, every byte comes back")
  void failuresUnderThreads() throws InterruptedException, ExecutionException {
    long seed = 173;
    try (PoolScene scene = new PoolScene(AllocatorKind.STREAM_ORDERED)) {
      for (String call : CALLS) {
        scene.backend.getFaults().failRandomly(call, 0.05, Fault.UNKNOWN);
      }
      ExecutorService executor = Executors.newFixedThreadPool(4);
      try {
        List<Future<?>> running = new ArrayList<>();
        SplittableRandom seeds = new SplittableRandom(seed);
        for (int t = 0; t < 4; t++) {
          SplittableRandom random = seeds.split();
          running.add(executor.submit(() -> work(scene, random)));
        }
        for (Future<?> each : running) {
          each.get();
        }
      } finally {
        executor.shutdown();
      }
      assertEquals(0, scene.allocator.getStatistics().allocations().current(), "seed " + seed);
      assertAllBack(scene);
    }
  }

  private static void work(PoolScene scene, SplittableRandom random) {
    for (int i = 0; i < 300; i++) {
      SimStream stream = random.nextBoolean() ? scene.s1 : scene.s2;
      try (Allocation block = scene.allocator.allocate((1 + random.nextInt(4)) * GIB / 2, stream)) {
        scene.work(stream, block.getAddress(), 1);
        if (random.nextBoolean()) {
          block.recordUse(random.nextBoolean() ? scene.s1 : scene.s2);
        }
      } catch (DriverException | DeviceOutOfMemoryException e) {
        // As planned; what matters is what is there in the end.
        Thread.onSpinWait();
      }
    }
  }
}
