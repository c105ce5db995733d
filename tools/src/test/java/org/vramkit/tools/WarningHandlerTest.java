package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A warning of a library on the command line")
class WarningHandlerTest {
  private static LogRecord said(Level level, String message) {
    return new LogRecord(level, message);
  }

  @Test
  @DisplayName("is one line like those of the command line, and printed once")
  void lines() {
    StringWriter err = new StringWriter();
    WarningHandler lines = new WarningHandler(new Errors(new PrintWriter(err)));
    LogRecord thrown = said(Level.SEVERE, "the close failed");
    thrown.setThrown(new IllegalStateException("no driver\nat all"));
    lines.publish(said(Level.WARNING, "splitting does nothing"));
    lines.publish(said(Level.INFO, "the backend is sim"));
    lines.publish(said(Level.WARNING, "splitting does nothing"));
    lines.publish(thrown);
    assertEquals(
        """
        vramkit: warning: splitting does nothing
        vramkit: severe: the close failed: java.lang.IllegalStateException: no driver; at all
        """,
        err.toString().replace(System.lineSeparator(), "\n"));
  }
}
