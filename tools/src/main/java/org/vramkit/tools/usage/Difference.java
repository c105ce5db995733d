package org.vramkit.tools.usage;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.owner.OwnerMatch;
import org.vramkit.tools.trace.Trace;

/**
 * The difference of the requested peaks of two recordings, by owner, tag or size.
 *
 * <p>The larger peak is compared with the moment of the other recording that resembles it most,
 * which need not be the other's peak: a block that lives longer may make another moment the peak.
 * What the moment lacks to the other's peak is {@link #momentBytes}. The differences of all rows
 * and these bytes sum to the difference of the peaks exactly.
 *
 * @param noun what a row is: owner, tag or size
 * @param rows a row for each group of either recording; first those that explain most
 * @param peakBytes the second requested peak minus the first
 * @param momentBytes the part of the difference that no row has
 */
public record Difference(String noun, List<Row> rows, long peakBytes, long momentBytes) {

  /** Copies the rows. */
  public Difference {
    rows = List.copyOf(rows);
  }

  /**
   * One group in one recording.
   *
   * @param bytes live bytes at the compared moment
   * @param blocks live blocks at the compared moment
   * @param allocations number of allocations in the recording
   * @param kept number of blocks that are live at its end
   * @param meanLife mean number of allocations and frees from a block's allocation to its free, or
   *     to the end if it is live then; unlike time, it does not depend on the machine
   * @param meanBytes live bytes on average over all events
   */
  public record Use(
      long bytes, int blocks, long allocations, long kept, double meanLife, double meanBytes) {}

  /**
   * One group of both recordings.
   *
   * @param before the name in the first recording; null if it is new
   * @param after the name in the second recording; null if it is gone
   * @param first its memory in the first recording
   * @param second its memory in the second recording
   */
  public record Row(@Nullable String before, @Nullable String after, Use first, Use second) {
    /** Returns the name in the second recording, or in the first if it is gone. */
    public String getName() {
      return after != null ? after : String.valueOf(before);
    }

    /** Returns the bytes of the second moment minus those of the first. */
    public long getBytes() {
      return second.bytes() - first.bytes();
    }

    /** Returns by how much more bytes are live on average. */
    public double getMeanBytes() {
      return second.meanBytes() - first.meanBytes();
    }
  }

  /**
   * Returns the differences by owner and by tag, as far as a recording knows them; also by size if
   * no name is in both. Those with common names come first: where every row is new or gone, no row
   * explains the difference.
   */
  public static List<Difference> between(Trace before, Trace after) {
    List<Difference> common = new ArrayList<>();
    List<Difference> others = new ArrayList<>();
    for (Grouping.By by : List.of(Grouping.By.OWNER, Grouping.By.TAG)) {
      if (by.isIn(before) || by.isIn(after)) {
        Difference difference = between(before, after, by);
        (difference.hasCommonNames() ? common : others).add(difference);
      }
    }
    if (common.isEmpty()) {
      common.add(between(before, after, Grouping.By.SIZE));
    }
    common.addAll(others);
    return common;
  }

  private boolean hasCommonNames() {
    return rows.stream()
        .anyMatch(
            row -> row.before() != null && row.after() != null && Grouping.isName(row.before()));
  }

  private static Difference between(Trace before, Trace after, Grouping.By by) {
    Grouping first = Grouping.of(before, by);
    Grouping second = Grouping.of(after, by);
    List<OwnerMatch.Pair> pairs =
        by == Grouping.By.OWNER
            ? OwnerMatch.of(first.getNames(), second.getNames())
            : equalNames(first.getNames(), second.getNames());
    int[] rowBefore = new int[first.getNames().size()];
    int[] rowAfter = new int[second.getNames().size()];
    for (int i = 0; i < pairs.size(); i++) {
      if (pairs.get(i).before() >= 0) {
        rowBefore[pairs.get(i).before()] = i;
      }
      if (pairs.get(i).after() >= 0) {
        rowAfter[pairs.get(i).after()] = i;
      }
    }
    return new Comparison(
            by.getNoun(),
            first,
            second,
            pairs,
            new GroupedTrace(before, rows(first, rowBefore), pairs.size()),
            new GroupedTrace(after, rows(second, rowAfter), pairs.size()))
        .compare();
  }

