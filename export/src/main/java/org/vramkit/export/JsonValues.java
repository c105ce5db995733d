package org.vramkit.export;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import java.io.IOException;
import java.io.OutputStream;

/** Writes values as JSON. */
final class JsonValues extends ValueWriter {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().disable(StreamWriteFeature.AUTO_CLOSE_TARGET).build();

  private final JsonGenerator json;

  JsonValues(OutputStream out) throws IOException {
    json = FACTORY.createGenerator(out);
  }

  @Override
  void beginDict() throws IOException {
    json.writeStartObject();
  }

  @Override
  void endDict() throws IOException {
    json.writeEndObject();
  }

  @Override
  void beginList() throws IOException {
    json.writeStartArray();
  }

  @Override
  void endList() throws IOException {
    json.writeEndArray();
  }

  @Override
  void key(String key) throws IOException {
    json.writeFieldName(key);
  }

  @Override
  void number(long value) throws IOException {
    json.writeNumber(value);
  }

  @Override
  void flag(boolean value) throws IOException {
    json.writeBoolean(value);
  }

  @Override
  void text(String value) throws IOException {
    json.writeString(value);
  }

  @Override
  void pair(long first, long second) throws IOException {
    json.writeStartArray();
    json.writeNumber(first);
    json.writeNumber(second);
    json.writeEndArray();
  }

  /** Writes a time in microseconds, exact to the nanosecond. */
  void micros(String key, long nanos) throws IOException {
    json.writeFieldName(key);
    json.writeNumber(nanos / 1000 + "." + Long.toString(1000 + nanos % 1000).substring(1));
  }

  @Override
  void finish() throws IOException {
    json.close();
  }
}
