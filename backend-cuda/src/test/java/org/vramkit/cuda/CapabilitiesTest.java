package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPools;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.cuda.driver.BoundDriver;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.GraphCalls;
import org.vramkit.cuda.driver.HostPages;
import org.vramkit.cuda.driver.KernelCalls;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("A device can do what the driver's version, the binding and the device all can")
class CapabilitiesTest {

  private static SimulatedDriver driver() {
    return new SimulatedDriver(SimBackend.builder().device(DeviceProfile.H200).build());
  }

  private static Device device(CudaDriver driver) {
    return new CudaBackend("cuda", driver, new ProcessHealth()).getDevice(0);
  }

  @Test
  @DisplayName("functions newer than the installed driver are gated by its version")
  void gatedByVersion() {
    assertAll(
        () ->
            assertEquals(
                Set.of(
                    Capability.PINNED_HOST_MEMORY, Capability.MANAGED_MEMORY, Capability.KERNELS),
                device(driver().version(10010)).getCapabilities()),
        () ->
            assertEquals(
                Set.of(
                    Capability.PINNED_HOST_MEMORY,
                    Capability.MANAGED_MEMORY,
                    Capability.KERNELS,
                    Capability.VIRTUAL_MEMORY),
                device(driver().version(11010)).getCapabilities()),
        () -> assertTrue(device(driver().version(11020)).supports(Capability.DRIVER_POOLS)),
        () ->
            assertFalse(
                device(driver().version(11020)).supports(Capability.DRIVER_POOL_ATTRIBUTES),
                "the statistics came with 11.3"),
        () ->
            assertTrue(device(driver().version(11030)).supports(Capability.DRIVER_POOL_ATTRIBUTES)),
        () -> assertFalse(device(driver().version(11030)).supports(Capability.GRAPHS)),
        () -> assertTrue(device(driver().version(11040)).supports(Capability.GRAPHS)));
  }

  @Test
  @DisplayName(
      "a binding puts its driver together from groups of calls, without those that it lacks")
  void putTogether() {
    SimulatedDriver whole = driver();
    CudaDriver bound =
        new BoundDriver(
            "a binding 1.0",
            whole.devices(),
            whole.contexts(),
            whole.streams(),
            whole.events(),
            whole.memory(),
            whole.copies(),
            whole.pools(),
            whole.poolAttributes(),
            whole.virtualMemory(),
            GraphCalls.ABSENT,
            KernelCalls.ABSENT,
            HostPages.NONE);
    Device device = device(bound);
    assertFalse(device.supports(Capability.GRAPHS));
    assertTrue(device.supports(Capability.VIRTUAL_MEMORY));
    assertTells(device::getGraphs, "GRAPHS through a binding 1.0");
    assertTells(() -> device.loadModule(""), "KERNELS through a binding 1.0");
  }

  @Test
  @DisplayName("a call that the binding lacks is not supported, and the error names the binding")
  void gatedByBinding() {
    Device device = device(driver().withoutVirtualMemory().withoutPoolAttributes().withoutGraphs());
    assertEquals(
        Set.of(
            Capability.PINNED_HOST_MEMORY,
            Capability.MANAGED_MEMORY,
            Capability.KERNELS,
            Capability.STREAM_ORDERED_MEMORY,
            Capability.DRIVER_POOLS),
        device.getCapabilities());
    NotSupportedException error =
        assertThrows(NotSupportedException.class, device::getVirtualMemory);
    assertTrue(error.toString().contains("VIRTUAL_MEMORY through simulated driver"));
    assertTells(
        device::getVirtualMemory, "the binding lacks cuMemAddressReserve", "from CUDA 10.2 on");
    try (DriverPool pool = device.getDriverPools().create(0)) {
      assertTells(
          pool::getStatistics,
          "the binding lacks cuMemPoolGetAttribute with statistics",
          "from CUDA 11.3 on");
      assertThrows(NotSupportedException.class, () -> pool.setReleaseThreshold(1));
    }
  }

  private static void assertTells(Executable call, String... parts) {
    String message = assertThrows(NotSupportedException.class, call).toString();
    for (String part : parts) {
      assertTrue(message.contains(part), () -> part + " in " + message);
    }
  }

  @Test
  @DisplayName(
      "17.25 a function that the driver lacks is reported by its name and the"
          + " version that has it")
  void whatIsMissing() {
    Device old = device(driver().version(11010));
    String speaks = "the installed one supports CUDA 11.1; update it";
    assertTells(old::getStreamOrderedMemory, "cuMemAllocAsync needs a driver of CUDA 11.2", speaks);
    assertTells(old::getDriverPools, "cuMemPoolCreate needs a driver of CUDA 11.2", speaks);
    assertTells(
        device(driver().version(10010))::getVirtualMemory,
        "cuMemAddressReserve needs a driver of CUDA 10.2");
    DriverPools pools = device(driver().version(11020)).getDriverPools();
    assertTells(
        () -> pools.create(1 << 30),
        "cuMemPoolCreate",
        "CUDA 12.2",
        "the installed driver supports CUDA 11.2");
    try (DriverPool pool = pools.create(0)) {
      assertTells(
          () -> pool.setReleaseThreshold(1),
          "cuMemPoolGetAttribute with statistics needs a driver of CUDA 11.3");
    }
    assertTells(device(driver())::getPeerAccess, "it cannot access any other GPU");
  }

  @Test
  @DisplayName("17.25 a feature that the GPU lacks is reported as such")
  void gpuLacksIt() {
    DeviceProfile without =
        DeviceProfile.builder("without").without(Capability.VIRTUAL_MEMORY).build();
    Device device = device(new SimulatedDriver(SimBackend.builder().device(without).build()));
    assertTells(device::getVirtualMemory, "the GPU has no VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED");
  }

  @Test
  @DisplayName("a maximum that an older driver would not know never reaches it")
  void poolMaximum() {
    DriverPools older = device(driver().version(12010)).getDriverPools();
    older.create(0).close();
    NotSupportedException error =
        assertThrows(NotSupportedException.class, () -> older.create(1 << 30));
    assertTrue(error.toString().contains("CUDA 12.2"), error.toString());
    device(driver().version(12020)).getDriverPools().create(1 << 30).close();
  }

  @Test
  @DisplayName("one device alone has no peer")
  void noPeer() {
    assertThrows(NotSupportedException.class, device(driver())::getPeerAccess);
  }
}