  private static int[] rows(Grouping grouping, int[] rowOf) {
    int[] rows = grouping.getGroups().clone();
    for (int i = 0; i < rows.length; i++) {
      rows[i] = rowOf[rows[i]];
    }
    return rows;
  }

  private static List<OwnerMatch.Pair> equalNames(List<String> before, List<String> after) {
    Map<String, Integer> numbers = new LinkedHashMap<>();
    for (int i = 0; i < before.size(); i++) {
      numbers.put(before.get(i), i);
    }
    List<OwnerMatch.Pair> pairs = new ArrayList<>();
    for (int i = 0; i < after.size(); i++) {
      Integer same = numbers.remove(after.get(i));
      pairs.add(new OwnerMatch.Pair(same == null ? -1 : same, i));
    }
    numbers.values().forEach(number -> pairs.add(new OwnerMatch.Pair(number, -1)));
    return pairs;
  }

  /** Two grouped traces with common rows. */
  private record Comparison(
      String noun,
      Grouping before,
      Grouping after,
      List<OwnerMatch.Pair> pairs,
      GroupedTrace first,
      GroupedTrace second) {

    Difference compare() {
      GroupedTrace.Live here = first.at(first.findPeak());
      GroupedTrace.Live there = second.at(second.findPeak());
      long difference = there.total() - here.total();
      long moment;
      if (difference >= 0) {
        long peak = here.total();
        here = first.at(first.findSimilar(there.bytes));
        moment = here.total() - peak;
      } else {
        long peak = there.total();
        there = second.at(second.findSimilar(here.bytes));
        moment = peak - there.total();
      }
      List<Use> uses = uses(first, here);
      List<Use> others = uses(second, there);
      List<Row> rows = new ArrayList<>();
      for (int i = 0; i < pairs.size(); i++) {
        OwnerMatch.Pair pair = pairs.get(i);
        rows.add(
            new Row(
                pair.before() < 0 ? null : before.getNames().get(pair.before()),
                pair.after() < 0 ? null : after.getNames().get(pair.after()),
                uses.get(i),
                others.get(i)));
      }
      rows.removeIf(row -> row.first().allocations() + row.second().allocations() == 0);
      rows.sort(byExplanation(difference < 0 ? -1 : 1));
      return new Difference(noun, rows, difference, moment);
    }

    /**
     * Orders rows that change in the direction of the whole first, then those against it, then the
     * others by average memory.
     */
    private static Comparator<Row> byExplanation(int sign) {
      return Comparator.<Row>comparingInt(
              row -> row.getBytes() == 0 ? 2 : -sign * Long.signum(row.getBytes()))
          .thenComparing(row -> Math.abs(row.getBytes()), Comparator.reverseOrder())
          .thenComparing(row -> sign * row.getMeanBytes(), Comparator.reverseOrder());
    }

    private static List<Use> uses(GroupedTrace grouped, GroupedTrace.Live live) {
      GroupedTrace.Lives lives = grouped.lives();
      Trace trace = grouped.getTrace();
      double span = Math.max(1, trace.getEventCount() - 1);
      List<Use> uses = new ArrayList<>();
      for (int i = 0; i < live.bytes.length; i++) {
        long allocations = lives.allocations[i];
        uses.add(
            new Use(
                live.bytes[i],
                live.blocks[i],
                allocations,
                lives.kept[i],
                allocations == 0 ? 0 : lives.life[i] / allocations,
                lives.byteLife[i] / span));
      }
      return uses;
    }
  }
}
