package org.vramkit.tools;

import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.function.Supplier;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import org.vramkit.pool.caching.CachingAllocatorMXBean;
import org.vramkit.tools.replay.UsageException;
import org.vramkit.tools.top.JvmConnection;
import org.vramkit.tools.top.RemoteAllocators;

/** Runs actions on the allocators of another JVM, and reports allocators that are gone. */
final class RemoteControl {
  private final Errors errors;

  RemoteControl(Errors errors) {
    this.errors = errors;
  }

  /** An action on an allocator of another JVM. */
  interface Action {
    void run(long number, CachingAllocatorMXBean bean);
  }

  /**
   * Runs an action on each open allocator of a JVM.
   *
   * @return the exit code: whether all allocators were still there
   * @throws UsageException if an allocator refuses the action; the message has its reason
   */
  int onEach(Supplier<JvmConnection> jvm, Action action) {
    boolean complete = true;
    try (JvmConnection connection = jvm.get()) {
      for (var each : RemoteAllocators.of(connection).entrySet()) {
        complete &= on(each.getKey(), each.getValue(), action);
      }
    }
    return complete ? Errors.OK : Errors.BAD_INPUT;
  }

  /**
   * Runs an action on one allocator. If the allocator or its JVM is gone, prints an error and
   * returns false.
   */
  boolean on(long number, CachingAllocatorMXBean bean, Action action) {
    String allocator = "allocator " + number;
    try {
      action.run(number, bean);
      return true;
    } catch (IllegalStateException e) {
      throw new UsageException(allocator + ": " + e.getMessage());
    } catch (UndeclaredThrowableException e) {
      if (e.getCause() instanceof InstanceNotFoundException) {
        errors.print(allocator + " was closed during the command");
      } else if (e.getCause() instanceof IOException) {
        errors.print(allocator + " does not answer: its JVM has ended or lost the connection");
      } else if (e.getCause() instanceof JMException) {
        errors.print(allocator + " is of a version of Vramkit without this command");
      } else {
        throw e;
      }
      return false;
    }
  }
}
