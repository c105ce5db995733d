package org.vramkit.tools.trace;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Samples the marks of a recording, in order, at most {@value #MAX_MARKS}. When the list is full,
 * every second mark is dropped and the sampling interval doubles. The first {@value #MAX_FAILURES}
 * out-of-memory marks are always kept.
 */
final class SampledMarks {
  private static final int MAX_MARKS = 1 << 20;
  private static final int MAX_FAILURES = 1 << 10;

  private List<Mark> marks = new ArrayList<>();
  private long stride = 1;
  private long offered;
  private long dropped;
  private int refusals;

  void add(Mark mark) {
    boolean isRefusal = mark.kind() == Mark.Kind.OUT_OF_MEMORY && refusals < MAX_FAILURES;
    refusals += isRefusal ? 1 : 0;
    if (!isRefusal && offered++ % stride != 0) {
      dropped++;
      return;
    }
    if (marks.size() == MAX_MARKS) {
      halve();
    }
    marks.add(mark);
  }

  private void halve() {
    List<Mark> kept = new ArrayList<>();
    int refusalsLeft = refusals;
    for (int i = 0; i < marks.size(); i++) {
      Mark mark = marks.get(i);
      boolean isRefusal = mark.kind() == Mark.Kind.OUT_OF_MEMORY && refusalsLeft-- > 0;
      if (isRefusal || i % 2 == 0) {
        kept.add(mark);
      }
    }
    dropped += marks.size() - kept.size();
    marks = kept;
    stride *= 2;
  }

  List<Mark> all() {
    return Collections.unmodifiableList(marks);
  }

  /** Returns the number of dropped marks. */
  long getDropped() {
    return dropped;
  }
}
