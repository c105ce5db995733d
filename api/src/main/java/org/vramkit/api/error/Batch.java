package org.vramkit.api.error;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Several steps that are all taken, also where some fail: what is given back piece by piece must
 * not lose the rest to one refusal of the driver. At the end the first failure is thrown, with the
 * others suppressed. For the close of several things, as in a backend or an allocator. Safe for any
 * thread, as are all functions.
 */
public final class Batch {
  /** More would tell no more, and cost memory for as long as the first is kept. */
  private static final int MOST_SUPPRESSED = 100;

  private Batch() {}

  /**
   * Takes one step for each of several things, in their order.
   *
   * @throws RuntimeException the first failure, be it an {@link Error}
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
   * Takes several steps in their order.
   *
   * @throws RuntimeException the first failure, be it an {@link Error}
   */
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

  /**
   * Adds a failure to the one that is thrown; at most {@value #MOST_SUPPRESSED} of them, each once.
   * The two may be one object, as of a device that is lost, which no exception takes as its own.
   */
  public static void suppress(Throwable first, Throwable next) {
    Throwable[] known = first.getSuppressed();
    if (first != next
        && known.length < MOST_SUPPRESSED
        && Arrays.stream(known).noneMatch(each -> each == next)) {
      first.addSuppressed(next);
    }
  }
}
