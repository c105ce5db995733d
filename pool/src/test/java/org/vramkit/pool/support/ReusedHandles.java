package org.vramkit.pool.support;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

/**
 * A simulated device with streams of chosen handles, as if the driver gave the handle of a closed
 * stream to the next: those of one handle are equal, and each works for itself.
 */
public class ReusedHandles {
  /** What may be asked of a closed stream. */
  private static final Set<String> ALWAYS =
      Set.of("getDevice", "getHandle", "getName", "isDefault", "isClosed", "close", "toString");

  /** The device, over the simulated one. */
  public final Device device;

  private final SimDevice simulated;

  public ReusedHandles(SimDevice simulated) {
    this.simulated = simulated;
    this.device = (Device) proxy(Device.class, new Outer(simulated));
  }

  /** A new stream; gives the handle to as many as ask for it. */
  public Stream newStream(long handle) {
    return newStream(simulated.createStream(), handle, true);
  }

  /** Another object for a stream; closing it leaves the stream open. */
  public Stream wrap(Stream stream) {
    return newStream(simulated(stream), stream.getHandle(), false);
  }

  /** Makes a call of the simulator; a subclass may have it fail. */
  protected @Nullable Object call(Object target, Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private Stream newStream(SimStream target, long handle, boolean owner) {
    return (Stream) proxy(Stream.class, new Inner(target, handle, owner));
  }

  /** The stream of the simulator that does the work. */
  public static SimStream simulated(Stream stream) {
    return (SimStream) inner(stream);
  }

  private static Object proxy(Class<?> type, InvocationHandler handler) {
    return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
  }

  private static Object inner(Object argument) {
    return Proxy.isProxyClass(argument.getClass())
            && Proxy.getInvocationHandler(argument) instanceof Outer handler
        ? handler.target
        : argument;
  }

  /** Hands calls on, with what the simulator knows for what it does not. */
  private class Outer implements InvocationHandler {
    final Object target;

    Outer(Object target) {
      this.target = target;
    }

    @Override
    public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments)
        throws Throwable {
      if (method.getName().equals("equals") && arguments != null) {
        return self == arguments[0];
      }
      Object[] inner = arguments == null ? new Object[0] : arguments.clone();
      for (int i = 0; i < inner.length; i++) {
        inner[i] = inner(inner[i]);
      }
      Object result = call(target, method, inner);
      if (result == simulated) {
        return device;
      }
      Class<?> type = method.getReturnType();
      if (type == Stream.class) {
        SimStream stream = java.util.Objects.requireNonNull((SimStream) result);
        return newStream(stream, stream.getHandle(), true);
      }
      return result != null && type.isInterface() && type.getPackage() == Device.class.getPackage()
          ? proxy(type, new Outer(result))
          : result;
    }
  }

  /** A stream: equal to all of its handle, open until it is closed itself. */
  private final class Inner extends Outer {
    private final long handle;
    private final boolean owner;
    private volatile boolean closed;

    Inner(SimStream target, long handle, boolean owner) {
      super(target);
      this.handle = handle;
      this.owner = owner;
    }

    @Override
    public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments)
        throws Throwable {
      String name = method.getName();
      if (closed && !ALWAYS.contains(name) && method.getDeclaringClass() != Object.class) {
        throw new ClosedException("stream is closed");
      }
      return switch (name) {
        case "equals" ->
            arguments != null
                && arguments[0] instanceof Stream other
                && other.getHandle() == handle;
        case "hashCode" -> Long.hashCode(handle);
        case "getHandle" -> handle;
        case "isClosed" -> closed;
        case "close" -> {
          closed = true;
          yield owner ? super.invoke(self, method, arguments) : null;
        }
        default -> super.invoke(self, method, arguments);
      };
    }
  }
}
