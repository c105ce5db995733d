package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.DriverCall;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("The cost of driver calls")
class CostModelTest {
  private static final long PAGE = 2 * ByteSize.MIB;

  @ParameterizedTest(
      name = "{0} of {1} MiB: {2} to {3} us on an idle device, {4} to {5} on a busy one")
  @CsvSource({
    "MEM_ALLOC_ASYNC MEM_FREE_ASYNC, 1, 0.77, 1.24, 0.77, 1.24",
    "MEMSET_D8_ASYNC, 1, 3.2, 4.4, 3.2, 4.4",
    "EVENT_RECORD EVENT_QUERY, 0, 1.7, 1.9, 1.7, 1.9",
    "EVENT_QUERY, 0, 1.2, 1.4, 1.2, 1.4",
    "EVENT_CREATE EVENT_DESTROY, 0, 0.15, 0.17, 0.15, 0.17",
    "MEM_MAP, 2, 0.7, 1, 0.7, 1.2",
    "MEM_MAP, 32, 0.7, 1, 0.9, 1.2",
    "MEM_SET_ACCESS, 2, 37, 45, 43, 54",
    "MEM_SET_ACCESS, 32, 37, 46, 51, 56",
    "MEM_SET_ACCESS, 256, 45, 45, 58, 58",
    "MEM_UNMAP, 2, 23, 27, 33, 39",
    "MEM_UNMAP, 32, 23, 27, 37, 40",
    "MEM_UNMAP, 256, 26, 26, 42, 42",
    "MEM_RELEASE, 2, 10, 14, 11, 15",
    "MEM_RELEASE, 32, 25, 40, 30, 42",
    "MEM_RELEASE, 256, 81, 82, 81, 82"
  })
  @DisplayName("18.6 The default model gives what was measured on an H200, idle and busy")
  void measured(
      String functions, long mib, double least, double most, double busyLeast, double busyMost) {
    double idle = micros(functions, mib, false);
    assertTrue(least <= idle && idle <= most, idle + " us");
    double busy = micros(functions, mib, true);
    assertTrue(busyLeast <= busy && busy <= busyMost, busy + " us on a busy device");
  }

  private static double micros(String functions, long mib, boolean busy) {
    return Arrays.stream(functions.split(" "))
            .mapToLong(name -> nanos(DriverFunction.valueOf(name), mib * ByteSize.MIB, busy))
            .sum()
        / 1000.0;
  }

  private static long nanos(DriverFunction function, long bytes, boolean busy) {
    return CostModel.H200.getNanos(function, bytes, busy);
  }

  @Test
  @DisplayName("18.6 Costs fitted to replays are above the costs measured alone, at most twice")
  void fitted() {
    assertBetween(13, 2 * 13, micros("MEM_CREATE", 2, false));
    assertBetween(76, 2 * 76, micros("MEM_ALLOC MEM_FREE", 1, false));
    assertBetween(132, 2 * 132, micros("MEM_ALLOC MEM_FREE", 64, false));
    assertBetween(918, 2 * 918, micros("MEM_ALLOC MEM_FREE", 2048, false));
  }

  private static void assertBetween(double least, double most, double micros) {
    assertTrue(least <= micros && micros <= most, micros + " us");
  }

  @ParameterizedTest(name = "schedule {0}")
  @ValueSource(strings = {"timed", "lazy"})
  @DisplayName("18.6 A call costs more while work is queued, and as before once it is done")
  void busyDevice(String schedule) {
    try (SimBackend backend =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .schedule(Schedule.of(schedule))
            .build()) {
      SimDevice device = backend.getDevice(0);
      long idle = mapAndUnmap(backend);
      try (SimStream stream = device.createStream(StreamKind.NON_BLOCKING)) {
        stream.launch(SimKernel.named("long").taking(20_000_000).build());
        long busy = mapAndUnmap(backend);
        assertEquals(
            idle + extra(DriverFunction.MEM_SET_ACCESS) + extra(DriverFunction.MEM_UNMAP), busy);
        stream.synchronize();
        assertEquals(idle, mapAndUnmap(backend));
      }
    }
  }

