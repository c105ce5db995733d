package org.vramkit.sim.hazard;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A report as JSON. Every field is always there; what is not known is null. */
final class HazardJson {
  private final JsonGenerator json;

  private HazardJson(JsonGenerator json) {
    this.json = json;
  }

  static String write(HazardReport report) {
    return JsonText.of(json -> new HazardJson(json).report(report));
  }

  private void report(HazardReport report) throws IOException {
    json.writeStartObject();
    json.writeStringField("code", report.code().name());
    json.writeStringField("meaning", report.code().getMeaning());
    json.writeBooleanField("warning", report.code().isWarning());
    json.writeStringField("see", report.link());
    json.writeObjectFieldStart("run");
    json.writeNumberField("seed", report.run().seed());
    json.writeStringField("schedule", report.run().schedule());
    json.writeNumberField("operation", report.later().index());
    json.writeEndObject();
    json.writeNumberField("device", report.device());
    owner("memory", report.memory());
    owner("previous", report.previous());
    json.writeNumberField("address", report.address());
    json.writeNumberField("offset", report.getOffset());
    json.writeNumberField("bytes", report.bytes());
    access("earlier", report.earlier());
    access("later", report.later());
    json.writeStringField("missing", report.missing());
    nearest(report.nearest());
    json.writeStringField("remedy", report.remedy());
    if (report.times() > 1) {
      json.writeNumberField("times", report.times());
    }
    others(report.others());
    json.writeEndObject();
  }

  private void others(List<Owner> others) throws IOException {
    if (!others.isEmpty()) {
      json.writeArrayFieldStart("others");
      for (Owner other : others) {
        json.writeStartObject();
        fields(other);
      }
      json.writeEndArray();
    }
  }

  private void owner(String name, @Nullable Owner owner) throws IOException {
    if (owner == null) {
      json.writeNullField(name);
      return;
    }
    json.writeObjectFieldStart(name);
    fields(owner);
  }

  private void fields(Owner owner) throws IOException {
    json.writeNumberField("id", owner.id());
    json.writeStringField("kind", owner.kind());
    json.writeStringField("tag", owner.tag());
    json.writeNumberField("address", owner.address());
    json.writeNumberField("bytes", owner.bytes());
    access("allocated", owner.allocated());
    access("freed", owner.freed());
    json.writeEndObject();
  }

  private void access(String name, @Nullable Access access) throws IOException {
    if (access == null) {
      json.writeNullField(name);
      return;
    }
    json.writeObjectFieldStart(name);
    json.writeStringField("operation", access.operation());
    json.writeNumberField("index", access.index());
    json.writeStringField("stream", access.stream());
    json.writeStringField("thread", access.thread());
    json.writeStringField("kind", access.kind().name());
    json.writeNumberField("address", access.address());
    json.writeNumberField("bytes", access.bytes());
    JsonText.stack(json, access.stack());
    json.writeEndObject();
  }

  private void nearest(@Nullable NearestOrder nearest) throws IOException {
    if (nearest == null) {
      json.writeNullField("nearest");
      return;
    }
    json.writeObjectFieldStart("nearest");
    json.writeStringField("shortfall", nearest.shortfall().name());
    json.writeArrayFieldStart("operations");
    for (long operation : nearest.operations()) {
      json.writeNumber(operation);
    }
    json.writeEndArray();
    json.writeStringField("words", nearest.words());
    json.writeEndObject();
  }
}
