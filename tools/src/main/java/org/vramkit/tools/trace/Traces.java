package org.vramkit.tools.trace;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.LongConsumer;

/** Reads traces of every format, which is found by content. */
public final class Traces {
  private Traces() {}

  /**
   * Reads a file, plain or gzip, for a replay.
   *
   * @throws TraceException if it cannot be read or is not a sound trace; names file and line or
   *     byte
   */
  public static Trace read(Path path) {
    return read(path, false, bytes -> {});
  }

  /**
   * Reads a file, plain or gzip.
   *
   * @param detailed whether {@link Trace#getDetails} is wanted
   * @param progress hears how many bytes of the file were read since it last heard
   * @throws TraceException as {@link #read(Path)}
   */
  public static Trace read(Path path, boolean detailed, LongConsumer progress) {
    try (TraceInput input = TraceInput.open(path, progress)) {
      return read(input, detailed);
    }
  }

  /**
   * Reads a stream of bytes, plain or gzip, and closes it.
   *
   * @param name what errors and reports call it
   * @throws TraceException as {@link #read(Path)}
   */
  public static Trace read(String name, InputStream bytes) {
    return read(name, bytes, false);
  }

  static Trace read(String name, InputStream bytes, boolean detailed) {
    try (TraceInput input = TraceInput.of(name, bytes)) {
      return read(input, detailed);
    }
  }

  private static Trace read(TraceInput input, boolean detailed) {
    String head = input.peek();
    if (head.isEmpty()) {
      throw new TraceException(input.getName(), "is empty; name a file that holds a trace");
    }
    if (head.charAt(0) == PickleReader.PROTO) {
      return PickleSnapshot.read(input, detailed);
    }
    if (head.stripLeading().startsWith("{")) {
      return JsonSnapshot.read(input, detailed);
    }
    if (head.startsWith("action,")) {
      return CsvTrace.read(input, detailed);
    }
    String lower = head.toLowerCase(Locale.ROOT);
    if (lower.startsWith("thread,time,") || lower.startsWith("time,action,")) {
      return RmmLog.read(input, detailed);
    }
    String first = head.lines().findFirst().orElse("");
    if (first.isBlank() && input.isBlankToTheEnd()) {
      throw new TraceException(
          input.getName(), "holds only blank lines; name a file that holds a trace");
    }
    throw new TraceException(
        input.getName() + ":1",
        "no known format; readable are CSV that begins with '"
            + CsvTrace.HEADER
            + "', RMM logs that begin with '"
            + RmmLog.HEADER
            + "', and PyTorch memory snapshots as pickle or JSON; this begins with "
            + (first.isBlank() ? "a blank line" : "'" + Text.printable(first, 40) + "'"));
  }
}
