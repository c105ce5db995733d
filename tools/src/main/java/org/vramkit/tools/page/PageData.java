package org.vramkit.tools.page;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.vramkit.tools.owner.StackOwners;
import org.vramkit.tools.trace.Mark;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.TraceDetails;

/**
 * Writes the data that {@code data.js} reads: a JSON header with names and counts, then the columns
 * of each recording.
 */
final class PageData {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final OutputStream target;

  PageData(OutputStream target) {
    this.target = target;
  }

  void write(HtmlPage page) throws IOException {
    BufferedOutputStream buffered = new BufferedOutputStream(target, 1 << 16);
    VarintOutput output = new VarintOutput(buffered);
    List<RecordingColumns> columns = new ArrayList<>();
    for (Recording recording : page.recordings()) {
      columns.add(new RecordingColumns(recording));
    }
    output.text(MAPPER.writeValueAsString(header(page, columns)));
    for (RecordingColumns each : columns) {
      each.write(output);
    }
    buffered.flush();
  }

  private static ObjectNode header(HtmlPage page, List<RecordingColumns> columns) {
    ObjectNode root = MAPPER.createObjectNode();
    root.put("title", page.title());
    ArrayNode tables = root.putArray("tables");
    for (PageTable table : page.tables()) {
      ObjectNode node = tables.addObject();
      ArrayNode titles = node.putArray("columns");
      for (int i = 0; i < table.columns().size(); i++) {
        titles.addArray().add(table.columns().get(i)).add(i == 0);
      }
      ArrayNode rows = node.putArray("rows");
      table.rows().forEach(row -> texts(rows.addArray(), row));
    }
    ArrayNode fronts = root.putArray("fronts");
    page.fronts().forEach(front -> front(fronts.addObject(), front));
    ArrayNode recordings = root.putArray("recordings");
    for (int i = 0; i < columns.size(); i++) {
      recording(recordings.addObject(), page.recordings().get(i), columns.get(i));
    }
    return root;
  }

  private static void front(ObjectNode node, ParetoChart front) {
    node.put("name", front.name());
    node.put("facts", front.facts());
    ArrayNode points = node.putArray("points");
    for (ParetoChart.Point point : front.points()) {
      points
          .addObject()
          .put("name", point.name())
          .put("facts", point.facts())
          .put("reserved", point.reservedBytes())
          .put("driverMillis", point.driverMillis())
          .put("best", point.best())
          .put("code", point.code());
    }
  }

  private static void recording(ObjectNode node, Recording recording, RecordingColumns columns) {
    Trace trace = recording.trace();
    TraceDetails details = columns.getDetails();
    node.put("name", trace.getName());
    node.put("format", trace.getFormat().getLabel());
    node.put("events", columns.getEventCount());
    node.put("allocations", trace.getAllocationCount());
    node.put("before", columns.getHeldBefore());
    node.put("streams", trace.getStreamCount());
    node.put("otherStreams", trace.getOtherStreams());
    node.put("unitNanos", columns.getUnitNanos());
    node.put("reservedBefore", details.getReservedBefore());
    node.put("failures", trace.getRecordedFailures());
    texts(node.putArray("tags"), details.getTags());
    texts(node.putArray("threads"), details.getThreads());
    ArrayNode frames = node.putArray("frames");
    texts(frames, details.getFrames());
    frames.add(StackOwners.NO_OWNER);
    node.put("stackCount", details.getStacks().size());
    node.put("markCount", details.getMarks().size());
    ArrayNode kinds = node.putArray("markKinds");
    for (Mark.Kind kind : Mark.Kind.values()) {
      kinds.add(kind.getLabel());
    }
    node.put("hasAllMarks", details.hasAllMarks());
    node.put("reservedPoints", details.getReserved().getEvents().length);
    node.put("replayPoints", columns.getReplayPoints());
    node.put("replayed", recording.replay() == null ? "" : recording.replay().allocator());
    List<String> notes = new ArrayList<>(recording.notes());
    if (trace.isMoment()) {
      notes.add("a snapshot of one moment, without events");
    }
    trace.getGaps().forEach(text -> notes.add("not in here: " + text));
    texts(node.putArray("notes"), notes);
    ObjectNode repairs = node.putObject("repairs");
    trace.getRepairs().forEach(repairs::put);
  }

  private static void texts(ArrayNode node, List<String> texts) {
    texts.forEach(node::add);
  }
}
