package org.vramkit.tools.trace;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Marks in the order of the recording, evenly thinned where there are too many: then every second
 * one is dropped, and from there on every second one is not taken. Refusals stay, but for a program
 * that was refused memory all the time.
 */
final class ThinnedMarks {
  private static final int MOST = 1 << 20;
  private static final int MOST_REFUSALS = 1 << 10;

  private List<Mark> marks = new ArrayList<>();
  private long stride = 1;
  private long offered;
  private long dropped;
  private int refusals;

  void add(Mark mark) {
    boolean isRefusal = mark.kind() == Mark.Kind.OUT_OF_MEMORY && refusals < MOST_REFUSALS;
    refusals += isRefusal ? 1 : 0;
    if (!isRefusal && offered++ % stride != 0) {
      dropped++;
      return;
    }
    if (marks.size() == MOST) {
      thin();
    }
    marks.add(mark);
  }

  private void thin() {
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

  /** How many are not held. */
  long getDropped() {
    return dropped;
  }
}
