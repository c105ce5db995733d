package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.spy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.CopyBatch;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DriverException;
import org.vramkit.cuda.driver.CopyCalls;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("45.2 A batch of copies on a CUDA device")
class CopyBatchesTest {
  private static final int BYTES = 4096;
  private static final int CUDA_ERROR_UNKNOWN = 999;

  private final SimBackend sim = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimulatedDriver driver = spy(new SimulatedDriver(sim));
  private final List<String> calls = new ArrayList<>();
  private int answer = CudaResult.SUCCESS;
  private final CudaBackend backend = backend();
  private final CudaDevice device = (CudaDevice) backend.getDevice(0);
  private final Stream stream = device.createStream();
  private final PinnedBuffer host = device.getPinnedMemory().allocate(BYTES);
  private final long memory = device.getMemory().allocate(BYTES);

  private CudaBackend backend() {
    CopyCalls real = driver.copies();
    Object copies =
        Proxy.newProxyInstance(
            CopyCalls.class.getClassLoader(),
            new Class<?>[] {CopyCalls.class},
            (proxy, method, arguments) -> {
              calls.add(method.getName());
              if (method.getName().equals("cuMemcpyBatchAsync")) {
                return answer;
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    doReturn(copies).when(driver).copies();
    return new CudaBackend("simulated-cuda", driver, new ProcessHealth());
  }

  @AfterEach
  void close() {
    device.synchronize();
    device.getMemory().free(memory);
    host.close();
    stream.close();
    backend.close();
    sim.close();
  }

  private List<String> copied(Stream on, int ranges) {
    CopyBatch batch = CopyBatch.toDevice();
    for (int i = 0; i < ranges; i++) {
      batch.add(2L * i, memory + 3L * i, 1);
    }
    calls.clear();
    on.copyAll(batch, host);
    return List.copyOf(calls);
  }

  @Test
  @DisplayName("45.2 is one call of the driver")
  void oneCall() {
    assertEquals(List.of("cuMemcpyBatchAsync"), copied(stream, 3));
  }

  @Test
  @DisplayName("45.2 is single calls where it has one copy, or the stream cannot have batches")
  void singleCalls() {
    assertEquals(List.of("cuMemcpyHtoDAsync"), copied(stream, 1));
    List<String> two = List.of("cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync");
    assertEquals(two, copied(device.getDefaultStream(), 2));
    device.getGraphs().beginCapture(stream);
    assertEquals(two, copied(stream, 2));
    device.getGraphs().endCapture(stream).close();
  }

  @Test
  @DisplayName("45.2 is single calls where the driver lacks the call or refuses an argument")
  void refused() {
    for (int each : List.of(CudaDriver.UNSUPPORTED, CudaResult.INVALID_VALUE)) {
      answer = each;
      assertEquals(
          List.of("cuMemcpyBatchAsync", "cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync"),
          copied(stream, 2));
    }
  }

  @Test
  @DisplayName("45.2 throws what else the driver reports")
  void failed() {
    answer = CUDA_ERROR_UNKNOWN;
    DriverException thrown = assertThrows(DriverException.class, () -> copied(stream, 2));
    assertEquals("cuMemcpyBatchAsync", thrown.getStatus().call());
  }
}
