package org.vramkit.tools.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.vramkit.api.units.ByteSize;
import org.vramkit.tools.page.HtmlPage;
import org.vramkit.tools.page.PageTable;
import org.vramkit.tools.page.Recording;
import org.vramkit.tools.replay.DriverFigures;
import org.vramkit.tools.replay.ReplayResult;
import org.vramkit.tools.replay.VariedResult;
import org.vramkit.tools.trace.Trace;

/**
 * Builds the page of a replay: figures of each trace, and requested and reserved memory over time.
 */
public final class ReplayPage {
  /** The column titles of {@link #cells}. */
  private static final List<String> COLUMNS =
      List.of(
          "trace",
          "events",
          "requested peak",
          "reserved peak",
          "ratio",
          "driver calls",
          "driver ms",
          "ns/event, first pass",
          "ns/event, last pass",
          "failed",
          "hazards");

  private ReplayPage() {}

  /**
   * Builds the page.
   *
   * @param traces the trace of each result, read with details
   */
  public static HtmlPage of(List<VariedResult> results, List<Trace> traces) {
    List<Recording> recordings = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      recordings.add(recording(results.get(i).getRecording(), traces.get(i)));
    }
    return new HtmlPage(
        "replay",
        List.of(
            new PageTable(
                COLUMNS,
                results.stream().map(VariedResult::getRecording).map(ReplayPage::cells).toList())),
        List.of(),
        recordings);
  }

  private static List<String> cells(ReplayResult result) {
    DriverFigures driver = result.driver();
    Double ratio = result.getReservedRatio();
    Long hazards = result.hazards();
    return List.of(
        TraceLabels.name(result.trace()),
        ReplayTable.count(result.trace().getEventCount()),
        ByteSize.format(result.trace().getRequestedPeakBytes()),
        ByteSize.format(result.getReservedPeakBytes()),
        ratio == null ? "-" : String.format(Locale.ROOT, "%.4f", ratio),
        driver == null ? "-" : ReplayTable.count(ReplayTable.calls(driver)),
        driver == null ? "-" : String.format(Locale.ROOT, "%.2f", ReplayTable.millis(driver)),
        String.format(Locale.ROOT, "%.0f", result.getFirstPass().nanosPerEvent()),
        String.format(Locale.ROOT, "%.0f", result.getLastPass().nanosPerEvent()),
        ReplayTable.count(result.failedAllocations()),
        hazards == null ? "-" : ReplayTable.count(hazards));
  }

  private static Recording recording(ReplayResult result, Trace trace) {
    List<String> notes = new ArrayList<>();
    notes.add("replayed through " + result.allocator() + " on " + result.backend());
    DriverFigures driver = result.driver();
    if (driver != null) {
      notes.add("driver calls: " + list(new TreeMap<>(driver.calls())));
    }
    notes.addAll(result.getProblems());
    return new Recording(
        trace, notes, new Recording.Replayed(result.allocator(), result.timeline()));
  }

  private static String list(Map<String, Long> counts) {
    List<String> texts = new ArrayList<>();
    counts.forEach((name, count) -> texts.add(String.format(Locale.ROOT, "%s %,d", name, count)));
    return texts.isEmpty() ? "none" : String.join(", ", texts);
  }
}
