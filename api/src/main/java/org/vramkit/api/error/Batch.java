package org.vramkit.api.error;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs several steps even if some of them fail, such as the steps that close a backend. The first
 * failure is thrown after the last step, with the other failures as suppressed exceptions.
 * Stateless and thread-safe.
 */
public final class Batch {
  /** Limits the memory that the first failure keeps reachable. */
  private static final int MAX_SUPPRESSED = 100;

  private Batch() {}

  /**
   * Runs {@code step} for each element, in iteration order.
   *
   * @throws RuntimeException the first failure, once every step has run; an {@link Error} likewise
   */
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

  /**
   * Runs the steps in order.
   *
   * @throws RuntimeException the first failure, once every step has run; an {@link Error} likewise
   */
  public static void run(Runnable... steps) {
    forEach(List.of(steps), Runnable::run);
  }

  /**
   * Runs a cleanup step after a failure. If the step fails too, its exception is added to {@code
   * failure} as suppressed. The caller then throws {@code failure}.
   */
  public static void after(Throwable failure, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      suppress(failure, e);
    }
  }

  /**
   * Adds {@code next} to the suppressed exceptions of {@code first}, unless {@code first} already
   * has {@value #MAX_SUPPRESSED} or contains {@code next}. Adds nothing if both are the same
   * object, as on a lost device.
   */
  public static void suppress(Throwable first, Throwable next) {
    Throwable[] known = first.getSuppressed();
    if (first != next
        && known.length < MAX_SUPPRESSED
        && Arrays.stream(known).noneMatch(each -> each == next)) {
      first.addSuppressed(next);
    }
  }
}
