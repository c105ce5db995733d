package org.vramkit.tools.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.tools.trace.Trace;

/** Notes on a recording: what was missing or repaired, which affects the figures of a replay. */
final class TraceNotes {
  private TraceNotes() {}

  /** Returns a line per note; empty for a complete recording without repairs. */
  static List<String> of(Trace trace) {
    List<String> notes = new ArrayList<>();
    if (trace.getHeldBefore() > 0) {
      notes.add(
          "held before the recording began, and allocated first: "
              + ByteSize.format(trace.getHeldBeforeBytes())
              + " in "
              + Count.of(trace.getHeldBefore(), "block"));
    }
    if (!trace.getRepairs().isEmpty()) {
      notes.add("repairs: " + list(trace.getRepairs()));
    }
    trace.getGaps().forEach(text -> notes.add("not in the recording: " + text));
    return notes;
  }

  private static String list(Map<String, Long> counts) {
    return counts.entrySet().stream()
        .map(entry -> String.format(Locale.ROOT, "%s %,d", entry.getKey(), entry.getValue()))
        .collect(Collectors.joining(", "));
  }
}
