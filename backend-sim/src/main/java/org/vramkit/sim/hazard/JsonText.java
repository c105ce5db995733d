package org.vramkit.sim.hazard;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;

/** Text of JSON documents, and what hazards and leaks have in common in them. */
final class JsonText {
  private static final JsonFactory FACTORY = new JsonFactory();

  private JsonText() {}

  /** What goes into a document. */
  @FunctionalInterface
  interface Content {
    void write(JsonGenerator json) throws IOException;
  }

  static String of(Content content) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text)) {
      content.write(json);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write JSON into memory", e);
    }
    return text.toString();
  }

  static void stack(JsonGenerator json, List<StackTraceElement> stack) throws IOException {
    json.writeArrayFieldStart("stack");
    for (StackTraceElement frame : stack) {
      json.writeStartObject();
      json.writeStringField("class", frame.getClassName());
      json.writeStringField("method", frame.getMethodName());
      json.writeStringField("file", frame.getFileName());
      json.writeNumberField("line", frame.getLineNumber());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
