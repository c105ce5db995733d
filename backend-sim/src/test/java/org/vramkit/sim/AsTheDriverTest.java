package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("57.1 As driver 580 on an H200")
class AsTheDriverTest {
  private static final long MIB = 1 << 20;
  private static final long WORK = 1 << 30;
  private static final String PTX =
      """
      .version 6.0
      .target sm_50
      .address_size 64
      .visible .global .align 4 .u32 counter = 5;
      .visible .entry none() { ret; }
      """;

  private final SimBackend backend =
      SimBackend.builder().schedule(Schedule.timed()).checker(CheckerOptions.OFF).build();
  private final SimDevice device = backend.getDevice(0);
  private final SimStream stream = device.createStream();

  @AfterEach
  void close() {
    backend.close();
  }

  private static String state(DriverPool pool) {
    return pool.getStatistics().usedBytes() + " of " + pool.getStatistics().reservedBytes() / MIB;
  }

  @Test
  @DisplayName("a pool grows by what its free end lacks")
  void growth() {
    try (DriverPool pool = device.getDriverPools().create(0)) {
      long first = pool.allocate(1, stream);
      assertEquals("1 of 32", state(pool));
      long second = pool.allocate(33 * MIB, stream);
      assertEquals(33 * MIB + 1 + " of 64", state(pool));
      pool.free(first, stream);
      pool.free(second, stream);
      stream.synchronize();
      assertEquals("0 of 0", state(pool));
    }
  }

  @Test
  @DisplayName("a pool's limit is rounded up to 32 MiB")
  void limit() {
    try (DriverPool pool = device.getDriverPools().create(1)) {
      pool.free(pool.allocate(1, stream), stream);
      stream.synchronize();
      assertThrows(DeviceOutOfMemoryException.class, () -> pool.allocate(32 * MIB + 1, stream));
    }
    try (DriverPool pool = device.getDriverPools().create(48 * MIB)) {
      pool.free(pool.allocate(64 * MIB, stream), stream);
      stream.synchronize();
    }
  }

  @Test
  @DisplayName("the close of an idle stream and that of a pool release what was freed")
  void closes() {
    // The driver keeps the memory that a second stream needs.
    device.createStream().close();
    long free = device.getMemoryInfo().freeBytes();
    try (DriverPool pool = device.getDriverPools().create(0)) {
      try (Stream own = device.createStream()) {
        pool.free(pool.allocate(MIB, own), own);
      }
      assertEquals("0 of 0", state(pool));
      pool.free(pool.allocate(MIB, stream), stream);
      assertEquals("0 of 32", state(pool));
    }
    assertEquals(free, device.getMemoryInfo().freeBytes());
  }

  @Test
  @DisplayName("without any policy a pool reuses what was freed before the stream's finished work")
  void finishedFree() {
    try (DriverPool pool = device.getDriverPools().create(0);
        Stream other = device.createStream();
        Event event = device.createEvent()) {
      for (DriverPoolReuse each : DriverPoolReuse.values()) {
        pool.setReuse(each, false);
      }
      pool.setReleaseThreshold(Long.MAX_VALUE);
      pool.free(pool.allocate(64 * MIB, stream), stream);
      event.record(stream);
      other.waitFor(event);
      other.synchronize();
      pool.free(pool.allocate(64 * MIB, other), other);
      assertEquals("0 of 64", state(pool));
      other.synchronize();
    }
  }

  @Test
  @DisplayName("loading and unloading a module waits for the device")
  void modules() {
    long memory = device.getMemory().allocate(WORK);
    waits(memory, () -> device.loadModule(PTX));
    KernelModule module = device.loadModule(PTX);
    waits(memory, module::close);
  }

  /** Requires that a call ends after queued work of some hundred microseconds. */
  private void waits(long memory, Runnable call) {
    try (SimEvent end = device.createEvent()) {
      stream.fill(memory, (byte) 1, WORK);
      end.record(stream);
      assertTrue(backend.getTimeNanos() < end.getTimeNanos(), "queued");
      call.run();
      assertTrue(backend.getTimeNanos() >= end.getTimeNanos(), "waited for");
    }
  }

