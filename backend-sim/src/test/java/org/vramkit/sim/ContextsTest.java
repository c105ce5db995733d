package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.hazard.HazardCode.NO_CONTEXT;
import static org.vramkit.sim.hazard.HazardCode.PEER_NOT_ENABLED;
import static org.vramkit.sim.hazard.HazardCode.WRONG_DEVICE;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakKind;

@DisplayName("23 contexts: which device is current on which thread")
class ContextsTest {
  private static final SimKernel KERNEL = SimKernel.named("relu").build();

  private static SimBackend strict() {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .device(DeviceProfile.SMALL_8GIB)
        .checker(CheckerOptions.DEFAULT.withRequireContext(true))
        .build();
  }

  private static List<HazardCode> codes(SimBackend gpu) {
    return gpu.getHazards().stream().map(HazardReport::code).toList();
  }

  private static void launch(SimDevice device) {
    device.getDefaultStream().launch(KERNEL);
  }

  @Test
  @DisplayName("23 a kernel launched on a thread without a current device")
  void noContext() {
    try (SimBackend gpu = strict()) {
      launch(gpu.getDevice(0));
      HazardReport report = gpu.getHazards().get(0);
      assertEquals(NO_CONTEXT, report.code());
      assertTrue(report.toString().contains(Thread.currentThread().getName()), report.toString());
      assertTrue(report.remedy().contains("bind()"), report.remedy());
    }
  }

  @Test
  @DisplayName("23 a kernel launched on a thread with another device current")
  @SuppressWarnings("try")
  void otherContext() {
    try (SimBackend gpu = strict();
        DeviceBinding current = gpu.getDevice(1).bind()) {
      launch(gpu.getDevice(0));
      assertEquals(List.of(WRONG_DEVICE), codes(gpu));
    }
  }

  @Test
  @DisplayName("23 a device that is current on one thread is not so on another")
  @SuppressWarnings("try")
  void otherThread() {
    try (SimBackend gpu = strict();
        DeviceBinding current = gpu.getDevice(0).bind()) {
      CompletableFuture.runAsync(() -> launch(gpu.getDevice(0))).join();
      assertEquals(List.of(NO_CONTEXT), codes(gpu));
    }
  }

  @Test
  @DisplayName("23, twin: each kernel with its own device current, also one binding inside another")
  @SuppressWarnings("try")
  void nested() {
    try (SimBackend gpu = strict()) {
      try (DeviceBinding outer = gpu.getDevice(0).bind()) {
        launch(gpu.getDevice(0));
        try (DeviceBinding inner = gpu.getDevice(1).bind()) {
          launch(gpu.getDevice(1));
        }
        launch(gpu.getDevice(0));
      }
      assertEquals(List.of(), gpu.getHazards());
      assertEquals(List.of(), gpu.getLeaks());
      launch(gpu.getDevice(0));
      assertEquals(List.of(NO_CONTEXT), codes(gpu), "what was bound is bound no more");
    }
  }

  @Test
  @DisplayName("23, twin: by default launches bind their device themselves, as the API promises")
  void lenient() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      scene.expect();
    }
  }

  @Test
  @DisplayName("23 a binding is closed on its own thread, and is a leak until then")
  void bindingOfAnotherThread() {
    try (SimBackend gpu = strict()) {
      DeviceBinding binding = gpu.getDevice(0).bind();
      assertEquals(LeakKind.CONTEXT, gpu.getLeaks().get(0).kind());
      IllegalStateException refused =
          CompletableFuture.supplyAsync(
                  () -> assertThrows(IllegalStateException.class, binding::close))
              .join();
      assertTrue(refused.toString().contains("close it there"), refused.toString());
      binding.close();
      binding.close();
      assertEquals(List.of(), gpu.getLeaks());
    }
  }

  @Test
  @DisplayName(
      "42.17 a binding left by a finished thread names the thread, and any thread may close it")
  @SuppressWarnings("try") // the binding of this thread is closed before the leaks are counted
  void bindingOfFinishedThread() throws Exception {
    try (SimBackend gpu = strict();
        DeviceBinding own = gpu.getDevice(1).bind()) {
      FutureTask<DeviceBinding> left = new FutureTask<>(() -> gpu.getDevice(0).bind());
      Thread thread = new Thread(left, "loader");
      thread.start();
      thread.join();
      Leak leak = gpu.getLeaks().get(1);
      assertEquals(LeakKind.CONTEXT, leak.kind());
      assertEquals("loader", leak.name());
      left.get().close();
      left.get().close();
      assertEquals(1, gpu.getLeaks().size());
      launch(gpu.getDevice(1));
      own.close();
      assertEquals(List.of(), gpu.getHazards(), "the device of this thread stays bound");
      assertEquals(List.of(), gpu.getLeaks());
    }
  }

  @Test
  @DisplayName("23 an event recorded on a stream of another device is refused and reported")
  void eventOfAnotherDevice() {
    try (Scene scene = new Scene();
        SimEvent event = scene.other.createEvent()) {
      assertThrows(InvalidArgumentException.class, () -> event.record(scene.s1));
      scene.expect(WRONG_DEVICE);
    }
  }

  @Test
  @DisplayName("23 a wait for an event of another backend is refused and reported")
  void eventOfAnotherBackend() {
    try (Scene scene = new Scene();
        Scene elsewhere = new Scene();
        SimEvent event = elsewhere.device.createEvent()) {
      assertThrows(InvalidArgumentException.class, () -> scene.s1.waitFor(event));
      scene.expect(WRONG_DEVICE);
      elsewhere.expect();
    }
  }

  @Test
  @DisplayName("23 memory may be asked for, and freed, in the order of another device's stream")
  void memoryOnAnotherDevicesStream() {
    try (Scene scene = new Scene();
        DriverPool pool = scene.device.getDriverPools().create(0);
        SimStream foreign = scene.other.createStream()) {
      long memory = pool.allocate(512, foreign);
      assertThrows(InvalidArgumentException.class, () -> foreign.fill(memory, (byte) 1, 512));
      scene.device.getStreamOrderedMemory().free(memory, foreign);
      scene.expect(PEER_NOT_ENABLED);
    }
  }

  @Test
  @DisplayName("23 the default pool is that of the stream's device, so it refuses another's stream")
  void defaultPoolOfAnotherDevice() {
    try (Scene scene = new Scene();
        SimStream foreign = scene.other.createStream()) {
      StreamOrderedMemory pool = scene.device.getStreamOrderedMemory();
      assertThrows(InvalidArgumentException.class, () -> pool.allocate(512, foreign));
      scene.expect(WRONG_DEVICE);
    }
  }

  @Test
  @DisplayName("23, twin: a stream of one device waits for an event of another")
  void waitAcrossDevices() {
    try (Scene scene = new Scene();
        SimStream foreign = scene.other.createStream();
        SimEvent event = scene.other.createEvent()) {
      event.record(foreign);
      scene.s1.waitFor(event);
      scene.expect();
    }
  }
}
