package org.vramkit.api.units;

import java.util.Locale;
import java.util.Objects;

/** Formats counts with their nouns. */
public final class Count {
  private Count() {}

  /**
   * Formats a count with its noun: {@code 1 step}, {@code 0 steps}, {@code 12,345 steps}.
   *
   * @param count the number; may be negative
   * @param noun the singular, one or more words that form the plural with {@code s}
   */
  public static String of(long count, String noun) {
    Objects.requireNonNull(noun, "noun");
    return String.format(Locale.ROOT, "%,d %s%s", count, noun, count == 1 ? "" : "s");
  }
}
