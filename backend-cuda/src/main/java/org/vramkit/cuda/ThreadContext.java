package org.vramkit.cuda;

import static java.lang.System.Logger.Level.WARNING;

import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.error.GpuException;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.cuda.driver.Handle;

/**
 * Makes a context current on the calling thread and then restores the previous one. The driver's
 * current context belongs to an operating system thread, so the code in between must not block: a
 * virtual thread could resume on another carrier.
 */
final class ThreadContext {
  private final ContextCalls calls;
  private final DriverErrors errors;
  private final String name;
  private final Supplier<System.Logger> logger;

  /**
   * Creates an object for one context.
   *
   * @param name the name of the context in errors
   * @param logger returns the logger of failures to restore a thread's previous context
   */
  ThreadContext(
      ContextCalls calls, DriverErrors errors, String name, Supplier<System.Logger> logger) {
    this.calls = calls;
    this.errors = errors;
    this.name = name;
    this.logger = logger;
  }

  /**
   * Makes calls with the context current. If the previous context cannot be restored, the result or
   * failure of the calls is still returned, because only the caller can handle what they allocated.
   */
  int with(Handle context, IntSupplier calling) {
    Handle previous = enter(context);
    int result;
    try {
      result = calling.getAsInt();
    } catch (RuntimeException | Error e) {
      try {
        leave(context, previous);
      } catch (GpuException left) {
        e.addSuppressed(left);
      }
      throw e;
    }
    try {
      leave(context, previous);
    } catch (GpuException left) {
      logger.get().log(WARNING, Thread.currentThread() + " still has " + name + " current", left);
    }
    return result;
  }

  /** Returns the previous context, or {@code context} itself if it was current. */
  private Handle enter(Handle context) {
    Handle[] found = new Handle[1];
    errors.run(
        "cuCtxGetCurrent",
        () -> "cannot query the thread's current" + " context",
        () -> current(found));
    if (found[0].getAddress() == context.getAddress()) {
      return context;
    }
    errors.run("cuCtxSetCurrent", () -> "cannot use " + name, () -> calls.cuCtxSetCurrent(context));
    return found[0];
  }

  private int current(Handle[] found) {
    return calls.cuCtxGetCurrent(found);
  }

  private void leave(Handle context, Handle previous) {
    if (previous != context) {
      errors.release(
          "cuCtxSetCurrent",
          () -> "cannot restore the context before" + " " + name,
          () -> calls.cuCtxSetCurrent(previous));
    }
  }

  /**
   * Makes the context current on the calling thread until the binding is closed.
   *
   * @param end runs when the binding is closed
   */
  DeviceBinding bind(Handle context, Runnable end) {
    return new Binding(context, enter(context), end);
  }

  /**
   * A binding of one thread. Its flag needs no memory ordering: until the thread terminates, no
   * other thread accesses the flag.
   */
  private final class Binding implements DeviceBinding {
    private final Thread owner = Thread.currentThread();
    private final Handle context;
    private final Handle previous;
    private final Runnable end;
    private boolean closed;

    Binding(Handle context, Handle previous, Runnable end) {
      this.context = context;
      this.previous = previous;
      this.end = end;
    }

    @Override
    public void close() {
      boolean isOwner = isOwner();
      if (!closed) {
        closed = true;
        try {
          if (isOwner) {
            leave(context, previous);
          }
        } finally {
          end.run();
        }
      }
    }

    /**
     * Returns whether the calling thread owns the binding. Throws on another thread while the owner
     * is alive, because closing there would change the wrong thread's context.
     */
    private boolean isOwner() {
      if (Thread.currentThread() == owner) {
        return true;
      }
      if (owner.isAlive()) {
        throw new IllegalStateException(
            name
                + " is bound by "
                + owner
                + ", which must close the binding; the calling thread is "
                + Thread.currentThread());
      }
      return false;
    }
  }
}
