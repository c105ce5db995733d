package org.vramkit.ffm;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.cuda.SimulatedDriver;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("The driver's functions are found by name and version, and have its parameters")
class DriverFunctionsTest {
  private final SimBackend sim =
      SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build();
  private final SimulatedDriver simulated = new SimulatedDriver(sim);

  private static CudaDriver over(PlayedLibrary library) {
    return FfmDriver.of(library, /* critical= */ false);
  }

  @Test
  @DisplayName("23.1 each is asked for once, with the version of the variant that is called")
  void versions() {
    PlayedLibrary library = new PlayedLibrary(simulated);
    FfmDriver driver = FfmDriver.of(library, /* critical= */ false);
    assertEquals(library.getVersions(), new TreeMap<>(library.asked));
    assertEquals(Set.of(), driver.getAbsentFunctions());
    assertEquals(List.of(), library.failures);
  }

  @Test
  @DisplayName("23.1 a driver before CUDA 12.0 has them by the names that it exports")
  void exported() {
    PlayedLibrary library = new PlayedLibrary(simulated, /* byVersion= */ false);
    CudaDriver driver = over(library);
    assertEquals(Set.of(), driver.getAbsentFunctions());
    long[] bytes = new long[1];
    assertEquals(CudaResult.SUCCESS, driver.devices().cuDeviceTotalMem(bytes, 1));
    assertEquals(sim.getDevice(1).getProperties().totalMemoryBytes(), bytes[0]);
  }

  @Test
  @DisplayName(
      "23.1 a function that the driver lacks is an absent capability; the error has its name and"
          + " version")
  void absent() {
    PlayedLibrary library =
        new PlayedLibrary(simulated)
            .without("cuMemPoolTrimTo", "cuMemUnmap", "cuGraphInstantiateWithFlags");
    try (CudaBackend backend = CudaBackend.open("ffm", over(library))) {
      Device device = backend.getDevice(0);
      assertAll(
          () -> assertFalse(device.supports(Capability.DRIVER_POOLS)),
          () -> assertFalse(device.supports(Capability.VIRTUAL_MEMORY)),
          () -> assertFalse(device.supports(Capability.GRAPHS)),
          () -> assertTrue(device.supports(Capability.STREAM_ORDERED_MEMORY)),
          () -> assertTells(device::getDriverPools, "lacks cuMemPoolTrimTo", "CUDA 11.2"),
          () -> assertTells(device::getVirtualMemory, "lacks cuMemUnmap", "CUDA 10.2"),
          () -> assertTells(device::getGraphs, "cuGraphInstantiateWithFlags", "CUDA 11.4"));
      assertEquals(
          CudaDriver.UNSUPPORTED, over(library).virtualMemory().cuMemUnmap(0, 1), "not the JVM");
    }
  }

  private static void assertTells(Runnable call, String... parts) {
    String message = assertThrows(NotSupportedException.class, call::run).toString();
    for (String part : parts) {
      assertTrue(message.contains(part), () -> part + " in " + message);
    }
  }

  @Test
  @DisplayName("23.1 a driver without what every driver has is refused by name and version")
  void broken() {
    PlayedLibrary library = new PlayedLibrary(simulated).without("cuDevicePrimaryCtxRelease");
    BackendNotAvailableException error =
        assertThrows(BackendNotAvailableException.class, () -> over(library));
    assertTrue(error.toString().contains("lacks cuDevicePrimaryCtxRelease"), error.toString());
    assertTrue(error.toString().contains("CUDA 11.0"), error.toString());
  }

  @Test
  @DisplayName("23.2 structures have the sizes of the driver's header")
  void sizes() {
    assertAll(
        () -> assertEquals(32, Structures.ALLOCATION_PROP.byteSize()),
        () -> assertEquals(12, Structures.ACCESS_DESC.byteSize()),
        () -> assertEquals(88, Structures.POOL_PROPS.byteSize()),
        () -> assertEquals(24, Structures.COPY_ATTRIBUTES.byteSize()));
  }

  @Test
  @DisplayName("23.2 results come back as numbers, with their names, and nothing is thrown")
  void results() {
    CudaDriver driver = over(new PlayedLibrary(simulated));
    long[] address = new long[1];
    assertAll(
        () -> assertEquals(201, driver.memory().cuMemAlloc(address, 1), "no context is current"),
        () -> assertEquals("SIMULATED_201", driver.devices().nameOf(201)),
        () -> assertEquals(1, driver.devices().cuDeviceGetAttribute(new int[1], 9999, 0)));
    driver.contexts().cuCtxGetCurrent(new Handle[1]);
    Handle[] context = new Handle[1];
    driver.contexts().cuDevicePrimaryCtxRetain(context, 1);
    driver.contexts().cuCtxSetCurrent(context[0]);
    assertEquals(2, driver.memory().cuMemAlloc(address, 1L << 50), "out of memory");
    HostMemory[] none = new HostMemory[1];
    assertEquals(2, driver.memory().cuMemAllocHost(none, 1L << 50));
    driver.contexts().cuCtxSetCurrent(FfmHandle.NONE);
    driver.contexts().cuDevicePrimaryCtxRelease(1);
  }

  @Test
  @DisplayName("23.1 calls leave no garbage: handles and cells are used again")
  void noGarbage() {
    PlayedLibrary library = new PlayedLibrary(simulated);
    CudaDriver driver = over(library);
    Handle[] first = new Handle[1];
    Handle[] second = new Handle[1];
    driver.contexts().cuDevicePrimaryCtxRetain(first, 0);
    driver.contexts().cuDevicePrimaryCtxRetain(second, 0);
    assertTrue(first[0] == second[0], "one handle for a context");
    long cell = Cells.take();
    Cells.give(cell);
    assertEquals(cell, Cells.take());
    Cells.give(cell);
    driver.contexts().cuDevicePrimaryCtxRelease(0);
    driver.contexts().cuDevicePrimaryCtxRelease(0);
  }

  @Test
  @DisplayName("23.1 more calls at once than a block has cells have one each")
  void manyCells() {
    long[] cells = new long[1000];
    for (int i = 0; i < cells.length; i++) {
      cells[i] = Cells.take();
      Cells.putLong(cells[i], i);
    }
    for (int i = 0; i < cells.length; i++) {
      assertEquals(i, Cells.getLong(cells[i]));
      Cells.give(cells[i]);
    }
  }

  @Test
  @DisplayName("23.1 the library's names are those of Linux, of WSL and of Windows")
  void names() {
    assertEquals(List.of("nvcuda.dll"), DriverLibrary.names("Windows 11"));
    List<String> linux = DriverLibrary.names("Linux");
    assertEquals("libcuda.so.1", linux.get(0));
    assertTrue(linux.contains("/usr/lib/wsl/lib/libcuda.so.1"), linux.toString());
  }

  @Test
  @DisplayName("23.1 views of memory reach its bytes, at any offset")
  void views() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(16);
      FfmHostMemory memory = new FfmHostMemory(bytes.address());
      memory.view(3, 4).put(0, (byte) 7);
      assertEquals(7, bytes.get(ValueLayout.JAVA_BYTE, 3));
      assertEquals(0, memory.view(16, 0).capacity());
      assertTrue(memory.view(0, 16).isDirect());
    }
  }
}
