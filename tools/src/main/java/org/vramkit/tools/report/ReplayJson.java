package org.vramkit.tools.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.replay.DriverFigures;
import org.vramkit.tools.replay.MeanAndWorst;
import org.vramkit.tools.replay.Refusal;
import org.vramkit.tools.replay.ReplayPass;
import org.vramkit.tools.replay.ReplayResult;
import org.vramkit.tools.replay.VariedResult;
import org.vramkit.tools.trace.Trace;

/** Formats the figures of a replay as one JSON document, whose keys are stable. */
public final class ReplayJson {
  private ReplayJson() {}

  /** Formats a JSON object with the array {@code traces}. */
  public static String of(List<VariedResult> results) {
    ObjectNode root = Json.object();
    ArrayNode traces = root.putArray("traces");
    for (VariedResult result : results) {
      traces.add(node(result));
    }
    return Json.text(root);
  }

  /**
   * Describes one trace. Ratios, shares, misses and failures are figures over all variations; the
   * others are figures of the recording itself.
   */
  private static ObjectNode node(VariedResult varied) {
    ReplayResult result = varied.getRecording();
    Trace trace = result.trace();
    DriverFigures driver = result.driver();
    ObjectNode node = Json.object();
    node.put("trace", trace.getName());
    node.put("format", trace.getFormat().getLabel());
    node.put("backend", result.backend());
    node.put("allocator", result.allocator());
    node.put("variations", varied.variations().size());
    node.put("checker", result.checker().toString());
    node.put("events", trace.getEventCount());
    node.put("allocations", trace.getAllocationCount());
    node.put("failedAllocations", varied.getFailedAllocations());
    node.set("firstRefusal", firstRefusal(varied));
    node.put("recordedMillis", result.getRecordedNanos() / 1e6);
    node.put("requestedPeakBytes", trace.getRequestedPeakBytes());
    node.put("reservedPeakBytes", result.getReservedPeakBytes());
    MeanAndWorst ratio = varied.getReservedRatio();
    node.put("reservedRatio", ratio == null ? null : ratio.mean());
    node.put("worstReservedRatio", ratio == null ? null : ratio.worst());
    node.set("driverShare", spreads(varied.getFirstDriverShare(), varied.getLaterDriverShare()));
    node.set("misses", spreads(varied.getFirstMisses(), varied.getLaterMisses()));
    node.set(
        "longestDriverNanos",
        spreads(varied.getFirstLongestDriverNanos(), varied.getLaterLongestDriverNanos()));
    if (driver == null) {
      node.putNull("driverCalls");
      node.putNull("estimatedDriverMicros");
      node.putNull("driverMicros");
    } else {
      node.set("driverCalls", Json.counts(driver.calls()));
      node.put("estimatedDriverMicros", driver.estimatedNanos() / 1e3);
      ObjectNode micros = Json.object();
      driver.nanos().forEach((call, nanos) -> micros.put(call, nanos / 1e3));
      node.set("driverMicros", micros);
    }
    node.put("nanosPerEvent", result.getFirstPass().nanosPerEvent());
    node.put("steadyNanosPerEvent", result.getLastPass().nanosPerEvent());
    ArrayNode passes = node.putArray("passes");
    result.passes().forEach(pass -> passes.add(node(pass)));
    node.put("hazards", varied.getHazards());
    node.put("recordedFailures", trace.getRecordedFailures());
    node.set("repairs", Json.counts(trace.getRepairs()));
    node.put("heldBeforeBytes", trace.getHeldBeforeBytes());
    Json.texts(node.putArray("notInRecording"), trace.getGaps());
    return node;
  }

  /** Returns mean and worst of the first pass and of later passes, null where unknown. */
  private static ObjectNode spreads(@Nullable MeanAndWorst first, @Nullable MeanAndWorst later) {
    ObjectNode node = Json.object();
    node.set("first", spread(first));
    node.set("later", spread(later));
    return node;
  }

  private static JsonNode spread(@Nullable MeanAndWorst spread) {
    return spread == null
        ? NullNode.getInstance()
        : Json.object().put("mean", spread.mean()).put("worst", spread.worst());
  }

  /** Returns the first failed allocation of the first variation that has one. */
  private static JsonNode firstRefusal(VariedResult varied) {
    for (int variation = 0; variation < varied.variations().size(); variation++) {
      Refusal refusal = varied.variations().get(variation).firstRefusal();
      if (refusal != null) {
        return Json.object()
            .put("variation", variation)
            .put("pass", refusal.pass())
            .put("index", refusal.index())
            .put("timeMicros", refusal.nanos() / 1e3)
            .put("size", refusal.bytes())
            .put("stream", refusal.stream())
            .put("message", refusal.message());
      }
    }
    return NullNode.getInstance();
  }

  private static ObjectNode node(ReplayPass pass) {
    DriverFigures driver = pass.driver();
    ObjectNode node = Json.object();
    if (driver == null) {
      node.putNull("driverCalls");
      node.putNull("driverMillis");
    } else {
      node.set("driverCalls", Json.counts(driver.calls()));
      node.put("driverMillis", driver.estimatedNanos() / 1e6);
    }
    node.put("nanosPerEvent", pass.nanosPerEvent());
    node.put("longestNanos", pass.longestNanos());
    node.put("longestDriverNanos", pass.longestDriverNanos());
    node.put("reservedPeakBytes", pass.reservedPeakBytes());
    return node;
  }
}
