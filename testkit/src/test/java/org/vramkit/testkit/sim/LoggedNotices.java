package org.vramkit.testkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Listens to what a class logs; {@code System.Logger} writes there unless told otherwise. */
final class LoggedNotices extends Handler implements AutoCloseable {
  private final Logger logger;
  private final List<String> warnings = new ArrayList<>();

  /** To the test kit. */
  LoggedNotices() {
    this(SimulatedGpu.class);
  }

  LoggedNotices(Class<?> source) {
    logger = Logger.getLogger(source.getName());
    logger.addHandler(this);
  }

  @Override
  public synchronized void publish(LogRecord record) {
    if (record.getLevel().equals(Level.WARNING)) {
      warnings.add(record.getMessage());
    }
  }

  synchronized List<String> all() {
    return List.copyOf(warnings);
  }

  /** The warnings of tests of one class. */
  synchronized List<String> of(Class<?> tests) {
    return warnings.stream()
        .filter(warning -> warning.startsWith(tests.getSimpleName() + "."))
        .toList();
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
