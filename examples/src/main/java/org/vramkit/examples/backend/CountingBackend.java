package org.vramkit.examples.backend;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;

/**
 * A backend around another one that counts its calls by name, such as {@code Stream.fill};
 * questions ({@code get...}, {@code is...}) are not counted.
 *
 * <p>Everything that a backend hands out and that leads back to a device, or takes something of
 * one, is wrapped along with it: streams, events, pools, memory. Otherwise allocators find a stream
 * that belongs to the device within, which is not theirs. What comes in is unwrapped: the backend
 * within knows its own objects only.
 */
public final class CountingBackend {
  /** Holds the interfaces that are wrapped. */
  private static final Package WRAPPED = Device.class.getPackage();

  private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Consumer<Map<String, Long>> report;

  /** The wrappers of the backend and its devices, of which there is one each. */
  private final Map<Object, Object> lasting = Collections.synchronizedMap(new IdentityHashMap<>());

  private CountingBackend(Consumer<Map<String, Long>> report) {
    this.report = report;
  }

  /**
   * Wraps a backend.
   *
   * @param within closed along with what is returned
   * @param report given the counts by name when the backend is closed
   */
  public static Backend over(Backend within, Consumer<Map<String, Long>> report) {
    return (Backend) new CountingBackend(report).wrapper(Backend.class, within);
  }

  private Object wrapper(Class<?> type, Object within) {
    return type == Backend.class || type == Device.class
        ? lasting.computeIfAbsent(within, each -> proxy(type, each))
        : proxy(type, within);
  }

  private Object proxy(Class<?> type, Object within) {
    return Proxy.newProxyInstance(
        CountingBackend.class.getClassLoader(), new Class<?>[] {type}, new Wrapper(within));
  }

  private @Nullable Object wrap(Class<?> type, @Nullable Object result) {
    if (result instanceof List<?> devices) {
      return devices.stream().map(each -> wrapper(Device.class, each)).toList();
    }
    return result != null && type.isInterface() && type.getPackage() == WRAPPED
        ? wrapper(type, result)
        : result;
  }

  private void count(Method method) {
    String name = method.getName();
    if (!name.startsWith("get") && !name.startsWith("is")) {
      String full = method.getDeclaringClass().getSimpleName() + "." + name;
      counts.computeIfAbsent(full, each -> new LongAdder()).increment();
    }
  }

  private void report() {
    if (closed.compareAndSet(false, true)) {
      Map<String, Long> sorted = new TreeMap<>();
      counts.forEach((name, count) -> sorted.put(name, count.sum()));
      report.accept(sorted);
    }
  }

  /** Stands before one object of the backend within. */
  private final class Wrapper implements InvocationHandler {
    private final Object within;

    Wrapper(Object within) {
      this.within = within;
    }

    @Override
    public @Nullable Object invoke(
        Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
      @Nullable Object @Nullable [] unwrapped = arguments == null ? null : arguments.clone();
      for (int i = 0; unwrapped != null && i < unwrapped.length; i++) {
        unwrapped[i] = unwrap(unwrapped[i]);
      }
      if (method.getDeclaringClass() != Object.class) {
        count(method);
      }
      try {
        return wrap(method.getReturnType(), method.invoke(within, unwrapped));
      } catch (InvocationTargetException e) {
        throw e.getCause();
      } finally {
        if (within instanceof Backend && method.getName().equals("close")) {
          report();
        }
      }
    }

    /** Leaves alone what another backend has wrapped: the one within is to refuse it. */
    private @Nullable Object unwrap(@Nullable Object argument) {
      return argument != null
              && Proxy.isProxyClass(argument.getClass())
              && Proxy.getInvocationHandler(argument) instanceof Wrapper wrapper
              && wrapper.owner() == owner()
          ? wrapper.within
          : argument;
    }

    private CountingBackend owner() {
      return CountingBackend.this;
    }
  }
}
