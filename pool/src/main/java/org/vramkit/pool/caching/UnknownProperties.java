package org.vramkit.pool.caching;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Warns of system properties that look like misspelt properties of Vramkit. The JVM accepts any
 * name, so a misspelt one has no effect and no error. Properties that resemble none are left alone,
 * because programs and builds may define their own.
 */
final class UnknownProperties {
  /** The beginning of the names to check. */
  static final String PREFIX = "vramkit.";

  /** The most letters that a misspelt name differs by. */
  private static final int MOST_TYPOS = 2;

  /** The unknown properties that were compared with all known ones, once in this JVM. */
  private static final Set<String> COMPARED = ConcurrentHashMap.newKeySet();

  private final List<String> known;

  UnknownProperties(List<String> known) {
    this.known = known;
  }

  /** Logs a warning if a property with the prefix is unknown and resembles a known one. */
  void check(String property) {
    if (known.contains(property) || !COMPARED.add(property)) {
      return;
    }
    String meant =
        known.stream().filter(each -> isAlike(property, each)).collect(Collectors.joining(" or "));
    if (!meant.isEmpty()) {
      System.getLogger(UnknownProperties.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "unknown system property "
                  + property
                  + " has no effect; did you mean "
                  + meant
                  + "?");
    }
  }

  /** Returns whether a name is a misspelt known name, or lacks the middle of one. */
  private static boolean isAlike(String property, String known) {
    String end = property.substring(PREFIX.length());
    return (!end.isEmpty() && known.endsWith("." + end)) || distance(property, known) <= MOST_TYPOS;
  }

  /** Returns the number of letters to insert, delete or replace: the Levenshtein distance. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[row.length - 1];
  }
}
