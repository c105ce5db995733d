package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;

@DisplayName("17.25 A handle that the driver refuses to destroy is closed nevertheless")
class RefusedClosesTest {

  /** Something with a handle: how it is closed, and a call that needs it open. */
  private record Handle(AutoCloseable closing, Runnable use) {}

  private record Case(String function, Function<Scene, Handle> make) {
    @Override
    public String toString() {
      return function;
    }
  }

  static Stream<Case> cases() {
    return Stream.of(
        new Case(
            "cuStreamDestroy",
            scene -> {
              SimStream stream = scene.device.createStream();
              return new Handle(stream, stream::synchronize);
            }),
        new Case(
            "cuEventDestroy",
            scene -> {
              SimEvent event = scene.device.createEvent();
              return new Handle(event, event::isComplete);
            }),
        new Case(
            "cuMemPoolDestroy",
            scene -> {
              DriverPool pool = scene.device.getDriverPools().create(0);
              return new Handle(pool, () -> pool.allocate(512, scene.s1));
            }),
        new Case(
            "cuMemFreeHost",
            scene -> {
              PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(512);
              return new Handle(buffer, () -> buffer.getBytes(0, 1));
            }));
  }

  private static void refuse(Scene scene, String function) {
    scene
        .backend
        .getFaults()
        .inject(FaultPlan.NONE.fail(CallSelector.of(function), Fault.NOT_PERMITTED));
  }

  @ParameterizedTest
  @MethodSource("cases")
  @DisplayName("It is used no more, held no more, and destroyed no second time")
  void closed(Case each) throws Exception {
    try (Scene scene = new Scene()) {
      int before = scene.backend.getLeaks().size();
      Handle handle = each.make().apply(scene);
      refuse(scene, each.function());
      assertThrows(GpuException.class, handle.closing()::close);
      assertThrows(ClosedException.class, handle.use()::run);
      handle.closing().close();
      assertEquals(1, scene.backend.getDriverCalls().getCount(each.function()));
      assertEquals(before, scene.backend.getLeaks().size());
      scene.expect();
    }
  }

  @Test
  @DisplayName("A closed driver pool is destroyed with its last memory")
  void pool() {
    try (Scene scene = new Scene()) {
      long free = scene.device.getMemoryInfo().freeBytes();
      DriverPool pool = scene.device.getDriverPools().create(0);
      long memory = pool.allocate(Scene.SIZE, scene.s1);
      refuse(scene, "cuMemPoolDestroy");
      assertThrows(GpuException.class, pool::close);
      scene.device.getStreamOrderedMemory().free(memory, scene.s1);
      scene.s1.synchronize();
      assertEquals(free, scene.device.getMemoryInfo().freeBytes());
      assertEquals(1, scene.device.core().pools.size(), "but for the default one");
      assertEquals(List.of(), scene.expect());
    }
  }
}
