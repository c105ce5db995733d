package org.vramkit.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.TraceException;
import org.vramkit.tools.trace.Traces;

/** Reads traces, with a bar on standard error when a file is large. */
final class TraceReading {
  private TraceReading() {}

  /**
   * Reads a trace for a replay.
   *
   * @throws TraceException if it cannot be read
   */
  static Trace plain(Path file) {
    return read(file, false);
  }

  /**
   * Reads a trace with its details.
   *
   * @throws TraceException if it cannot be read
   */
  static Trace detailed(Path file) {
    return read(file, true);
  }

  private static Trace read(Path file, boolean detailed) {
    return TerminalProgress.reading(
        "reading " + file, size(file), progress -> Traces.read(file, detailed, progress::advance));
  }

  /** The size; 0 for what has none, which the reader will tell of. */
  private static long size(Path file) {
    try {
      return Files.isRegularFile(file) ? Files.size(file) : 0;
    } catch (IOException e) {
      return 0;
    }
  }
}
