package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.cuda.driver.DeviceCalls;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.Fault;

@DisplayName("Results of the driver become errors that carry code, name and call")
class CudaErrorsTest {
  private final DeviceCalls names = mock(DeviceCalls.class);
  private final ProcessHealth health = new ProcessHealth();
  private final DriverErrors errors = new DriverErrors(names, health);

  CudaErrorsTest() {
    when(names.nameOf(anyInt())).thenAnswer(call -> "NAME_" + call.getArgument(0));
  }

  private GpuException thrown(int result) {
    return assertThrows(GpuException.class, () -> errors.run("cuX", () -> "no x", () -> result));
  }

  @Test
  @DisplayName("each class of results has its type")
  void types() {
    assertAll(
        () -> assertInstanceOf(InvalidArgumentException.class, thrown(1)),
        () -> assertInstanceOf(DeviceOutOfMemoryException.class, thrown(2)),
        () -> assertInstanceOf(InvalidArgumentException.class, thrown(400)),
        () -> assertInstanceOf(InvalidArgumentException.class, thrown(712)),
        () -> assertInstanceOf(NotSupportedException.class, thrown(801)),
        () -> assertInstanceOf(DriverException.class, thrown(3)));
    assertEquals(new DriverStatus(3, "NAME_3", "cuX"), thrown(3).getStatus());
    assertTrue(thrown(3).toString().contains("no x [cuX returned 3 (NAME_3)]"));
  }

  @Test
  @DisplayName("out of memory names the bytes asked for")
  void outOfMemory() {
    DeviceOutOfMemoryException error =
        assertThrows(
            DeviceOutOfMemoryException.class, () -> errors.allocate("cuMemAlloc", 4096, () -> 2));
    assertEquals(4096, error.getRequestedBytes());
  }

  @ParameterizedTest
  @ValueSource(ints = {214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911})
  @DisplayName("after a fatal result nothing asks the driver again, on any device")
  void fatal(int result) {
    assertInstanceOf(FatalDeviceException.class, thrown(result));
    IntSupplier later = mock(IntSupplier.class);
    FatalDeviceException again =
        assertThrows(
            FatalDeviceException.class,
            () -> new DriverErrors(names, health).run("cuY", () -> "no y", later));
    assertEquals(result, again.getStatus().code(), "the first status is told");
    errors.release("cuMemFree", () -> "no z", later);
    verify(later, never()).getAsInt();
  }

  @Test
  @DisplayName("a release while the process ends is no error")
  void deinitialized() {
    errors.release("cuMemFree", () -> "no z", () -> 4);
    assertThrows(
        InvalidArgumentException.class, () -> errors.release("cuMemFree", () -> "z", () -> 1));
  }

  @Test
  @DisplayName("H25 an illegal address on one device loses both, and closes stay harmless")
  void fatalIsProcessWide() {
    SimulatedDriver driver =
        new SimulatedDriver(
            SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build());
    CudaBackend backend = new CudaBackend("cuda", driver, new ProcessHealth());
    Device first = backend.getDevice(0);
    Device second = backend.getDevice(1);
    Stream stream = first.createStream();
    driver.sim.getFaults().failNext("cuStreamSynchronize", Fault.FATAL);
    assertThrows(FatalDeviceException.class, stream::synchronize);
    assertThrows(FatalDeviceException.class, () -> second.getMemory().allocate(1024));
    assertThrows(FatalDeviceException.class, second::createStream);
    stream.close();
    backend.close();
    assertEquals(List.of(), driver.crimes);
  }

  @Test
  @DisplayName("closing a meter does not stop the meter that replaced it")
  void meters() {
    DriverCallMeter replaced = errors.measure();
    DriverCallMeter latest = errors.measure();
    replaced.close();
    errors.run("cuX", () -> "no x", () -> 0);
    latest.close();
    errors.run("cuX", () -> "no x", () -> 0);
    assertEquals(Map.of("cuX", 1L), latest.getCounts());
    assertEquals(Map.of(), replaced.getCounts());
  }
}
