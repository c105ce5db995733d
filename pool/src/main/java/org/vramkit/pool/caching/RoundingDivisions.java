package org.vramkit.pool.caching;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/**
 * Rounds sizes up to one of several equal steps between two powers of two, so that requests that
 * differ a little share blocks: with 4 divisions 84 MiB becomes 96 MiB, one of 64, 80, 96, 112.
 *
 * <p>Written {@code 4} for all sizes, or {@code 64:8,256:2} for sizes from so many MiB on, each
 * threshold and number of divisions a power of two; {@code 1} or less rounds not at all, and so
 * does every size below the smallest threshold.
 */
final class RoundingDivisions {
  /** Leaves sizes as they are. */
  static final RoundingDivisions NONE = new RoundingDivisions(new TreeMap<>(), "none");

  private final NavigableMap<Long, Integer> divisionsFrom;
  private final String text;

  private RoundingDivisions(NavigableMap<Long, Integer> divisionsFrom, String text) {
    this.divisionsFrom = divisionsFrom;
    this.text = text;
  }

  static RoundingDivisions parse(String text) {
    if (text.isBlank() || text.equals("none")) {
      return NONE;
    }
    NavigableMap<Long, Integer> table = new TreeMap<>();
    for (String part : text.split(",", -1)) {
      String[] pair = part.trim().split(":", -1);
      if (pair.length > 2) {
        throw malformed(text);
      }
      try {
        long from = pair.length == 1 ? 0 : Long.parseLong(pair[0]) * ByteSize.MIB;
        int divisions = Integer.parseInt(pair[pair.length - 1]);
        if (divisions < 1 || Integer.bitCount(divisions) != 1 || from < 0) {
          throw malformed(text);
        }
        table.put(from, divisions);
      } catch (NumberFormatException e) {
        throw malformed(text);
      }
    }
    return new RoundingDivisions(table, text);
  }

  private static InvalidArgumentException malformed(String text) {
    return new InvalidArgumentException(
        "rounding divisions '"
            + text
            + "' are neither a power of two, such as 4, nor a list such as 64:8,256:2"
            + " (MiB from which on : divisions)");
  }

  long round(long bytes) {
    if (divisionsFrom.isEmpty()) {
      return bytes;
    }
    Map.Entry<Long, Integer> entry = divisionsFrom.floorEntry(bytes);
    if (entry == null || entry.getValue() <= 1 || Long.bitCount(bytes) == 1) {
      return bytes;
    }
    long step = Long.highestOneBit(bytes) / entry.getValue();
    return step <= SizeRules.QUANTUM ? bytes : ByteSize.roundUp(bytes, step);
  }

  @Override
  public String toString() {
    return text;
  }
}
