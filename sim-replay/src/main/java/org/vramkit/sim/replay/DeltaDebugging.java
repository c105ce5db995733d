package org.vramkit.sim.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The algorithm ddmin of Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing
 * Input", IEEE Transactions on Software Engineering 28 (2), 2002: removes ever smaller parts of a
 * list until no single item can be removed. It differs in two ways: only complements are tried (for
 * two parts, these are the parts themselves); and after a success it continues after the removed
 * part instead of at the start, which finds the same minimum in fewer trials.
 */
final class DeltaDebugging {
  private DeltaDebugging() {}

  /**
   * Removes as many items as possible.
   *
   * @param items the remaining items; called again after each success, because more than the tried
   *     part may be gone
   * @param trial returns whether the list still suffices without the removed part; if true, it must
   *     also have updated what {@code items} returns
   */
  static <T> void minimize(Supplier<List<T>> items, Predicate<List<T>> trial) {
    List<T> rest = items.get();
    int parts = Math.min(2, rest.size());
    while (parts > 0) {
      boolean reduced = false;
      for (int part = 0; part < parts; ) {
        List<T> candidate = without(rest, part, parts);
        if (trial.test(candidate)) {
          reduced = true;
          rest = items.get();
          parts = Math.min(Math.max(parts - 1, 2), rest.size());
        } else {
          part++;
        }
      }
      if (!reduced && parts == rest.size()) {
        return;
      }
      if (!reduced) {
        parts = Math.min(2 * parts, rest.size());
      }
    }
  }

  private static <T> List<T> without(List<T> items, int part, int parts) {
    int from = (int) ((long) items.size() * part / parts);
    int to = (int) ((long) items.size() * (part + 1) / parts);
    List<T> left = new ArrayList<>(items.subList(0, from));
    left.addAll(items.subList(to, items.size()));
    return left;
  }
}
