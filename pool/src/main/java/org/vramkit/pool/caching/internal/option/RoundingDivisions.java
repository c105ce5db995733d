package org.vramkit.pool.caching.internal.option;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/**
 * Rounds sizes up to equal steps between two powers of two, so that requests of similar sizes share
 * blocks, as PyTorch's roundup_power2_divisions does. With 4 divisions 84 MiB becomes 96 MiB,
 * because the steps are 64, 80, 96, 112 and 128 MiB.
 *
 * <p>Written {@code 4} for all sizes, or {@code 64:8,256:2} with thresholds in MiB; the divisions
 * are powers of two. With {@code 1}, and below the smallest threshold, sizes are not rounded.
 *
 * @param divisionsFrom numbers of divisions by the size in bytes from which they apply
 */
public record RoundingDivisions(NavigableMap<Long, Integer> divisionsFrom) {
  public static final RoundingDivisions NONE = new RoundingDivisions(new TreeMap<>());

  /**
   * Parses {@code none} or one of the forms above.
   *
   * @throws InvalidArgumentException if the text has another form
   */
  public static RoundingDivisions parse(String text) {
    if (text.equals("none")) {
      return NONE;
    }
    // Numbers of these lengths overflow neither as MiB nor as divisions.
    Pattern form = Pattern.compile("\\s*(?:([0-9]{1,12}):)?([0-9]{1,9})\\s*");
    NavigableMap<Long, Integer> table = new TreeMap<>();
    for (String part : text.split(",", -1)) {
      Matcher entry = form.matcher(part);
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
    return new RoundingDivisions(table);
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
    Map.Entry<Long, Integer> entry = divisionsFrom.floorEntry(bytes);
    if (entry == null || entry.getValue() <= 1 || Long.bitCount(bytes) == 1) {
      return bytes;
    }
    long step = Long.highestOneBit(bytes) / entry.getValue();
    return step <= SizeRules.QUANTUM ? bytes : ByteSize.roundUp(bytes, step);
  }
}
