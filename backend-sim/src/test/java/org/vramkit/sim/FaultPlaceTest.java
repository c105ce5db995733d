package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.driver.WorkSelector;

@DisplayName("A rule of a fault plan selects by device, stream, thread and size")
class FaultPlaceTest {
  private final SimBackend gpu =
      SimBackend.builder()
          .device(DeviceProfile.SMALL_8GIB)
          .device(DeviceProfile.SMALL_8GIB)
          .costModel(CostModel.FREE)
          .build();
  private final SimStream first = gpu.getDevice(0).createStream();
  private final SimStream second = gpu.getDevice(1).createStream();
  private final SimStream third = gpu.getDevice(1).createStream();

  @AfterEach
  void nothingIsLeft() {
    gpu.getFaults().clear();
    List.of(first, second, third).forEach(SimStream::close);
    gpu.close();
    assertEquals(List.of(), gpu.getHazards());
    assertEquals(List.of(), gpu.getLeaks());
  }

  private static String outcome(Runnable call) {
    try {
      call.run();
      return ".";
    } catch (GpuException e) {
      return "x";
    }
  }

  /** Makes calls under one rule; returns which of them fail. */
  private String calls(CallSelector calls, Runnable... made) {
    gpu.getFaults().clear().inject(FaultPlan.NONE.fail(calls, Fault.UNKNOWN));
    return List.of(made).stream().map(FaultPlaceTest::outcome).collect(Collectors.joining());
  }

  private static void allocate(SimDevice device, long bytes) {
    device.getMemory().free(device.getMemory().allocate(bytes));
  }

  @Test
  @DisplayName("the calls that it makes fail")
  void calls() {
    Runnable[] waits = {first::synchronize, second::synchronize, third::synchronize};
    assertEquals(".xx", calls(CallSelector.any().onDevice(1), waits));
    assertEquals("..x", calls(CallSelector.any().onStream(third), waits));
    assertEquals(
        "xxx", calls(CallSelector.any().onThread(Thread.currentThread().getName()), waits));
    assertEquals("...", calls(CallSelector.any().onThread("another"), waits));
    assertEquals(".x.", calls(CallSelector.any().onDevice(1).withNth(1), waits));
    SimDevice device = gpu.getDevice(0);
    assertEquals(
        ".xx.",
        calls(
            CallSelector.of("cuMemAlloc").fromBytes(1024),
            () -> allocate(device, 1023),
            () -> allocate(device, 1024),
            () -> allocate(gpu.getDevice(1), 4096),
            first::synchronize));
    assertEquals(
        ".x",
        calls(
            CallSelector.any().onStream(second),
            gpu.getDevice(1)::synchronize,
            () -> second.launch(SimKernel.named("work").build())));
  }

  private long nanos(WorkSelector work, SimStream stream, long bytes) {
    gpu.getFaults().clear().inject(FaultPlan.NONE.delay(work, 1_000));
    long begun = gpu.getTimeNanos();
    long memory = stream.getDevice().getMemory().allocate(4096);
    stream.launch(SimKernel.named("work").writes(memory, bytes).taking(0).build());
    stream.synchronize();
    stream.getDevice().getMemory().free(memory);
    return gpu.getTimeNanos() - begun;
  }

  @Test
  @DisplayName("the work that it delays")
  void work() {
    String here = Thread.currentThread().getName();
    assertEquals(1_000, nanos(WorkSelector.ofDevice(1).onThread(here), second, 1));
    assertEquals(0, nanos(WorkSelector.ofDevice(1).onThread("another"), second, 1));
    assertEquals(0, nanos(WorkSelector.ofStream(third), second, 1));
    assertEquals(0, nanos(WorkSelector.any().fromBytes(2), first, 1));
    assertEquals(1_000, nanos(WorkSelector.any().fromBytes(2), first, 2));
  }

  @Test
  @DisplayName("that exist, and says which")
  void words() {
    assertEquals(
        "any call of stream 0x%x of device 1, by thread worker, of 1.00 KiB or more"
            .formatted(third.getHandle()),
        CallSelector.any().onStream(third).onThread("worker").fromBytes(1024).toString());
    assertEquals(
        "work of device 1, from piece 2 on, of 1 B or more",
        WorkSelector.ofDevice(1).fromNth(2).fromBytes(1).toString());
    for (FaultPlan wrong :
        List.of(
            FaultPlan.NONE.fail(CallSelector.any().onDevice(9), Fault.UNKNOWN),
            FaultPlan.NONE.hang(WorkSelector.ofDevice(2)))) {
      assertThrows(InvalidArgumentException.class, () -> gpu.getFaults().inject(wrong));
    }
    assertThrows(InvalidArgumentException.class, () -> CallSelector.any().fromBytes(-1));
    assertThrows(InvalidArgumentException.class, () -> CallSelector.any().onDevice(-1));
  }
}
