package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;

import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.cuda.driver.MemoryCalls;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("17.26 Page-locking a user's buffer")
class RegisteredMemoryTest {
  private final SimulatedDriver driver =
      spy(new SimulatedDriver(SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()));

  private PinnedMemory memory(int result) {
    // Not a mock, because mocks keep the arguments of their last call reachable.
    InvocationHandler locking =
        (proxy, method, arguments) -> {
          if (method.getName().equals("cuMemHostUnregister")) {
            return CudaResult.SUCCESS;
          }
          assertEquals("cuMemHostRegister", method.getName());
          ((HostMemory[]) arguments[0])[0] = mock(HostMemory.class);
          return result;
        };
    Object calls =
        Proxy.newProxyInstance(
            MemoryCalls.class.getClassLoader(), new Class<?>[] {MemoryCalls.class}, locking);
    doReturn(calls).when(driver).memory();
    return new CudaBackend("simulated-cuda", driver, new ProcessHealth())
        .getDevice(0)
        .getPinnedMemory();
  }

  @Test
  @DisplayName("17.26 memory that its user has let go of, unclosed, is not freed under the driver")
  void keptWhileLocked() throws InterruptedException {
    PinnedMemory memory = memory(CudaResult.SUCCESS);
    WeakReference<ByteBuffer> leaked = leak(memory);
    WeakReference<Object> garbage = new WeakReference<>(new Object());
    while (garbage.get() != null) {
      System.gc();
      Thread.sleep(1);
    }
    assertNotNull(leaked.get());
  }

  @Test
  @DisplayName("17.26 a view longer than any of the JDK's is refused with the bound")
  void longestView() {
    PinnedMemory memory = memory(CudaResult.SUCCESS);
    try (PinnedBuffer buffer = memory.register(ByteBuffer.allocateDirect(64))) {
      InvalidArgumentException refused =
          assertThrows(
              InvalidArgumentException.class,
              () -> buffer.getBytes(0, PinnedBuffer.LONGEST_VIEW + 1));
      assertTrue(String.valueOf(refused.getMessage()).contains("longer than 2147483639"));
    }
  }

  private static WeakReference<ByteBuffer> leak(PinnedMemory memory) {
    ByteBuffer own = ByteBuffer.allocateDirect(64);
    memory.register(own);
    return new WeakReference<>(own);
  }

  @Test
  @DisplayName("17.26 pages that are locked already are the caller's mistake, and said to be so")
  void lockedAlready() {
    PinnedMemory memory = memory(CudaResult.HOST_MEMORY_ALREADY_REGISTERED);
    InvalidArgumentException e =
        assertThrows(
            InvalidArgumentException.class, () -> memory.register(ByteBuffer.allocateDirect(64)));
    assertTrue(e.toString().contains("64 bytes, because some of their pages"), e.toString());
  }

  @Test
  @DisplayName("17.26 a host that cannot lock the requested bytes is out of memory")
  void tooMuch() {
    PinnedMemory memory = memory(CudaResult.OUT_OF_MEMORY);
    DeviceOutOfMemoryException e =
        assertThrows(
            DeviceOutOfMemoryException.class,
            () -> memory.register(ByteBuffer.allocateDirect(64).position(4)));
    assertEquals(60, e.getRequestedBytes());
  }
}
