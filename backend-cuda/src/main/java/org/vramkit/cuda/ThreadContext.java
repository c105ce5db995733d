package org.vramkit.cuda;

import static java.lang.System.Logger.Level.WARNING;

import java.util.function.IntSupplier;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.error.GpuException;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.cuda.driver.Handle;

/**
 * Makes a context current on the calling thread, and again what was so before. The driver knows
 * threads of the system only: nothing between the two may block, or a virtual thread might go on
 * upon another one.
 */
final class ThreadContext {
  private final ContextCalls calls;
  private final DriverErrors errors;
  private final String name;
  private final System.Logger logger;

  /**
   * For one context.
   *
   * @param name what the context is called in errors
   * @param logger logs a thread that could not be left as it was found
   */
  ThreadContext(ContextCalls calls, DriverErrors errors, String name, System.Logger logger) {
    this.calls = calls;
    this.errors = errors;
    this.name = name;
    this.logger = logger;
  }

  /**
   * Makes calls with the context current. Their outcome stands where the thread cannot be left as
   * it was found: no other code knows what they took, or why they failed.
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
      logger.log(WARNING, Thread.currentThread() + " keeps " + name + " current", left);
    }
    return result;
  }

  /** Returns what was current, or the context itself when nothing had to change. */
  private Handle enter(Handle context) {
    Handle[] found = new Handle[1];
    errors.run("cuCtxGetCurrent", () -> "cannot see a thread's device", () -> current(found));
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
      errors.giveBack(
          "cuCtxSetCurrent", () -> "cannot leave " + name, () -> calls.cuCtxSetCurrent(previous));
    }
  }

  /**
   * Makes the context current until the binding is closed, on the same thread.
   *
   * @param end runs when it is closed
   */
  DeviceBinding bind(Handle context, Runnable end) {
    return new Binding(context, enter(context), end);
  }

  /**
   * Of one thread, which alone gets as far as the flag until it has finished: so without any memory
   * order.
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
     * Tells whether this is the thread that has the context current. Another one would change what
     * is current there, and leave the owner's as it is: refused, unless the owner has finished.
     */
    private boolean isOwner() {
      if (Thread.currentThread() == owner) {
        return true;
      }
      if (owner.isAlive()) {
        throw new IllegalStateException(
            name
                + " was made current by "
                + owner
                + ", which alone can close the binding; this is "
                + Thread.currentThread());
      }
      return false;
    }
  }
}
