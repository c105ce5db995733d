package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.reset;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DriverException;
import org.vramkit.cuda.driver.CopyCalls;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.StreamCalls;
import org.vramkit.sim.SimBackend;

@DisplayName("A copy from or to a buffer holds what it uses until it is done")
class HostCopiesTest {
  private final SimulatedDriver driver = new SimulatedDriver(SimBackend.builder().build());
  private final CopyCalls copies = mock(CopyCalls.class, delegatesTo(driver.copies()));
  private final StreamCalls streams = mock(StreamCalls.class, delegatesTo(driver.streams()));
  private final CudaDriver watched = mock(CudaDriver.class, delegatesTo(driver));

  /** Target buffers of the driver's copies to the host, in order. */
  private final List<ByteBuffer> targets = new ArrayList<>();

  private final CudaBackend backend;
  private final Device device;
  private final Stream stream;

  HostCopiesTest() {
    doReturn(copies).when(watched).copies();
    doReturn(streams).when(watched).streams();
    backend = new CudaBackend("cuda", watched, new ProcessHealth());
    device = backend.getDevice(0);
    stream = device.createStream();
  }

  @AfterEach
  void nothingIsLeft() {
    stream.close();
    backend.close();
    assertEquals(List.of(), driver.sim.getHazards(), "hazards");
    assertEquals(List.of(), driver.crimes, "uses of destroyed handles");
    assertEquals(0, driver.retained[0], "users of the primary context");
  }

  /**
   * Runs an action after the driver has accepted a copy to the host, while the copy is in progress.
   */
  private void during(Runnable action) {
    doAnswer(
            call -> {
              ByteBuffer target = call.getArgument(0);
              targets.add(target);
              int result =
                  driver
                      .copies()
                      .cuMemcpyDtoHAsync(target, call.getArgument(1), call.getArgument(2));
              action.run();
              return result;
            })
        .when(copies)
        .cuMemcpyDtoHAsync(any(ByteBuffer.class), anyLong(), any());
  }

  private long filled(int value, int bytes) {
    long address = device.getMemory().allocate(bytes);
    stream.fill(address, (byte) value, bytes);
    return address;
  }

  @Test
  @DisplayName("its stream may be closed meanwhile: the bytes arrive, then the stream ends")
  void streamClosedMeanwhile() {
    long address = filled(7, 2);
    during(stream::close);
    ByteBuffer bytes = ByteBuffer.allocateDirect(2);
    stream.copyToHost(bytes, address);
    assertAll(
        () -> assertEquals(7, bytes.get(1)),
        () -> assertTrue(stream.isClosed()),
        () -> assertEquals(0, driver.currentOrdinal() + 1, "the thread's device is as it was"));
    device.getMemory().free(address);
    assertEquals(List.of(), driver.sim.getLeaks(), "leaks");
  }

  @Test
  @DisplayName("the backend may be closed meanwhile: the bytes arrive, then the context goes")
  void backendClosedMeanwhile() {
    long address = filled(7, 2);
    during(
        () -> {
          backend.close();
          assertEquals(1, driver.retained[0], "still in use");
        });
    byte[] bytes = new byte[2];
    stream.copyToHost(ByteBuffer.wrap(bytes), address);
    assertArrayEquals(new byte[] {7, 7}, bytes);
  }

  @Test
  @DisplayName("memory into which a copy may still write is lent to no other copy")
  void failedWait() {
    long address = filled(7, 1);
    during(() -> {});
    doReturn(999).doAnswer(delegatesTo(driver.streams())).when(streams).cuStreamSynchronize(any());
    ByteBuffer heap = ByteBuffer.allocate(1);
    assertThrows(DriverException.class, () -> stream.copyToHost(heap, address));
    stream.copyToHost(heap, address);
    targets.get(0).put(0, (byte) 42);
    assertNotEquals(42, targets.get(1).get(0), "the same memory again");
    device.getMemory().free(address);
  }

  @ParameterizedTest(name = "direct: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName(
      "memory into which a copy may still write stays allocated, even if nothing" + " refers to it")
  void failedWaitKeepsMemory(boolean direct) {
    long address = filled(7, 1);
    during(() -> {});
    doReturn(999).doAnswer(delegatesTo(driver.streams())).when(streams).cuStreamSynchronize(any());
    assertThrows(DriverException.class, () -> stream.copyToHost(buffer(direct), address));
    WeakReference<ByteBuffer> memory = new WeakReference<>(targets.remove(0));
    reset(copies); // because it keeps references to answered calls
    System.gc();
    assertNotNull(memory.get(), "freed under the device's hands");
    device.getMemory().free(address);
  }

  private static ByteBuffer buffer(boolean direct) {
    return direct ? ByteBuffer.allocateDirect(1) : ByteBuffer.allocate(1);
  }
}
