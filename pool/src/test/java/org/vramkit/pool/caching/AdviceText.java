package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vramkit.api.units.ByteSize;

/** Reads the advice of an out-of-memory error, as a person reads it. */
public final class AdviceText {
  private static final Pattern SIZE = Pattern.compile("[0-9.]+ (?:[KMG]i)?B");
  private static final Pattern POOL = Pattern.compile("private pool (\\d+)");

  private AdviceText() {}

  public static List<String> alternatives(String advice) {
    return Arrays.asList(advice.split(", or (?!let)", -1));
  }

  /** Splits an alternative into its steps, without the explanations behind them. */
  public static List<String> steps(String alternative) {
    String way =
        alternative.replaceAll(": the (limit|device).*|; a trim of .*|; captures hold .*", "");
    return Arrays.asList(way.split(", and ", -1));
  }

  /** Returns the size in the alternative of one step that begins so; 0 if there is none. */
  public static long sizeOf(List<String> alternatives, String beginning) {
    return alternatives.stream()
        .filter(each -> each.matches("(?s)" + beginning + ".*") && steps(each).size() == 1)
        .mapToLong(AdviceText::sizeIn)
        .findFirst()
        .orElse(0);
  }

  public static long sizeIn(String way) {
    Matcher size = SIZE.matcher(way);
    assertTrue(size.find(), way);
    return ByteSize.parse(size.group());
  }

  public static List<Integer> poolsIn(String way) {
    return POOL.matcher(way).results().map(each -> Integer.parseInt(each.group(1))).toList();
  }
}
