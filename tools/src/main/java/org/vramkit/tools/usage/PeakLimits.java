package org.vramkit.tools.usage;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;

/**
 * Limits on the peaks of a recording. A limit that is null does not apply. A peak that a recording
 * does not have is not limited.
 *
 * @param peakBytes most requested and most reserved bytes
 * @param ratio most reserved by requested bytes
 * @param growth most growth of each peak over that of a baseline, in percent
 */
public record PeakLimits(
    @Nullable Long peakBytes, @Nullable BigDecimal ratio, @Nullable BigDecimal growth) {
  private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

  /** The limits, by the option that sets each. */
  public enum Rule {
    MAX_PEAK("max-peak"),
    MAX_RATIO("max-ratio"),
    MAX_GROWTH("max-growth");

    private final String option;

    Rule(String option) {
      this.option = option;
    }

    /** Returns the name of the option without dashes. */
    public String getOption() {
      return option;
    }
  }

  /**
   * A rule that a recording breaks.
   *
   * @param rule the rule
   * @param description the limit and what was found, in words
   */
  public record Breach(Rule rule, String description) {}

  /**
   * Returns the rules that the peaks break, at most one breach for each rule.
   *
   * @param baseline the peaks that growth is relative to; null if there is no baseline
   */
  public List<Breach> check(Peaks peaks, @Nullable Peaks baseline) {
    List<Breach> breaches = new ArrayList<>();
    if (peakBytes != null) {
      List<String> over = new ArrayList<>();
      addIfMore(over, "requested ", peaks.requestedBytes(), peakBytes);
      addIfMore(over, "reserved ", peaks.reservedBytes(), peakBytes);
      add(breaches, Rule.MAX_PEAK, ByteSize.formatOption(peakBytes), over);
    }
    Double found = peaks.getRatio();
    if (ratio != null && found != null && isOver(peaks, ratio)) {
      String text = String.format(Locale.ROOT, "reserved / requested is %.4f", found);
      add(breaches, Rule.MAX_RATIO, ratio.toPlainString(), List.of(text));
    }
    if (growth != null && baseline != null) {
      List<String> over = new ArrayList<>();
      grown(over, "requested ", peaks.requestedBytes(), baseline.requestedBytes(), growth);
      grown(over, "reserved ", peaks.reservedBytes(), baseline.reservedBytes(), growth);
      add(breaches, Rule.MAX_GROWTH, growth.toPlainString() + "%", over);
    }
    return breaches;
  }

  private static void add(List<Breach> breaches, Rule rule, String limit, List<String> over) {
    if (!over.isEmpty()) {
      String text = "--" + rule.getOption() + " " + limit + " is exceeded: ";
      breaches.add(new Breach(rule, text + String.join(", ", over)));
    }
  }

  private static void addIfMore(List<String> over, String name, @Nullable Long bytes, long limit) {
    if (bytes != null && bytes > limit) {
      over.add(name + ByteSize.formatExact(bytes));
    }
  }

  private static boolean isOver(Peaks peaks, BigDecimal limit) {
    BigDecimal most = limit.multiply(BigDecimal.valueOf(peaks.requestedBytes()));
    return BigDecimal.valueOf(peaks.reservedBytes() == null ? 0 : peaks.reservedBytes())
            .compareTo(most)
        > 0;
  }

  private static void grown(
      List<String> over,
      String name,
      @Nullable Long bytes,
      @Nullable Long before,
      BigDecimal percent) {
    if (bytes == null || before == null) {
      return;
    }
    BigDecimal most = BigDecimal.valueOf(before).multiply(HUNDRED.add(percent));
    if (BigDecimal.valueOf(bytes).multiply(HUNDRED).compareTo(most) > 0) {
      over.add(
          name
              + ByteSize.formatExact(bytes)
              + (before == 0 ? "" : ", " + describeGrowth(bytes, before))
              + " over "
              + ByteSize.formatExact(before)
              + " of the baseline");
    }
  }

  /** Formats the growth of a peak in percent, rounded up, such as {@code 5.01 %}. */
  public static String describeGrowth(long bytes, long before) {
    return BigDecimal.valueOf(bytes - before)
            .multiply(HUNDRED)
            .divide(BigDecimal.valueOf(before), 2, RoundingMode.CEILING)
        + " %";
  }
}
