package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("The clocks of streams")
class StreamClocksTest {

  /** A closed stream of a driver that gives the same handle to each new one. */
  private static Stream closedOfOneHandle(Device device) {
    return (Stream)
        Proxy.newProxyInstance(
            Stream.class.getClassLoader(),
            new Class<?>[] {Stream.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> arguments[0] instanceof Stream;
                  case "hashCode" -> 7;
                  case "toString" -> "stream 0x7";
                  case "isClosed" -> true;
                  case "isDefault" -> false;
                  case "getDevice" -> device;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  @Test
  @DisplayName("41.8 a handle that a driver gives to one stream after another keeps few of them")
  void oneHandle() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      StreamClocks clocks = new StreamClocks(backend.getDevice(0));
      for (int i = 0; i < 1000; i++) {
        clocks.of(closedOfOneHandle(backend.getDevice(0)));
      }
      assertTrue(clocks.size() <= 2, clocks.size() + " clocks");
      clocks.close();
      assertEquals(List.of(), backend.getLeaks());
    }
  }
}
