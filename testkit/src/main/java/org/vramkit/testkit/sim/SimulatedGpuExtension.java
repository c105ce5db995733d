package org.vramkit.testkit.sim;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimScope;
import org.vramkit.sim.SimStream;

/**
 * Resolves parameters to objects of a test's simulator, and runs the test's code in a scope where
 * {@code Backends.open()} finds the same simulator.
 */
final class SimulatedGpuExtension implements ParameterResolver, InvocationInterceptor {
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
              + " runs for the whole class"
              + (parameter.getDeclaringExecutable() instanceof Constructor
                  ? ", as each constructor does before JUnit 5.12"
                  : "")
              + "; take "
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
              + ") names a device that does not exist: the test has "
              + devices
              + ", numbered from 0; "
              + (ordinal < 0
                  ? "ordinals are not negative"
                  : "add devices with @SimulatedGpu(devices = " + (ordinal + 1) + ")"));
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

  @SuppressWarnings("try") // the variable only closes the scope
  private static <T extends @Nullable Object> T inside(
      ExtensionContext context, Invocation<T> invocation) throws Throwable {
    TestGpu gpu = TestGpu.find(context);
    if (gpu == null) {
      return invocation.proceed();
    }
    try (SimScope.Entry inside = gpu.getScope().enter()) {
      return invocation.proceed();
    }
  }

  @Override
  public <T> T interceptTestClassConstructor(
      Invocation<T> invocation,
      ReflectiveInvocationContext<Constructor<T>> constructor,
      ExtensionContext context)
      throws Throwable {
    return inside(context, invocation);
  }

  @Override
  public void interceptBeforeEachMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    inside(context, invocation);
  }

  @Override
  public void interceptTestMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    inside(context, invocation);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    inside(context, invocation);
  }

  @Override
  public <T> T interceptTestFactoryMethod(
      Invocation<T> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    return inside(context, invocation);
  }

  @Override
  public void interceptDynamicTest(
      Invocation<@Nullable Void> invocation,
      DynamicTestInvocationContext test,
      ExtensionContext context)
      throws Throwable {
    inside(context, invocation);
  }

  @Override
  public void interceptAfterEachMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    inside(context, invocation);
  }
}
