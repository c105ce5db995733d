package org.vramkit.pool.support;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Several steps that are all taken, also where some fail: what is given back piece by piece must
 * not lose the rest to one refusal of the driver. At the end the first failure is thrown, with the
 * others suppressed.
 */
public final class Batch {
  private Batch() {}

  /** Takes one step for each of several things, in their order. */
  public static <T> void forEach(Collection<T> things, Consumer<? super T> step) {
    Throwable first = null;
    for (T each : things) {
      try {
        step.accept(each);
      } catch (RuntimeException | Error e) {
        if (first == null) {
          first = e;
        } else {
          suppress(first, e);
        }
      }
    }
    if (first instanceof Error error) {
      throw error;
    }
    if (first instanceof RuntimeException failure) {
      throw failure;
    }
  }

  /** Takes several steps in their order. */
  public static void run(Runnable... steps) {
    forEach(List.of(steps), Runnable::run);
  }

  /**
   * Takes a step that a failure calls for, such as giving back what was not filled; its own failure
   * is suppressed under the first, for the caller to throw.
   */
  public static void after(Throwable failure, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      suppress(failure, e);
    }
  }

  /** Adds a failure to the one that is thrown, which a lost device may throw again itself. */
  public static void suppress(Throwable first, Throwable next) {
    if (first != next) {
      first.addSuppressed(next);
    }
  }
}
