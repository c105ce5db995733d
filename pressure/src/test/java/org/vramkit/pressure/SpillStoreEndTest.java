package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.pressure.Scene.MIB;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("45.2 The end of a spill store")
class SpillStoreEndTest {
  @TempDir Path folder;

  private static Spillable filled(SpillStore store, SimStream stream) {
    Spillable made = store.create(MIB, 0);
    try (SpillableLease lease = made.materialize(stream)) {
      stream.fill(lease.getAddress(), (byte) 1, lease.getSize());
    }
    return made;
  }

  @Test
  @DisplayName("45.2 on a lost device, spillables on each side and their store can be closed")
  void lostDevice() throws IOException {
    SimBackend gpu = SimBackend.builder().build();
    SimDevice device = gpu.getDevice(0);
    SimStream stream = device.createStream();
    CachingAllocator allocator = CachingAllocator.create(device);
    SpillStore store = SpillStore.over(allocator).hostLimit(2 * MIB).disk(folder, MIB).build();
    Spillable onDisk = filled(store, stream);
    Spillable onHost = filled(store, stream);
    Spillable restored = filled(store, stream);
    assertEquals(3 * MIB, store.spill(3 * MIB));
    restored.materialize(stream).close();
    Spillable onDevice = filled(store, stream);
    SpillableLease lease = onDevice.materialize(stream);
    gpu.getFaults().failNext("cuMemsetD8Async", Fault.FATAL);
    assertThrows(FatalDeviceException.class, () -> stream.fill(lease.getAddress(), (byte) 2, 1));
    assertThrows(FatalDeviceException.class, lease::close);
    List.of(onDisk, onHost, restored, onDevice).forEach(Spillable::close);
    store.close();
    assertThrows(FatalDeviceException.class, allocator::close);
    stream.close();
    gpu.close();
    assertEquals(List.of(), gpu.getLeaks());
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  @DisplayName("45.2 after a close that failed in the driver, another close releases the rest")
  void closeAgain() {
    try (Scene scene = new Scene(64);
        SimStream stream = scene.device.createStream()) {
      SpillStore store = SpillStore.over(scene.allocator).hostLimit(MIB).build();
      Spillable first = filled(store, stream);
      assertEquals(MIB, store.spill(1));
      first.materialize(stream).close();
      first.close();
      scene.gpu.getFaults().failNext("cuEventSynchronize", Fault.UNKNOWN);
      assertThrows(DriverException.class, store::close);
      store.close();
    }
  }

  @Test
  @DisplayName("45.2 an event that cannot be closed is reported by the close of the store")
  void failingEvent() {
    try (Scene scene = new Scene(64);
        SimStream stream = scene.device.createStream()) {
      SpillStore store = SpillStore.over(scene.allocator).hostLimit(3 * MIB).build();
      for (int i = 0; i < 3; i++) {
        filled(store, stream).close();
      }
      scene.gpu.getFaults().failNext("cuEventDestroy", Fault.UNKNOWN);
      assertThrows(DriverException.class, store::close);
      store.close();
    }
  }

  @Test
  @DisplayName("45.2 no event is left if the query for the work of a closed stream fails")
  void failingQuery() {
    try (Scene scene = new Scene(64);
        SimStream stream = scene.device.createStream()) {
      SpillStore store = SpillStore.over(scene.allocator).hostLimit(MIB).build();
      SimStream gone = scene.device.createStream();
      Spillable block = filled(store, gone);
      gone.close();
      SpillableLease lease = block.materialize(stream);
      scene.gpu.getFaults().failNext("cuEventQuery", Fault.UNKNOWN);
      assertThrows(DriverException.class, lease::close);
      block.close();
      store.close();
    }
  }

  @Test
  @DisplayName("45.2 no lease is left if memory that another thread made needless cannot be freed")
  void failingClose() {
    try (Scene scene = new Scene(64);
        SimStream stream = scene.device.createStream()) {
      AtomicReference<Runnable> beside = new AtomicReference<>();
      SpillStore store =
          SpillStore.over(failingClose(scene.allocator, beside)).hostLimit(MIB).build();
      Spillable block = store.create(MIB, 0);
      beside.set(() -> block.materialize(stream).close());
      assertThrows(IllegalStateException.class, () -> block.materialize(stream));
      block.close();
      store.close();
    }
  }

  /** Returns an allocator whose first allocation runs an action, and throws when it is closed. */
  private static Allocator failingClose(Allocator upstream, AtomicReference<Runnable> beside) {
    return proxy(
        Allocator.class,
        (proxy, method, arguments) -> {
          Object made = method.invoke(upstream, arguments);
          Runnable action = made instanceof Allocation ? beside.getAndSet(null) : null;
          if (action == null) {
            return made;
          }
          action.run();
          return proxy(
              Allocation.class,
              (any, call, given) -> {
                Object result = call.invoke(made, given);
                if (call.getName().equals("close")) {
                  throw new IllegalStateException("planned");
                }
                return result;
              });
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
