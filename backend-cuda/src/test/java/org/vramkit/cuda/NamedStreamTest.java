package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Stream;
import org.vramkit.sim.SimBackend;

@DisplayName("42.27 A named stream of CUDA")
class NamedStreamTest {
  @Test
  @DisplayName("is called by its name and its handle")
  void words() {
    try (SimBackend gpu = SimBackend.builder().build();
        CudaBackend backend =
            new CudaBackend("cuda", new SimulatedDriver(gpu), new ProcessHealth());
        Stream stream = backend.getDevice(0).createStream("copies")) {
      assertEquals("copies", stream.getName());
      String handle = "0x" + Long.toHexString(stream.getHandle());
      assertEquals("stream copies (" + handle + ") of CUDA device 0", stream.toString());
      assertEquals("", backend.getDevice(0).getDefaultStream().getName());
    }
  }
}
