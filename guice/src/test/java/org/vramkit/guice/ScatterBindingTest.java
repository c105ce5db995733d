package org.vramkit.guice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.multibindings.OptionalBinder;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.units.ByteSize;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Planner;
import org.vramkit.partition.scatter.Scatter;
import org.vramkit.partition.scatter.ScatterArrays;
import org.vramkit.partition.scatter.ScatterReport;
import org.vramkit.partition.scatter.Schedule;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("S5: scatters by injection")
class ScatterBindingTest {
  private static final SimBackend.Builder TWO =
      SimBackend.builder().device(DeviceProfile.SMALL_8GIB).device(DeviceProfile.SMALL_8GIB);

  /** Nothing live, nothing leaked, no hazard. */
  private static void close(Injector injector) {
    GpuResources resources = injector.getInstance(GpuResources.class);
    SimBackend backend = (SimBackend) resources.getBackend();
    resources.close();
    assertEquals(List.of(), backend.getLeaks());
    assertEquals(List.of(), backend.getHazards());
  }

  @Test
  @DisplayName("S5.5 tasks find the allocator and the workspace of their device")
  void scatter() {
    Injector injector = Guice.createInjector(GpuModule.over(TWO::build));
    GpuResources resources = injector.getInstance(GpuResources.class);
    Scatter scatter = injector.getInstance(Scatter.class);
    assertSame(scatter, injector.getInstance(Scatter.class));
    scatter.run(
        100,
        Schedule.guided(),
        tile -> {
          int ordinal = tile.getDevice().getOrdinal();
          assertSame(resources.getAllocator(ordinal), tile.getAllocator());
          assertSame(resources.getWorkspace(ordinal), tile.getWorkspace());
          tile.getWorkspace().acquire(1 << 20, tile.getStream()).close();
        });
    int[] zeros = new int[5000];
    ScatterReport report =
        ScatterArrays.of(zeros)
            .run(
                scatter,
                Schedule.guided(),
                part -> part.getStream().fill(part.address(), (byte) 1, part.bytes()));
    assertTrue(Arrays.stream(zeros).allMatch(each -> each == 0x01010101));
    assertFalse(report.onCpu());
    close(injector);
  }

  @Test
  @DisplayName("S5.2 free memory of a device's allocator counts as free in its budget")
  void budget() {
    Injector injector = Guice.createInjector(GpuModule.over(TWO::build));
    GpuResources resources = injector.getInstance(GpuResources.class);
    resources.getAllocator(0).allocate(7 * ByteSize.GIB + 700 * ByteSize.MIB).close();
    DevicePool pool = injector.getInstance(DevicePool.class);
    assertTrue(DevicePool.of(resources.getBackend()).getBudget(0) < ByteSize.GIB);
    assertEquals(4 * ByteSize.GIB, pool.getBudget(0));
    assertEquals(4 * ByteSize.GIB, pool.without(List.of(1)).getBudget(0));
    Planner planner = new Planner(Planner.DEFAULT.partitioner(), ByteSize.GIB);
    assertEquals(1, planner.plan(pool, 8).rounds().size());
    close(injector);
  }

  @Test
  @DisplayName("one buffer pool serves all devices, beside the pools of single devices")
  void allDevices() {
    Injector injector = Guice.createInjector(GpuModule.over(TWO::build));
    BufferPool all = injector.getInstance(Key.get(BufferPool.class, AllDevices.class));
    assertNotSame(all, injector.getInstance(BufferPool.class));
    SimBackend backend = (SimBackend) injector.getInstance(GpuResources.class).getBackend();
    for (int i = 0; i < 2; i++) {
      try (var stream = backend.getDevice(i).createStream();
          TypedBuffer buffer = all.acquire(ElementType.INT32, 256, stream)) {
        assertEquals(256, buffer.getCount());
      }
    }
    close(injector);
  }

  @Test
  @DisplayName("the scatter's settings are replaced by its factory")
  void factory() {
    Injector injector =
        Guice.createInjector(
            GpuModule.over(TWO::build),
            new AbstractModule() {
              @Override
              protected void configure() {
                OptionalBinder.newOptionalBinder(binder(), ScatterFactory.class)
                    .setBinding()
                    .toInstance(builder -> builder.bytesPerUnit(ByteSize.GIB).build());
              }
            });
    ScatterReport report = injector.getInstance(Scatter.class).run(16, tile -> {});
    assertEquals(4, report.tiles().size());
    close(injector);
  }
}
