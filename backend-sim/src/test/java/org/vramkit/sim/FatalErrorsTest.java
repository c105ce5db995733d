package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.sim.driver.DriverCall;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("25 fatal errors and their consequences")
class FatalErrorsTest {
  private static final long PAGE = 2 << 20;
  private static final String STORE =
      """
      .version 6.0
      .target sm_50
      .address_size 64
      .visible .entry store(.param .u64 to) {
        .reg .u64 %rd<2>;
        ld.param.u64 %rd1, [to];
        st.global.u32 [%rd1], 7;
        ret;
      }
      """;

  private static SimBackend strict() {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .device(DeviceProfile.SMALL_8GIB)
        .checker(CheckerOptions.DEFAULT.withFatalIllegalAccess(true))
        .build();
  }

  private static FatalDeviceException fatal(Executable call) {
    return assertThrows(FatalDeviceException.class, call);
  }

  @Test
  @DisplayName(
      "25 a kernel on an illegal address is reported with its operation; then 700 everywhere")
  void illegalAddress() {
    try (SimBackend gpu = strict();
        SimStream s1 = gpu.getDevice(0).createStream();
        SimStream s2 = gpu.getDevice(0).createStream()) {
      s2.launch(SimKernel.named("innocent").build());
      s1.launch(SimKernel.named("relu").writes(0x1000, 16).build());
      s2.synchronize();
      FatalDeviceException later = fatal(s1::synchronize);
      FatalDeviceException elsewhere = fatal(() -> gpu.getDevice(1).getMemory().allocate(512));
      FatalDeviceException thread = CompletableFuture.supplyAsync(() -> fatal(s2::isIdle)).join();
      HazardReport report = gpu.getHazards().get(0);
      assertEquals(List.of(HazardCode.ILLEGAL_ADDRESS), codes(gpu));
      assertEquals("kernel relu", report.later().operation());
      for (FatalDeviceException e : List.of(later, elsewhere, thread)) {
        assertEquals(700, e.getStatus().code());
        String since = "since operation " + report.later().index() + ", kernel relu on stream 0x";
        assertTrue(e.toString().contains(since), e.toString());
        assertEquals(
            "cuStreamSynchronize", e.getStatus().call(), "as the bindings: the first call");
      }
    }
  }

  @Test
  @DisplayName("25 with the checker off, a kernel on an illegal address loses the devices")
  void uncheckedCode() {
    for (boolean open : new boolean[] {true, false}) {
      try (SimBackend gpu = unchecked();
          SimStream stream = gpu.getDevice(0).createStream();
          KernelModule module = gpu.getDevice(0).loadModule(STORE)) {
        long address = gpu.getDevice(1).getMemory().allocate(512);
        if (open) {
          gpu.getDevice(0).getPeerAccess().enable(gpu.getDevice(1));
        }
        stream.launch(module.getKernel("store"), LaunchConfig.of(1, 1), address);
        if (open) {
          stream.synchronize();
        } else {
          assertEquals(700, fatal(stream::synchronize).getStatus().code());
          assertEquals(700, fatal(() -> gpu.getDevice(1).createStream()).getStatus().code());
        }
      }
    }
  }

  @Test
  @DisplayName("25 with the checker off, so does a kernel that declares such an access")
  void declared() {
    List<Function<SimBackend, Long>> illegal =
        List.of(
            gpu -> 16L,
            FatalErrorsTest::freed,
            gpu -> gpu.getDevice(0).getMemory().allocate(512) + 512,
            gpu -> gpu.getDevice(0).getVirtualMemory().reserve(PAGE),
            gpu -> gpu.getDevice(1).getMemory().allocate(512));
    for (Function<SimBackend, Long> each : illegal) {
      try (SimBackend gpu = unchecked();
          SimStream stream = gpu.getDevice(0).createStream()) {
        long address = each.apply(gpu);
        stream.launch(SimKernel.named("wild").writes(address, 16).build());
        assertEquals(700, fatal(stream::synchronize).getStatus().code());
        assertEquals(700, fatal(() -> gpu.getDevice(1).createStream()).getStatus().code());
      }
    }
  }

  private static SimBackend unchecked() {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .device(DeviceProfile.SMALL_8GIB)
        .checker(CheckerOptions.OFF)
        .build();
  }

