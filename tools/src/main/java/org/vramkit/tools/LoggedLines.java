package org.vramkit.tools;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * Prints warnings of the libraries as lines of the command line. Each appears once, because a
 * replay makes its allocator several times, and each of them warns of the same option.
 */
final class LoggedLines extends Handler {
  private static final String CONFIGURED = "java.util.logging.config.";

  private final Errors errors;
  private final Set<String> told = new HashSet<>();

  LoggedLines(Errors errors) {
    this.errors = errors;
    setFormatter(new SimpleFormatter());
    setLevel(Level.WARNING);
  }

  /**
   * Takes the place of the handlers that the JVM has by itself; who configured others keeps them.
   */
  static void install(Errors errors) {
    if (System.getProperty(CONFIGURED + "file") != null
        || System.getProperty(CONFIGURED + "class") != null) {
      return;
    }
    Logger root = Logger.getLogger("");
    for (Handler each : root.getHandlers()) {
      root.removeHandler(each);
    }
    root.addHandler(new LoggedLines(errors));
  }

  @Override
  public synchronized void publish(LogRecord said) {
    if (!isLoggable(said)) {
      return;
    }
    Throwable thrown = said.getThrown();
    String line =
        said.getLevel().getName().toLowerCase(Locale.ROOT)
            + ": "
            + getFormatter().formatMessage(said)
            + (thrown == null ? "" : ": " + thrown);
    if (told.add(line)) {
      errors.print(line);
    }
  }

  @Override
  public void flush() {
    // Each line is printed at once.
  }

  @Override
  public void close() {
    // The stream is the process's.
  }
}