  @Test
  @DisplayName("a capture ends by the unloading of a module")
  void unloadingInCapture() {
    KernelModule module = device.loadModule(PTX);
    device.getGraphs().beginCapture(stream);
    assertEquals(900, assertThrows(CaptureException.class, module::close).getStatus().code());
    assertThrows(CaptureException.class, () -> device.getGraphs().endCapture(stream));
  }

  @Test
  @DisplayName("a variable of a module is no allocation, and its name no kernel's")
  void variables() {
    try (KernelModule module = device.loadModule(PTX)) {
      long address = module.getGlobal("counter").address();
      refused(1, () -> device.getMemory().free(address));
      refused(1, () -> module.getGlobal("none")); // the name of its kernel
      refused(500, () -> module.getGlobal("absent"));
    }
  }

  @Test
  @DisplayName("page-locked memory cannot be locked again, and gone handles are refused at once")
  void refusals() {
    try (PinnedBuffer buffer = device.getPinnedMemory().allocate(8192)) {
      refused(1, () -> device.getPinnedMemory().register(buffer.getBytes(0, 8192)));
    }
    refused(0, () -> device.getVirtualMemory().release(77));
  }

  private static void refused(int status, Runnable call) {
    GpuException refusal = assertThrows(InvalidArgumentException.class, call::run);
    assertEquals(status, refusal.getStatus().code(), refusal.toString());
  }

  @Test
  @DisplayName("a pool at its limit gives up free memory apart for a block that needs all of it")
  void scatteredAtTheLimit() {
    try (DriverPool pool = device.getDriverPools().create(96 * MIB)) {
      long first = pool.allocate(32 * MIB, stream);
      long kept = pool.allocate(32 * MIB, stream);
      long last = pool.allocate(32 * MIB, stream);
      pool.setReleaseThreshold(Long.MAX_VALUE);
      pool.free(first, stream);
      pool.free(last, stream);
      stream.synchronize();
      assertEquals(32 * MIB + " of 96", state(pool));
      long large = pool.allocate(64 * MIB, stream);
      assertEquals(96 * MIB + " of 96", state(pool));
      pool.free(large, stream);
      pool.free(kept, stream);
      stream.synchronize();
    }
  }

  @Test
  @DisplayName("a captured kernel's module ends with the last graph, also beside another capture")
  void moduleBesideCapture() {
    try (SimBackend two =
        SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build()) {
      SimDevice first = two.getDevice(0);
      SimDevice second = two.getDevice(1);
      SimStream ours = first.createStream();
      SimStream theirs = second.createStream();
      KernelModule module = first.loadModule(PTX);
      first.getGraphs().beginCapture(ours);
      ours.launch(module.getKernel("none"), LaunchConfig.of(1, 1));
      Graph graph = first.getGraphs().endCapture(ours);
      module.close();
      second.getGraphs().beginCapture(theirs);
      graph.close();
      second.getGraphs().endCapture(theirs).close();
      ours.close();
      theirs.close();
      assertEquals(List.of(), two.getLeaks());
    }
  }

  @Test
  @DisplayName("a pool that cannot grow keeps the units that it has, and serves what fits there")
  void growsInVain() {
    try (SimBackend small =
        SimBackend.builder()
            .device(DeviceProfile.builder("small").memory(160 * MIB).build())
            .build()) {
      SimDevice own = small.getDevice(0);
      SimStream on = own.createStream();
      long rest = own.getMemory().allocate(64 * MIB);
      DriverPool pool = own.getDriverPools().create(0);
      pool.setReleaseThreshold(Long.MAX_VALUE);
      pool.free(pool.allocate(96 * MIB, on), on);
      on.synchronize();
      assertThrows(DeviceOutOfMemoryException.class, () -> pool.allocate(140 * MIB, on));
      assertEquals("0 of 96", state(pool));
      pool.free(pool.allocate(96 * MIB, on), on);
      on.synchronize();
      pool.close();
      own.getMemory().free(rest);
      on.close();
      assertEquals(List.of(), small.getLeaks());
    }
  }
}
