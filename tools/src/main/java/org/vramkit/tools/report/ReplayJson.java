package org.vramkit.tools.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.vramkit.tools.replay.DriverFigures;
import org.vramkit.tools.replay.ReplayPass;
import org.vramkit.tools.replay.ReplayResult;
import org.vramkit.tools.trace.Trace;

/** The figures of a replay as one JSON document; its keys are a contract. */
public final class ReplayJson {
  private ReplayJson() {}

  /** An object with the array {@code traces}. */
  public static String of(List<ReplayResult> results) {
    ObjectNode root = Json.object();
    ArrayNode traces = root.putArray("traces");
    for (ReplayResult result : results) {
      traces.add(node(result));
    }
    return Json.text(root);
  }

  private static ObjectNode node(ReplayResult result) {
    Trace trace = result.trace();
    DriverFigures driver = result.driver();
    ObjectNode node = Json.object();
    node.put("trace", trace.getName());
    node.put("format", trace.getFormat().getLabel());
    node.put("backend", result.backend());
    node.put("allocator", result.allocator());
    node.put("events", trace.getEventCount());
    node.put("allocations", trace.getAllocationCount());
    node.put("failedAllocations", result.failedAllocations());
    node.put("recordedMillis", result.getRecordedNanos() / 1e6);
    node.put("requestedPeakBytes", trace.getRequestedPeakBytes());
    node.put("reservedPeakBytes", result.getReservedPeakBytes());
    node.put("reservedRatio", result.getReservedRatio());
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
    node.put("hazards", result.hazards());
    node.put("recordedFailures", trace.getRecordedFailures());
    node.set("repairs", Json.counts(trace.getRepairs()));
    node.put("heldBeforeBytes", trace.getHeldBeforeBytes());
    Json.texts(node.putArray("notInRecording"), trace.getLeftOut());
    return node;
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
    node.put("reservedPeakBytes", pass.reservedPeakBytes());
    return node;
  }
}
