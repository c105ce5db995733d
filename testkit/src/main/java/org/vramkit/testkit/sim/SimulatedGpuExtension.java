package org.vramkit.testkit.sim;

import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

/** Hands out the parts of a test's simulator, as parameters and to code that opens a backend. */
final class SimulatedGpuExtension implements ParameterResolver, ScopedInvocations {
  @Override
  public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
    return ExtensionContextScope.TEST_METHOD;
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return isBackend(type) || isDevice(type) || isStream(type);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    if (context.getTestMethod().isEmpty()) {
      throw new ParameterResolutionException(
          "a simulated GPU lives as long as one test, but "
              + parameter.getDeclaringExecutable()
              + " runs for the whole class; take "
              + parameter.getParameter().getType().getSimpleName()
              + " as a parameter of the test or of @BeforeEach");
    }
    TestGpu gpu = TestGpu.of(context);
    Class<?> type = parameter.getParameter().getType();
    Optional<Ordinal> ordinal = parameter.findAnnotation(Ordinal.class);
    if (isBackend(type)) {
      if (ordinal.isPresent()) {
        throw new ParameterResolutionException(
            "@Ordinal picks a device or a device's stream, but the parameter is a "
                + type.getSimpleName());
      }
      return gpu.getBackend();
    }
    SimDevice device = device(gpu.getBackend(), ordinal.map(Ordinal::value).orElse(0));
    return isDevice(type) ? device : gpu.createStream(device, parameter.getParameter());
  }

  private static SimDevice device(SimBackend backend, int ordinal) {
    int devices = backend.getDevices().size();
    if (ordinal < 0 || ordinal >= devices) {
      throw new ParameterResolutionException(
          "@Ordinal("
              + ordinal
              + ") names a device that is not there: the test has "
              + devices
              + ", from 0; "
              + (ordinal < 0
                  ? "ordinals are not negative"
                  : "ask for more with @SimulatedGpu(devices = " + (ordinal + 1) + ")"));
    }
    return backend.getDevice(ordinal);
  }

  private static boolean isBackend(Class<?> type) {
    return type == SimBackend.class || type == Backend.class;
  }

  private static boolean isDevice(Class<?> type) {
    return type == SimDevice.class || type == Device.class;
  }

  private static boolean isStream(Class<?> type) {
    return type == SimStream.class || type == Stream.class;
  }
}
