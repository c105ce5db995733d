package org.vramkit.tools.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.usage.PeakLimits;
import org.vramkit.tools.usage.PeakLimits.Breach;
import org.vramkit.tools.usage.Peaks;

/** Formats the result of a check as a table of 80 columns, or as JSON whose keys are stable. */
public final class CheckReport {
  private static final String NONE = "-";

  private CheckReport() {}

  /**
   * A recording with the rules that it breaks.
   *
   * @param trace the recording
   * @param peaks its peaks
   * @param baseline the recording that growth is relative to; null if there is none
   * @param before the baseline's peaks; null if there is none
   * @param breaches the broken rules
   */
  public record Checked(
      Trace trace,
      Peaks peaks,
      @Nullable Trace baseline,
      @Nullable Peaks before,
      List<Breach> breaches) {

    /** Copies the breaches. */
    public Checked {
      breaches = List.copyOf(breaches);
    }
  }

  /** Formats a table with a row for each recording, its baseline and the growth. */
  public static String text(List<Checked> all, Style style) {
    List<Trace> traces = new ArrayList<>();
    all.forEach(each -> traces.add(each.trace()));
    all.forEach(
        each -> {
          if (each.baseline() != null) {
            traces.add(each.baseline());
          }
        });
    TraceLabels labels = new TraceLabels(traces);
    TextTable table = new TextTable(style).wrap(0, TraceLabels.WIDTH).left(4);
    table.row("recording", "requested", "reserved", "ratio", "broken rules");
    for (Checked each : all) {
      if (each.baseline() != null && each.before() != null) {
        row(table, labels.of(each.baseline()), each.before(), "baseline");
      }
      String broken =
          String.join(
              ", ", each.breaches().stream().map(breach -> breach.rule().getOption()).toList());
      row(table, labels.of(each.trace()), each.peaks(), broken.isEmpty() ? "none" : broken);
      if (each.before() != null) {
        table.row(
            "growth",
            growth(each.peaks().requestedBytes(), each.before().requestedBytes()),
            growth(each.peaks().reservedBytes(), each.before().reservedBytes()),
            NONE,
            "");
      }
    }
    StringBuilder text = new StringBuilder(table.wrap(4, 22).toString());
    for (Checked each : all) {
      List<String> notes = TraceNotes.of(each.trace());
      if (!notes.isEmpty()) {
        text.append('\n').append(Lines.wrap(TraceLabels.name(each.trace()), 0));
        notes.forEach(note -> text.append(Lines.wrap(note, 2)));
      }
    }
    return text.toString();
  }

  private static void row(TextTable table, String label, Peaks peaks, String broken) {
    Double ratio = peaks.getRatio();
    table.row(
        label,
        ByteSize.format(peaks.requestedBytes()),
        peaks.reservedBytes() == null ? NONE : ByteSize.format(peaks.reservedBytes()),
        ratio == null ? NONE : String.format(Locale.ROOT, "%.4f", ratio),
        broken);
  }

  private static String growth(@Nullable Long bytes, @Nullable Long before) {
    return bytes == null || before == null || before == 0
        ? NONE
        : PeakLimits.describeGrowth(bytes, before);
  }

  /** Formats a JSON object with the array {@code recordings}. */
  public static String json(List<Checked> all) {
    ObjectNode root = Json.object();
    root.put("passed", all.stream().allMatch(each -> each.breaches().isEmpty()));
    ArrayNode recordings = root.putArray("recordings");
    for (Checked each : all) {
      ObjectNode node = recordings.addObject();
      figures(node, each.trace(), each.peaks());
      node.set("baseline", baseline(each));
      ArrayNode broken = node.putArray("broken");
      for (Breach breach : each.breaches()) {
        broken
            .addObject()
            .put("rule", breach.rule().getOption())
            .put("message", breach.description());
      }
    }
    return Json.text(root);
  }

  private static JsonNode baseline(Checked checked) {
    if (checked.baseline() == null || checked.before() == null) {
      return NullNode.getInstance();
    }
    ObjectNode node = Json.object();
    figures(node, checked.baseline(), checked.before());
    return node;
  }

  private static void figures(ObjectNode node, Trace trace, Peaks peaks) {
    node.put("recording", trace.getName());
    node.put("format", trace.getFormat().getLabel());
    node.put("requestedPeakBytes", peaks.requestedBytes());
    node.put("reservedPeakBytes", peaks.reservedBytes());
    node.put("reservedRatio", peaks.getRatio());
    node.set("repairs", Json.counts(trace.getRepairs()));
    Json.texts(node.putArray("notInRecording"), trace.getGaps());
  }
}
