package org.vramkit.tools.usage;

import java.util.Optional;
import org.vramkit.api.units.ByteSize;
import org.vramkit.tools.trace.Trace;

/** Names the owner of most memory in a phrase; a tag, if a recording has no stacks. */
public final class LargestOwner {
  private LargestOwner() {}

  /**
   * Returns the owner with most live bytes at the requested peak, such as {@code f(a.py:1): 2 MiB};
   * empty if the recording has neither stacks nor tags.
   */
  public static Optional<String> atPeak(Trace trace) {
    if (!Grouping.By.OWNER.isIn(trace) && !Grouping.By.TAG.isIn(trace)) {
      return Optional.empty();
    }
    Grouping.By by = Grouping.By.OWNER.isIn(trace) ? Grouping.By.OWNER : Grouping.By.TAG;
    Grouping grouping = Grouping.of(trace, by);
    GroupedTrace grouped =
        new GroupedTrace(trace, grouping.getGroups(), grouping.getNames().size());
    long[] bytes = grouped.at(grouped.findPeak()).bytes;
    int most = 0;
    for (int i = 0; i < bytes.length; i++) {
      most = bytes[i] > bytes[most] ? i : most;
    }
    return Optional.of(grouping.getNames().get(most) + ": " + ByteSize.format(bytes[most]));
  }

  /**
   * Returns the owner that raises the requested peak most, such as {@code f(a.py:1): +2 MiB}; empty
   * if none does.
   */
  public static Optional<String> ofGrowth(Trace before, Trace after) {
    Difference difference = Difference.between(before, after).get(0);
    return difference.noun().equals(Grouping.By.SIZE.getNoun())
        ? Optional.empty()
        : difference.rows().stream()
            .filter(row -> row.getBytes() > 0)
            .findFirst()
            .map(row -> row.getName() + ": +" + ByteSize.format(row.getBytes()));
  }
}
