package org.vramkit.sim.hazard;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Leaks as JSON: a summary by kind, then each of them. */
final class LeakJson {
  private LeakJson() {}

  static String write(LeakReport report) {
    return JsonText.of(
        json -> {
          json.writeStartObject();
          json.writeStringField("see", LeakReport.LINK);
          kinds(json, report);
          leaks(json, report.leaks());
          json.writeEndObject();
        });
  }

  private static void kinds(JsonGenerator json, LeakReport report) throws IOException {
    json.writeArrayFieldStart("kinds");
    for (Map.Entry<LeakKind, Long> entry : report.getCounts().entrySet()) {
      json.writeStartObject();
      json.writeStringField("kind", entry.getKey().name());
      json.writeNumberField("count", entry.getValue());
      json.writeNumberField("bytes", report.getBytes(entry.getKey()));
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void leaks(JsonGenerator json, List<Leak> leaks) throws IOException {
    json.writeArrayFieldStart("leaks");
    for (Leak leak : leaks) {
      json.writeStartObject();
      json.writeStringField("kind", leak.kind().name());
      json.writeNumberField("device", leak.device());
      json.writeNumberField("handle", leak.handle());
      json.writeStringField("name", leak.name());
      json.writeNumberField("bytes", leak.bytes());
      json.writeBooleanField("collected", leak.collected());
      JsonText.stack(json, leak.stack());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
