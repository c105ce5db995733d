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
 * Prints warnings of the libraries on standard error. Each is printed once, although a replay
 * builds several allocators that warn of the same option.
 */
final class WarningHandler extends Handler {
  private static final String CONFIGURED = "java.util.logging.config.";

  private final Errors errors;
  private final Set<String> printed = new HashSet<>();

  WarningHandler(Errors errors) {
    this.errors = errors;
    setFormatter(new SimpleFormatter());
    setLevel(Level.WARNING);
  }

  /** Replaces the JVM's default handlers, unless the user has configured logging. */
  static void install(Errors errors) {
    if (System.getProperty(CONFIGURED + "file") != null
        || System.getProperty(CONFIGURED + "class") != null) {
      return;
    }
    Logger root = Logger.getLogger("");
    for (Handler each : root.getHandlers()) {
      root.removeHandler(each);
    }
    root.addHandler(new WarningHandler(errors));
  }

  @Override
  public synchronized void publish(LogRecord message) {
    if (!isLoggable(message)) {
      return;
    }
    Throwable thrown = message.getThrown();
    String line =
        message.getLevel().getName().toLowerCase(Locale.ROOT)
            + ": "
            + getFormatter().formatMessage(message)
            + (thrown == null ? "" : ": " + thrown);
    if (printed.add(line)) {
      errors.print(line);
    }
  }

  @Override
  public void flush() {
    // Errors flushes each line.
  }

  @Override
  public void close() {
    // Standard error stays open.
  }
}
