package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PeerAccess;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("Handles of a lost context are not touched, and closing them is harmless")
class ClosedBackendTest {
  private final SimulatedDriver driver =
      new SimulatedDriver(
          SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build());
  private final ContextCalls contexts = mock(ContextCalls.class, delegatesTo(driver.contexts()));
  private final CudaDriver watched = mock(CudaDriver.class, delegatesTo(driver));
  private final CudaBackend backend;
  private final Device first;
  private final Device second;

  ClosedBackendTest() {
    doReturn(contexts).when(watched).contexts();
    backend = new CudaBackend("cuda", watched, new ProcessHealth());
    first = backend.getDevice(0);
    second = backend.getDevice(1);
  }

  @Test
  @DisplayName("page-locked memory of a lost context gives no more views")
  void pinned() {
    PinnedBuffer buffer = first.getPinnedMemory().allocate(16);
    backend.close();
    assertAll(
        () -> assertThrows(ClosedException.class, () -> buffer.getBytes(0, 1)),
        () -> assertThrows(ClosedException.class, buffer::getAddress));
    buffer.close();
  }

  @Test
  @DisplayName("a stream of a lost context gives no more handles to other code")
  void handle() {
    Stream stream = first.createStream();
    backend.close();
    assertThrows(ClosedException.class, () -> CudaInterop.handleOf(stream));
    stream.close();
    assertEquals(List.of(), driver.crimes, "uses of destroyed handles");
  }

  @Test
  @DisplayName("a peer with a released context is rejected, and its context is not retained again")
  void peer() {
    PeerAccess access = second.getPeerAccess();
    ((CudaDevice) first).close();
    assertAll(
        () -> assertThrows(ClosedException.class, () -> access.enable(first)),
        () -> assertThrows(ClosedException.class, () -> access.disable(first)));
    backend.close();
    assertArrayEquals(new int[] {0, 0}, driver.retained);
  }

  @Test
  @DisplayName(
      "a device that cannot be released does not keep others from it, and its"
          + " error is reported")
  void refusal() {
    first.getMemoryInfo();
    second.getMemoryInfo();
    doReturn(999)
        .doAnswer(delegatesTo(driver.contexts()))
        .when(contexts)
        .cuDevicePrimaryCtxRelease(anyInt());
    assertThrows(DriverException.class, backend::close);
    assertArrayEquals(new int[] {1, 0}, driver.retained);
  }

  @Test
  @DisplayName("while the process ends and the driver with it, closing is harmless")
  void ending() {
    Stream stream = first.createStream();
    PinnedBuffer buffer = first.getPinnedMemory().allocate(16);
    doReturn(4).when(contexts).cuCtxGetCurrent(any());
    stream.close();
    buffer.close();
  }

  @Test
  @DisplayName(
      "a close that is the first call to meet a fatal error is harmless; the next call throws")
  void lost() {
    Stream stream = first.createStream();
    doAnswer(call -> 700).when(contexts).cuCtxSetCurrent(any());
    stream.close();
    assertThrows(FatalDeviceException.class, second::createStream);
    backend.close();
  }
}
