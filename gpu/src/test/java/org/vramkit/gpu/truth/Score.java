package org.vramkit.gpu.truth;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Counts recorded answers by topic, and how the simulator's answers compare with them. */
final class Score {
  /** How an answer of the simulator compares with the recorded one. */
  enum Verdict {
    EQUAL,
    /** Listed with a reason. */
    ON_PURPOSE,
    /** Listed, without a reason that was found. */
    NOT_EXPLAINED,
    /** Not listed, which fails the comparison. */
    NOT_LISTED
  }

  private final Map<String, Map<Verdict, Integer>> byTopic = new LinkedHashMap<>();
  private final Map<Verdict, Integer> all = new EnumMap<>(Verdict.class);

  void add(String topic, Verdict verdict) {
    byTopic
        .computeIfAbsent(topic, any -> new EnumMap<>(Verdict.class))
        .merge(verdict, 1, Integer::sum);
    all.merge(verdict, 1, Integer::sum);
  }

  /** Returns the lines of a table, with the sum in the last one. */
  List<String> table() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "| answers to | number | equal | listed with a reason | not explained | not listed |");
    lines.add("|---|---:|---:|---:|---:|---:|");
    byTopic.forEach((topic, counts) -> lines.add(line(topic, counts)));
    lines.add(line("all", all));
    return lines;
  }

  private static String line(String topic, Map<Verdict, Integer> counts) {
    int sum = 0;
    StringBuilder cells = new StringBuilder();
    for (Verdict each : Verdict.values()) {
      int count = counts.getOrDefault(each, 0);
      sum += count;
      cells.append(String.format(Locale.ROOT, " | %,d", count));
    }
    return "| " + topic + String.format(Locale.ROOT, " | %,d", sum) + cells + " |";
  }
}
