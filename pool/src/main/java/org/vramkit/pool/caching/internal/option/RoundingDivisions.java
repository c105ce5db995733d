package org.vramkit.pool.caching.internal.option;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
public final class RoundingDivisions {
  /** Leaves sizes as they are. */
  public static final RoundingDivisions NONE = new RoundingDivisions(new TreeMap<>(), "none");

  /** So many digits overflow neither as MiB nor as a number of divisions. */
  private static final Pattern ENTRY = Pattern.compile("\\s*(?:([0-9]{1,12}):)?([0-9]{1,9})\\s*");

  private final NavigableMap<Long, Integer> divisionsFrom;
  private final String text;

  private RoundingDivisions(NavigableMap<Long, Integer> divisionsFrom, String text) {
    this.divisionsFrom = divisionsFrom;
    this.text = text;
  }

  public static RoundingDivisions parse(String text) {
    if (text.equals("none")) {
      return NONE;
    }
    NavigableMap<Long, Integer> table = new TreeMap<>();
    for (String part : text.split(",", -1)) {
      Matcher entry = ENTRY.matcher(part);
      int divisions = entry.matches() ? Integer.parseInt(entry.group(2)) : 0;
      if (Integer.bitCount(divisions) != 1) {
        throw malformed(text, "are neither a power of two, such as 4, nor");
      }
      long from = entry.group(1) == null ? 0 : Long.parseLong(entry.group(1)) * ByteSize.MIB;
      if (table.put(from, divisions) != null) {
        throw malformed(
            text,
            "begin at " + from / ByteSize.MIB + " MiB twice; write a power of two, such as 4, or");
      }
    }
    return new RoundingDivisions(table, text);
  }

  private static InvalidArgumentException malformed(String text, String reason) {
    return new InvalidArgumentException(
        "rounding-divisions '"
            + text
            + "' "
            + reason
            + " a list such as 64:8,256:2 (MiB from which on : divisions)");
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