  private static long freed(SimBackend gpu) {
    long address = gpu.getDevice(0).getMemory().allocate(PAGE);
    gpu.getDevice(0).getMemory().free(address);
    return address;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 512, 4096 - 512})
  @DisplayName("25 with the checker off, parts of memory freed behind queued work serve again")
  void reusedBehind(long at) {
    try (SimBackend gpu =
            SimBackend.builder()
                .device(DeviceProfile.SMALL_8GIB)
                .reuseAddresses(true)
                .checker(CheckerOptions.OFF)
                .build();
        SimStream stream = gpu.getDevice(0).createStream();
        DriverPool pool = gpu.getDevice(0).getDriverPools().create(0)) {
      long target = gpu.getDevice(0).getMemory().allocate(4096);
      long pooled = pool.allocate(4096, stream);
      stream.fill(pooled, (byte) 1, 4096);
      stream.launch(SimKernel.named("last use").reads(pooled, 4096).build());
      stream.copy(target, pooled, 4096);
      pool.free(pooled, stream);
      long before = at == 0 ? 0 : pool.allocate(at, stream);
      long again = pool.allocate(512, stream);
      assertEquals(pooled + at, again);
      stream.fill(again, (byte) 2, 512);
      ByteBuffer found = ByteBuffer.allocate(4096);
      stream.copyToHost(found, target);
      stream.synchronize();
      byte[] ones = new byte[4096];
      Arrays.fill(ones, (byte) 1);
      assertArrayEquals(ones, found.array());
      pool.free(again, stream);
      if (before != 0) {
        pool.free(before, stream);
      }
    }
  }

  @Test
  @DisplayName("25 memory of a pool may be freed behind a copy from mapped memory, without bytes")
  void freedBehindCopy() {
    try (SimBackend gpu =
            SimBackend.builder().device(DeviceProfile.SMALL_8GIB).bytes(false).build();
        SimStream stream = gpu.getDevice(0).createStream();
        DriverPool pool = gpu.getDevice(0).getDriverPools().create(0)) {
      VirtualMemory virtual = gpu.getDevice(0).getVirtualMemory();
      long handle = virtual.create(PAGE);
      long mapped = virtual.reserve(PAGE);
      virtual.map(mapped, PAGE, handle);
      virtual.setAccess(mapped, PAGE, gpu.getDevice(0));
      long pooled = pool.allocate(512, stream);
      stream.copy(pooled, mapped, 512);
      pool.free(pooled, stream);
      stream.synchronize();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("25 with the checker off, memory may be freed in the order of a queued kernel")
  void freedBehind(boolean bytes) {
    try (SimBackend gpu =
            SimBackend.builder()
                .device(DeviceProfile.SMALL_8GIB)
                .bytes(bytes)
                .checker(CheckerOptions.OFF)
                .build();
        SimStream stream = gpu.getDevice(0).createStream();
        DriverPool pool = gpu.getDevice(0).getDriverPools().create(0)) {
      long pooled = pool.allocate(512, stream);
      stream.launch(SimKernel.named("last use").writes(pooled, 512).build());
      pool.free(pooled, stream);
      long plain = gpu.getDevice(0).getMemory().allocate(512);
      stream.launch(SimKernel.named("last use").reads(plain, 512).build());
      gpu.getDevice(0).getStreamOrderedMemory().free(plain, stream);
      stream.synchronize();
    }
  }

  @Test
  @DisplayName(
      "25 later calls are marked as consequences, and the first status is answered for good")
  void consequences() {
    try (SimBackend gpu = strict();
        SimStream stream = gpu.getDevice(0).createStream()) {
      gpu.getFaults().failNext("cuStreamSynchronize", new Fault(719, "CUDA_ERROR_LAUNCH_FAILED"));
      assertEquals(719, fatal(stream::synchronize).getStatus().code());
      gpu.getFaults().failNext("cuStreamQuery", Fault.FATAL);
      FatalDeviceException e = fatal(stream::isIdle);
      assertEquals(719, e.getStatus().code());
      assertTrue(e.toString().contains("cuStreamSynchronize returned 719"), e.toString());
      List<DriverCall> calls = gpu.getDriverCalls().getRecent();
      DriverCall first = calls.get(calls.size() - 2);
      DriverCall second = calls.get(calls.size() - 1);
      assertTrue(first.failed() && !first.consequence(), first.toString());
      assertTrue(second.failed() && second.consequence(), second.toString());
    }
  }

  @Test
  @DisplayName("25 cleaning up after a fatal error gives no second report, and leaves no leak")
  void cleanup() {
    SimBackend gpu = strict();
    SimDevice device = gpu.getDevice(0);
    SimStream stream = device.createStream();
    SimEvent event = device.createEvent();
    PinnedBuffer pinned = device.getPinnedMemory().allocate(4096);
    DriverPool pool = device.getDriverPools().create(0);
    long block = device.getMemory().allocate(4096);
    long chunk = pool.allocate(4096, stream);
    device.getMemoryObserver().allocated(block, 512, stream);
    stream.launch(SimKernel.named("lost").writes(0x1000, 16).build());
    device.getMemoryObserver().freed(block, stream);
    device.getMemoryObserver().freed(block, stream);
    fatal(stream::synchronize);
    device.getMemory().free(block);
    device.getMemory().free(block);
    fatal(() -> pool.free(chunk, stream));
    pool.close();
    pinned.close();
    event.close();
    stream.close();
    stream.close();
    gpu.close();
    assertEquals(List.of(HazardCode.ILLEGAL_ADDRESS), codes(gpu));
    assertEquals(List.of(), gpu.getWarnings());
    assertEquals(List.of(), gpu.getLeaks());
  }

  @Test
  @DisplayName("25 a stream that is never closed is a leak even after a fatal error")
  void stillLeaks() {
    SimBackend gpu = strict();
    gpu.getDevice(0).createStream().launch(SimKernel.named("lost").writes(0x1000, 16).build());
    assertEquals(1, gpu.getLeaks().size());
  }

  @Test
  @DisplayName("25, twin: an injected lack of memory leaves everything usable")
  void outOfMemoryIsHarmless() {
    try (SimBackend gpu = strict();
        SimStream stream = gpu.getDevice(0).createStream()) {
      SimDevice device = gpu.getDevice(0);
      gpu.getFaults().failNext("cuMemAlloc", Fault.OUT_OF_MEMORY);
      assertThrows(DeviceOutOfMemoryException.class, () -> device.getMemory().allocate(512));
      long block = device.getMemory().allocate(512);
      stream.fill(block, (byte) 1, 512);
      stream.synchronize();
      device.getMemory().free(block);
      assertEquals(List.of(), gpu.getHazards());
      assertFalse(gpu.getDriverCalls().getRecent().stream().anyMatch(DriverCall::consequence));
    }
  }

  @Test
  @DisplayName("25, twin: the same illegal address without that option is a report and no more")
  void notFatalByDefault() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1, 0x1000, 16);
      scene.s2.synchronize();
      scene.expect(HazardCode.ILLEGAL_ADDRESS);
    }
  }

  private static List<HazardCode> codes(SimBackend gpu) {
    return gpu.getHazards().stream().map(HazardReport::code).toList();
  }
}
