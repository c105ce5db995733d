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
 * Wraps a backend and counts its calls by name, such as {@code Stream.fill}. Getters ({@code
 * get...}, {@code is...}) are not counted.
 *
 * <p>Results that refer to a device, such as streams, events, pools and memory, are wrapped too.
 * Otherwise allocators would find streams of the wrapped device and reject them. Arguments are
 * unwrapped, because the wrapped backend only knows its own objects.
 */
public final class CountingBackend {
  /** The package of the interfaces to wrap. */
  private static final Package WRAPPED = Device.class.getPackage();

  private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Consumer<Map<String, Long>> report;

  /** The only wrapper of the backend and of each device. */
  private final Map<Object, Object> lasting = Collections.synchronizedMap(new IdentityHashMap<>());

  private CountingBackend(Consumer<Map<String, Long>> report) {
    this.report = report;
  }

  /**
   * Wraps a backend.
   *
   * @param within the backend to wrap, closed together with the result
   * @param report receives the counts by name when the backend is closed
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

  /** Wraps one object of the backend. */
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

    /** Unwraps own wrappers only; the wrapped backend rejects objects of other backends. */
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
