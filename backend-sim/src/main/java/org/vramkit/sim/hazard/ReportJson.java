package org.vramkit.sim.hazard;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes hazards and leaks as JSON. Every field is always present; unknown values are null. */
final class ReportJson {
  private static final JsonFactory FACTORY = new JsonFactory();

  private final JsonGenerator json;

  private ReportJson(JsonGenerator json) {
    this.json = json;
  }

  /** Writes the fields of an object. */
  @FunctionalInterface
  private interface Fields<T> {
    void write(ReportJson to, T thing) throws IOException;
  }

  static String of(HazardReport report) {
    return text(report, ReportJson::hazard);
  }

  /** Returns a summary by kind, then each leak. */
  static String of(LeakReport report) {
    return text(report, ReportJson::leaks);
  }

  private static <T> String text(T report, Fields<T> fields) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text)) {
      new ReportJson(json).object(report, fields);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write JSON into memory", e);
    }
    return text.toString();
  }

  private <T> void object(T thing, Fields<T> fields) throws IOException {
    json.writeStartObject();
    fields.write(this, thing);
    json.writeEndObject();
  }

  private <T> void object(String name, @Nullable T thing, Fields<T> fields) throws IOException {
    json.writeFieldName(name);
    if (thing == null) {
      json.writeNull();
    } else {
      object(thing, fields);
    }
  }

  private <T> void array(String name, Collection<T> things, Fields<T> fields) throws IOException {
    json.writeArrayFieldStart(name);
    for (T thing : things) {
      object(thing, fields);
    }
    json.writeEndArray();
  }

  private void hazard(HazardReport report) throws IOException {
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
    object("memory", report.memory(), ReportJson::owner);
    object("previous", report.previous(), ReportJson::owner);
    json.writeNumberField("address", report.address());
    json.writeNumberField("offset", report.getOffset());
    json.writeNumberField("bytes", report.bytes());
    object("earlier", report.earlier(), ReportJson::access);
    object("later", report.later(), ReportJson::access);
    json.writeStringField("missing", report.missing());
    object("nearest", report.nearest(), ReportJson::nearest);
    json.writeStringField("remedy", report.remedy());
    if (report.times() > 1) {
      json.writeNumberField("times", report.times());
    }
    if (!report.others().isEmpty()) {
      array("others", report.others(), ReportJson::owner);
    }
  }

  private void owner(Owner owner) throws IOException {
    json.writeNumberField("id", owner.id());
    json.writeStringField("kind", owner.kind());
    json.writeStringField("tag", owner.tag());
    json.writeNumberField("address", owner.address());
    json.writeNumberField("bytes", owner.bytes());
    object("allocated", owner.allocated(), ReportJson::access);
    object("freed", owner.freed(), ReportJson::access);
  }

  private void access(Access access) throws IOException {
    json.writeStringField("operation", access.operation());
    json.writeNumberField("index", access.index());
    json.writeStringField("stream", access.stream());
    json.writeStringField("thread", access.thread());
    json.writeStringField("kind", access.kind().name());
    json.writeNumberField("address", access.address());
    json.writeNumberField("bytes", access.bytes());
    array("stack", access.stack(), ReportJson::frame);
  }

  private void nearest(NearestOrder nearest) throws IOException {
    json.writeStringField("shortfall", nearest.shortfall().name());
    json.writeArrayFieldStart("operations");
    for (long operation : nearest.operations()) {
      json.writeNumber(operation);
    }
    json.writeEndArray();
    json.writeStringField("words", nearest.words());
  }

  private void frame(StackTraceElement frame) throws IOException {
    json.writeStringField("class", frame.getClassName());
    json.writeStringField("method", frame.getMethodName());
    json.writeStringField("file", frame.getFileName());
    json.writeNumberField("line", frame.getLineNumber());
  }

  private void leaks(LeakReport report) throws IOException {
    json.writeStringField("see", LeakReport.LINK);
    json.writeArrayFieldStart("kinds");
    for (Map.Entry<LeakKind, Long> entry : report.getCounts().entrySet()) {
      json.writeStartObject();
      json.writeStringField("kind", entry.getKey().name());
      json.writeNumberField("count", entry.getValue());
      json.writeNumberField("bytes", report.getBytes(entry.getKey()));
      json.writeEndObject();
    }
    json.writeEndArray();
    array("leaks", report.leaks(), ReportJson::leak);
  }

  private void leak(Leak leak) throws IOException {
    json.writeStringField("kind", leak.kind().name());
    json.writeNumberField("device", leak.device());
    json.writeNumberField("handle", leak.handle());
    json.writeStringField("name", leak.name());
    json.writeNumberField("bytes", leak.bytes());
    json.writeBooleanField("collected", leak.collected());
    array("stack", leak.stack(), ReportJson::frame);
  }
}
