package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("Contexts are retained when needed, current around calls, and released at the end")
class CurrentDeviceTest {
  private final SimulatedDriver driver =
      new SimulatedDriver(
          SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build());
  private final CudaBackend backend = new CudaBackend("cuda", driver, new ProcessHealth());
  private final Device first = backend.getDevice(0);
  private final Device second = backend.getDevice(1);

  @Test
  @DisplayName("listing devices, their properties and capabilities makes no context")
  void enumerationTouchesNothing() {
    backend.getDevices().forEach(Device::getProperties);
    backend.getDevices().forEach(Device::getCapabilities);
    assertArrayEquals(new int[] {0, 0}, driver.retained);
    second.getMemoryInfo();
    assertArrayEquals(new int[] {0, 1}, driver.retained, "only the device that was asked");
  }

  @Test
  @SuppressWarnings("try")
  @DisplayName("each call leaves the thread with the device that it had")
  void callsRestore() {
    assertEquals(-1, driver.currentOrdinal());
    second.getMemory().free(second.getMemory().allocate(1024));
    assertEquals(-1, driver.currentOrdinal());
    try (DeviceBinding bound = first.bind()) {
      assertEquals(0, driver.currentOrdinal());
      try (Stream stream = second.createStream()) {
        stream.synchronize();
      }
      assertEquals(0, driver.currentOrdinal());
    }
    assertEquals(-1, driver.currentOrdinal());
  }

  @Test
  @DisplayName("P24 bindings nest, and closing one twice changes nothing")
  void bindingsNest() {
    DeviceBinding outer = first.bind();
    DeviceBinding inner = second.bind();
    assertEquals(1, driver.currentOrdinal());
    inner.close();
    assertEquals(0, driver.currentOrdinal());
    inner.close();
    assertEquals(0, driver.currentOrdinal());
    outer.close();
    assertEquals(-1, driver.currentOrdinal());
  }

  @Test
  @DisplayName("a failing call restores the thread's device, too")
  void failuresRestore() {
    assertThrows(RuntimeException.class, () -> first.getMemory().free(0x10));
    assertEquals(-1, driver.currentOrdinal());
    driver.sim.clearHazards();
  }

  @Test
  @DisplayName("closing releases what was retained, once; calls are refused, closes harmless")
  void closing() {
    Stream stream = first.createStream();
    second.getMemoryInfo();
    assertArrayEquals(new int[] {1, 1}, driver.retained);
    backend.close();
    backend.close();
    assertArrayEquals(new int[] {0, 0}, driver.retained);
    assertAll(
        () -> assertThrows(ClosedException.class, first::getMemoryInfo),
        () -> assertThrows(ClosedException.class, first::createStream),
        () -> assertThrows(ClosedException.class, stream::synchronize),
        () -> assertThrows(ClosedException.class, first::bind));
    stream.close();
    assertEquals(java.util.List.of(), driver.crimes, "no call on a context that is gone");
  }

  @Test
  @DisplayName("a binding that is open keeps the context of a closed backend until it ends")
  void bindingOutlivesClose() {
    DeviceBinding bound = first.bind();
    backend.close();
    assertEquals(1, driver.retained[0]);
    bound.close();
    assertArrayEquals(new int[] {0, 0}, driver.retained);
    assertEquals(-1, driver.currentOrdinal());
  }

  @Test
  @DisplayName(
      "only the thread that made a binding can close it; another thread gets an"
          + " error and keeps its device")
  void bindingOfAnotherThread() throws InterruptedException {
    DeviceBinding bound = first.bind();
    AtomicReference<Throwable> met = new AtomicReference<>();
    AtomicInteger current = new AtomicInteger();
    Thread other =
        new Thread(
            () -> {
              DeviceBinding own = second.bind();
              met.set(assertThrows(IllegalStateException.class, bound::close));
              current.set(driver.currentOrdinal());
              own.close();
            },
            "another");
    other.start();
    other.join();
    assertAll(
        () -> assertTrue(String.valueOf(met.get()).contains("another"), String.valueOf(met)),
        () -> assertEquals(1, current.get()));
    bound.close();
    assertEquals(-1, driver.currentOrdinal());
    backend.close();
    assertArrayEquals(new int[] {0, 0}, driver.retained);
  }
}
