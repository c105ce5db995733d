package org.vramkit.pressure;

import static org.vramkit.pressure.Scene.MIB;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.schedule.Schedule;

/** The simulator gives each stream a handle of its own; streams of this test have all the same. */
@DisplayName("45.2 A spill store, where the driver reuses the handle of a closed stream")
class ReusedHandleTest {
  private static final Set<Class<?>> WRAPPED =
      Set.of(Device.class, Event.class, Stream.class, Allocation.class);

  /** Wraps an object of the simulator, and all that it returns, so that streams are equal. */
  private static <T> T wrap(Class<T> type, Object real) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type, Wrapper.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "real" -> real;
                  case "hashCode" -> 1;
                  case "equals" -> isSame(real, unwrap(arguments[0]));
                  default -> {
                    Object result;
                    try {
                      result = method.invoke(real, unwrapAll(arguments));
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                    Class<?> returned = method.getReturnType();
                    yield WRAPPED.contains(returned) ? wrap(returned, result) : result;
                  }
                }));
  }

  private interface Wrapper {
    Object real();
  }

  private static @Nullable Object unwrap(@Nullable Object wrapped) {
    return wrapped instanceof Wrapper wrapper ? wrapper.real() : wrapped;
  }

  private static Object @Nullable [] unwrapAll(Object @Nullable [] all) {
    Object[] real = all == null ? null : all.clone();
    for (int i = 0; real != null && i < real.length; i++) {
      real[i] = unwrap(real[i]);
    }
    return real;
  }

  private static boolean isSame(Object one, @Nullable Object other) {
    return one == other || (one instanceof Stream && other instanceof Stream);
  }

  @Test
  @DisplayName("45.2 orders the work of a new stream behind that of the closed one")
  void waits() {
    try (Scene scene =
        new Scene(SimBackend.builder().schedule(Schedule.of("lazy")).seed(1).build())) {
      Allocator upstream = wrap(Allocator.class, scene.allocator);
      Stream closed = upstream.getDevice().createStream();
      Stream open = upstream.getDevice().createStream();
      try (SpillStore store = SpillStore.over(upstream).hostLimit(MIB).build()) {
        Spillable block = store.create(MIB, 0);
        try (SpillableLease lease = block.materialize(closed)) {
          closed.fill(lease.getAddress(), (byte) 1, MIB);
        }
        closed.close();
        try (SpillableLease lease = block.materialize(open)) {
          open.fill(lease.getAddress(), (byte) 2, MIB);
        }
        block.close();
      }
      SimStream other = scene.device.createStream();
      try (Allocation next = scene.allocator.allocate(MIB, other)) {
        other.fill(next.getAddress(), (byte) 3, MIB);
      }
      other.close();
      open.close();
    }
  }
}