  @Test
  @DisplayName("18.6 Work behind a closed gate counts as queued until it is complete")
  void gatedWork() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      long idle = mapAndUnmap(backend);
      try (SimStream one = device.createStream(StreamKind.NON_BLOCKING);
          SimStream other = device.createStream(StreamKind.NON_BLOCKING);
          SimEvent both = device.createEvent()) {
        SimGate gate = backend.createGate("gate");
        one.waitFor(gate);
        other.launch(SimKernel.named("short").build());
        both.record(one);
        other.waitFor(both);
        assertTrue(mapAndUnmap(backend) > idle);
        gate.open();
        device.synchronize();
        assertEquals(idle, mapAndUnmap(backend));
      }
    }
  }

  private static long extra(DriverFunction function) {
    return nanos(function, PAGE, true) - nanos(function, PAGE, false);
  }

  /** What the driver takes for a page to be created, mapped and taken back, in nanoseconds. */
  private static long mapAndUnmap(SimBackend backend) {
    backend.getDriverCalls().reset();
    SimDevice device = backend.getDevice(0);
    VirtualMemory memory = device.getVirtualMemory();
    long range = memory.reserve(PAGE);
    long handle = memory.create(PAGE);
    memory.map(range, PAGE, handle);
    memory.setAccess(range, PAGE, device);
    memory.unmap(range, PAGE);
    memory.release(handle);
    memory.unreserve(range, PAGE);
    return backend.getDriverCalls().getEstimatedNanos();
  }

  @Test
  @DisplayName("18.6 Each mapping of a range after the first costs two thirds")
  void mappings() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      VirtualMemory memory = device.getVirtualMemory();
      long range = memory.reserve(10 * PAGE);
      long[] handles = new long[10];
      for (int i = 0; i < handles.length; i++) {
        handles[i] = memory.create(PAGE);
        memory.map(range + i * PAGE, PAGE, handles[i]);
      }
      memory.setAccess(range, 10 * PAGE, device);
      memory.unmap(range, 10 * PAGE);
      for (DriverFunction function :
          List.of(DriverFunction.MEM_SET_ACCESS, DriverFunction.MEM_UNMAP)) {
        long alone = nanos(function, PAGE, false);
        assertEquals(
            alone + 9 * (alone - alone / 3),
            backend.getDriverCalls().getEstimatedNanos(function.getFunctionName()));
      }
      for (long handle : handles) {
        memory.release(handle);
      }
      memory.unreserve(range, 10 * PAGE);
    }
  }

  @Test
  @DisplayName("57.2 The growth of a driver's pool and a trim cost by their bytes, a hit does not")
  void pools() {
    try (SimBackend backend = SimBackend.builder().build();
        SimStream stream = backend.getDevice(0).createStream();
        DriverPool pool = backend.getDevice(0).getDriverPools().create(0)) {
      pool.setReleaseThreshold(Long.MAX_VALUE);
      long hit = CostModel.H200.getNanos(DriverFunction.MEM_ALLOC_FROM_POOL_ASYNC, 1, false);
      for (long mib : new long[] {64, 1024}) {
        long bytes = mib * ByteSize.MIB;
        long[] address = {0};
        long grown = took(backend, () -> address[0] = pool.allocate(bytes, stream));
        assertEquals(hit + CostModel.H200.getPoolGrowthNanos(bytes), grown);
        assertBetween(0.1 * mib, 3.0 * mib, grown / 1000.0);
        pool.free(address[0], stream);
        stream.synchronize();
        assertEquals(hit, took(backend, () -> address[0] = pool.allocate(bytes, stream)));
        pool.free(address[0], stream);
        stream.synchronize();
        long trimmed = took(backend, () -> pool.trim(0));
        assertTrue(trimmed > CostModel.H200.getPoolTrimNanos(bytes), trimmed + " ns");
        assertBetween(1, 2, grown / (double) trimmed);
      }
    }
  }

  @Test
  @DisplayName("57.2 Access of another device costs by the blocks that it opens")
  void otherDevice() {
    try (SimBackend backend =
        SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build()) {
      SimDevice device = backend.getDevice(0);
      SimDevice other = backend.getDevice(1);
      assertBetween(750, 1250, micros(backend, () -> device.getPeerAccess().enable(other)));
      assertBetween(20, 40, micros(backend, () -> device.getPeerAccess().disable(other)));
      long[] blocks = new long[200];
      for (int i = 0; i < blocks.length; i++) {
        blocks[i] = other.getMemory().allocate(PAGE);
      }
      long small = other.getMemory().allocate(1);
      assertBetween(5_300, 5_500, micros(backend, () -> device.getPeerAccess().enable(other)));
      assertBetween(3_000, 3_200, micros(backend, () -> device.getPeerAccess().disable(other)));
      other.getMemory().free(small);
      for (long each : blocks) {
        other.getMemory().free(each);
      }
      VirtualMemory memory = device.getVirtualMemory();
      long range = memory.reserve(PAGE);
      long handle = memory.create(PAGE);
      memory.map(range, PAGE, handle);
      assertBetween(37, 45, micros(backend, () -> memory.setAccess(range, PAGE, device)));
      assertBetween(850, 950, micros(backend, () -> memory.setAccess(range, PAGE, other)));
      assertBetween(37, 45, micros(backend, () -> memory.setAccess(range, PAGE, other)));
      assertBetween(20, 45, micros(backend, () -> memory.removeAccess(range, PAGE, other)));
      memory.unmap(range, PAGE);
      memory.release(handle);
      memory.unreserve(range, PAGE);
      assertEquals(List.of(), backend.getLeaks());
    }
  }

  @Test
  @DisplayName("57.2 A model without costs has none for what calls do, either")
  void free() {
    assertEquals(0, CostModel.FREE.getPoolGrowthNanos(ByteSize.GIB));
    assertEquals(0, CostModel.FREE.getPoolTrimNanos(ByteSize.GIB));
    assertEquals(0, CostModel.FREE.getOtherDeviceNanos(DriverFunction.CTX_ENABLE_PEER_ACCESS));
  }

  private static long took(SimBackend backend, Runnable call) {
    long before = backend.getTimeNanos();
    call.run();
    return backend.getTimeNanos() - before;
  }

  private static double micros(SimBackend backend, Runnable call) {
    return took(backend, call) / 1000.0;
  }

  @Test
  @DisplayName("Costs pass on the host's clock, and their sum is the estimate")
  void estimate() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      long begin = backend.getTimeNanos();
      backend.getDriverCalls().reset();
      long address = device.getMemory().allocate(64 * ByteSize.MIB);
      device.getMemory().free(address);
      device.createEvent().close();
      long sum =
          backend.getDriverCalls().getRecent().stream().mapToLong(DriverCall::costNanos).sum();
      assertEquals(sum, backend.getDriverCalls().getEstimatedNanos());
      assertEquals(sum, backend.getTimeNanos() - begin);
      assertEquals(4, backend.getDriverCalls().getTotal());
      assertEquals(1, backend.getDriverCalls().getCount("cuMemAlloc"));
    }
  }
}
