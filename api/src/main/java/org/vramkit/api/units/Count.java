package org.vramkit.api.units;

import java.util.Locale;
import java.util.Objects;

/** Counts with their nouns, for people. */
public final class Count {
  private Count() {}

  /**
   * Prints a count with its noun: {@code 1 step}, {@code 0 steps}, {@code 12,345 steps}.
   *
   * @param count how many; may be negative
   * @param noun one of them, a word or several whose plural ends in a mere {@code s}
   */
  public static String of(long count, String noun) {
    Objects.requireNonNull(noun, "noun");
    return String.format(Locale.ROOT, "%,d %s%s", count, noun, count == 1 ? "" : "s");
  }
}
