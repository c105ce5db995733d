package org.vramkit.tools.trace;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;

/** Reads text and bytes as if they were a file named {@code t}. */
final class Reading {
  static final String CSV = "action,addr,size,stream,time_us\n";
  static final String RMM = "Thread,Time,Action,Pointer,Size,Stream\n";

  private Reading() {}

  static Trace read(String text) {
    return read(text.getBytes(StandardCharsets.UTF_8));
  }

  static Trace read(byte[] bytes) {
    return Traces.read("t", new ByteArrayInputStream(bytes));
  }

  static void refuses(String text, String... parts) {
    refuses(text.getBytes(StandardCharsets.UTF_8), parts);
  }

  /** The bytes are refused in one line that holds all the parts. */
  static void refuses(byte[] bytes, String... parts) {
    TraceException refused = assertThrows(TraceException.class, () -> read(bytes));
    String message = String.valueOf(refused.getMessage());
    assertFalse(message.contains("\n"), message);
    for (String part : parts) {
      assertTrue(message.contains(part), () -> "'" + message + "' lacks '" + part + "'");
    }
  }

  static byte[] gzip(byte[] bytes) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }
}
