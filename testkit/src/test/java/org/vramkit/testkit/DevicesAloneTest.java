package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;

@DisplayName("The kit on a backend that wraps the devices of another one alone")
class DevicesAloneTest {

  /** Its streams and events lead to the device within. Fails, so that only the test runs it. */
  static class DevicesAlone extends BackendKit {
    @Override
    protected Backend openBackend() {
      return new Around(new HostBackend());
    }
  }

  /** A backend with one device, which is another one's in all but its backend. */
  private static final class Around implements Backend {
    private final Backend within;
    private final Device device;

    Around(Backend within) {
      this.within = within;
      this.device =
          (Device)
              Proxy.newProxyInstance(
                  Device.class.getClassLoader(),
                  new Class<?>[] {Device.class},
                  (proxy, method, arguments) -> {
                    if (method.getName().equals("getBackend")) {
                      return this;
                    }
                    if (method.getName().equals("equals")) {
                      return proxy == arguments[0];
                    }
                    try {
                      return method.invoke(within.getDevice(0), arguments);
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                  });
    }

    @Override
    public String getName() {
      return within.getName();
    }

    @Override
    public List<Device> getDevices() {
      return List.of(device);
    }

    @Override
    public Device getDevice(int ordinal) {
      if (ordinal != 0) {
        throw new InvalidArgumentException("no device " + ordinal + ": there is 1");
      }
      return device;
    }

    @Override
    public void close() {
      within.close();
    }
  }

  @Test
  @DisplayName("17.23 names each object that must be wrapped, too")
  void saysWhatIsMissing() {
    List<String> failures =
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectClass(DevicesAlone.class))
            .execute()
            .testEvents()
            .failed()
            .stream()
            .map(event -> event.getRequiredPayload(TestExecutionResult.class))
            .map(result -> result.getThrowable().orElseThrow().toString())
            .toList();
    for (String what : List.of("a stream", "the default stream", "an event")) {
      assertEquals(
          1,
          failures.stream()
              .filter(each -> each.contains(what + " must return the device that created it"))
              .count(),
          () -> what + " in " + failures);
    }
  }
}
