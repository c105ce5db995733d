package org.vramkit.sim.mutation;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.HazardCode;

/**
 * One line of a program.
 *
 * @param text the line in words
 * @param action what it does
 * @param ifMissing the report that the program gives without the line; null if the line is work
 */
record Line(String text, Consumer<Stage> action, @Nullable HazardCode ifMissing) {

  /** A line of work. */
  static Line work(String text, Consumer<Stage> action) {
    return new Line(text, action, null);
  }

  /** A line of synchronisation. */
  static Line needed(String text, HazardCode ifMissing, Consumer<Stage> action) {
    return new Line(text, action, ifMissing);
  }

  /** Whether it is synchronisation. */
  boolean isNeeded() {
    return ifMissing != null;
  }

  @Override
  public String toString() {
    return text;
  }
}
