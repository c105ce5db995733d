package org.vramkit.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.TraceException;
import org.vramkit.tools.trace.Traces;

/** Reads traces, with a bar on standard error when a file is large. */
final class TraceReading {
  private TraceReading() {}

  /**
   * Reads the traces of a file for a replay, one of each device that has events.
   *
   * @throws TraceException if it cannot be read, or is the snapshot of one moment
   */
  static List<Trace> forReplay(Path file, boolean detailed) {
    List<Trace> all = all(file, detailed);
    List<Trace> withEvents = all.stream().filter(each -> !each.isMoment()).toList();
    if (withEvents.isEmpty()) {
      Trace moment = all.get(0);
      throw TraceException.ofMoment(
          moment.getName(), moment.getHeldBeforeBytes(), moment.getHeldBefore());
    }
    return withEvents;
  }

  /**
   * Reads the traces of a file with their details, one of each device.
   *
   * @throws TraceException if it cannot be read
   */
  static List<Trace> all(Path file, boolean detailed) {
    return TerminalProgress.reading(
        "reading " + file,
        size(file),
        progress -> Traces.readAll(file, detailed, progress::advance));
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
