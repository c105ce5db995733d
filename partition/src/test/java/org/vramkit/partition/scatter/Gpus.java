package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.device.Stream;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.schedule.Schedule;

/** Creates simulated GPUs for scatters. */
final class Gpus {
  private Gpus() {}

  static SimBackend backend(int devices) {
    return backend(devices, SimBackend.builder());
  }

  /** Creates GPUs whose random choices, such as those of faults, come from a seed. */
  static SimBackend backend(int devices, long seed) {
    return backend(devices, SimBackend.builder().seed(seed));
  }

  private static SimBackend backend(int devices, SimBackend.Builder builder) {
    builder.costModel(CostModel.FREE);
    for (int i = 0; i < devices; i++) {
      builder.device(DeviceProfile.SMALL_8GIB);
    }
    return builder.build();
  }

  /** Creates GPUs in virtual time, without memory contents. */
  static SimBackend backend(int devices, FaultPlan faults) {
    SimBackend.Builder builder =
        SimBackend.builder()
            .costModel(CostModel.FREE)
            .bytes(false)
            .schedule(Schedule.timed())
            .faults(faults);
    for (int i = 0; i < devices; i++) {
      builder.device(DeviceProfile.SMALL_8GIB);
    }
    return builder.build();
  }

  /** Returns a device with one stream, which runs {@code call} in every method. */
  static Device device(Runnable call) {
    return device(call, HostEdge.NONE);
  }

  static Device device(Runnable call, HostEdge edge) {
    Object stream =
        proxy(
            Stream.class,
            (proxy, method, arguments) -> {
              call.run();
              return null;
            });
    return (Device)
        proxy(
            Device.class,
            (proxy, method, arguments) ->
                method.getReturnType() == HostEdge.class
                    ? edge
                    : method.getReturnType() == int.class ? 0 : stream);
  }

  /** Returns a scatter over one device of a few lines, whose ordinal is 0. */
  static Scatter scatter(Device device) {
    return Scatter.builder(DevicePool.of(List.of(device), each -> 1))
        .deviceBinder(each -> DeviceBinding.NONE)
        .build();
  }

  private static Object proxy(Class<?> type, InvocationHandler calls) {
    return Proxy.newProxyInstance(Gpus.class.getClassLoader(), new Class<?>[] {type}, calls);
  }

  static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static void assertClean(SimBackend backend) {
    assertEquals(List.of(), backend.getHazards(), "hazards");
    assertEquals(List.of(), backend.getLeaks(), "leaks");
  }
}
