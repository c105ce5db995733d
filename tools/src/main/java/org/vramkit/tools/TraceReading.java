package org.vramkit.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.TraceException;
import org.vramkit.tools.trace.Traces;

/** Reads traces and shows a progress bar for large files. */
final class TraceReading {
  private TraceReading() {}

  /**
   * Reads the traces of all devices in a file that have events.
   *
   * @throws TraceException if the file cannot be read or has no events
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
   * Reads the traces of all devices in a file.
   *
   * @throws TraceException if the file cannot be read
   */
  static List<Trace> all(Path file, boolean detailed) {
    return TerminalProgress.reading(
        "reading " + file,
        size(file),
        progress -> Traces.readAll(file, detailed, progress::advance));
  }

  /** Returns the file's size, or 0 if it is unknown; the reader reports unreadable files. */
  private static long size(Path file) {
    try {
      return Files.isRegularFile(file) ? Files.size(file) : 0;
    } catch (IOException e) {
      return 0;
    }
  }
}
