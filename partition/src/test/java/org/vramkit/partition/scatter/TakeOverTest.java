package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.Fault;

@DisplayName("S5: the CPU takes over")
class TakeOverTest {

  @Test
  @DisplayName("19 a GPU that fails when it is asked for its memory is a GPU that failed")
  void failsInPlan() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.builder(DevicePool.of(backend)).bytesPerUnit(1).build()) {
      AtomicInteger onCpu = new AtomicInteger();
      backend.getFaults().failNext("cuMemGetInfo", Fault.FATAL);
      ScatterReport report =
          scatter.run(
              10,
              (from, to) -> onCpu.incrementAndGet(),
              tile -> {
                throw new AssertionError("called");
              });
      assertTrue(report.onCpu());
      assertEquals(1, onCpu.get());
      assertTrue(report.reason().contains("restart the process"), report.reason());
      ScatterException e = assertThrows(ScatterException.class, () -> scatter.run(10, tile -> {}));
      assertInstanceOf(FatalDeviceException.class, e.getCause());
      assertClean(backend);
    }
  }

  private static <T extends Throwable> T failing(
      Class<T> type, CpuTask onCpu, DriverException gpu) {
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      return assertThrows(
          type,
          () ->
              scatter.run(
                  1,
                  onCpu,
                  tile -> {
                    throw gpu;
                  }));
    }
  }

  @Test
  @DisplayName("22 a CPU task that is interrupted ends the scatter, which keeps the flag")
  void interruptedOnCpu() {
    DriverException sick = new DriverException("sick");
    ScatterException e =
        failing(
            ScatterException.class,
            (from, to) -> {
              throw new InterruptedException("enough");
            },
            sick);
    assertTrue(Thread.interrupted(), "the interrupt is lost");
    Throwable cause = Objects.requireNonNull(e.getCause());
    assertInstanceOf(InterruptedException.class, cause);
    assertSame(sick, cause.getSuppressed()[0]);
  }

  @Test
  @DisplayName("21 an error of the CPU task is thrown, and names what the GPU failed by")
  void errorOnCpu() {
    DriverException sick = new DriverException("sick");
    AssertionError mine = new AssertionError("mine");
    AssertionError thrown =
        failing(
            AssertionError.class,
            (from, to) -> {
              throw mine;
            },
            sick);
    assertSame(mine, thrown);
    assertSame(sick, thrown.getSuppressed()[0]);
  }

  @Test
  @DisplayName("A CPU task that fails by the GPU's own exception passes it on as it is")
  void sameException() {
    DriverException kept = new DriverException("kept");
    DriverException thrown =
        failing(
            DriverException.class,
            (from, to) -> {
              throw kept;
            },
            kept);
    assertSame(kept, thrown);
  }
}
