package org.vramkit.tools.trace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;

/** Reads traces; detects the format by content. */
public final class Traces {
  private static final Pattern SNAPSHOT_KEY =
      Pattern.compile("\"(device_traces|segments|allocator_settings)\"");

  private static final Pattern JSON =
      Pattern.compile("(?s)\\s*(?:\\{|\\[\\s*(?:]|\\{.*\"(?:total_size|segment_type)\"))");

  // A control character near the beginning, other than white space, or a zero byte anywhere.
  private static final Pattern BINARY =
      Pattern.compile("(?s).{0,3}[\\x01-\\x08\\x0e-\\x1f\\x7f]|.*\\x00");

  private Traces() {}

  /**
   * Reads a file with one device, plain or gzip, without details.
   *
   * @throws TraceException if the file cannot be read, is not a valid trace or has several devices;
   *     the message names file and line or byte
   */
  public static Trace read(Path path) {
    return only(readAll(path, false, bytes -> {}));
  }

  /**
   * Reads a trace per device from a file, plain or gzip.
   *
   * @param detailed whether to keep {@link Trace#getDetails}
   * @param progress receives the number of bytes read since the last call
   * @throws TraceException if the file cannot be read or is not a valid trace; the message names
   *     file and line or byte
   */
  public static List<Trace> readAll(Path path, boolean detailed, LongConsumer progress) {
    try (TraceInput input = TraceInput.open(path, progress)) {
      return read(input, detailed);
    }
  }

  /**
   * Reads a stream with one device, plain or gzip, and closes it.
   *
   * @param name the trace's name in errors and reports
   * @throws TraceException as {@link #read(Path)}
   */
  public static Trace read(String name, InputStream bytes) {
    return only(readAll(name, bytes, false));
  }

  /**
   * Reads a trace per device from a stream, plain or gzip, and closes it.
   *
   * @param name the trace's name in errors and reports
   * @throws TraceException as {@link #readAll(Path, boolean, LongConsumer)}
   */
  public static List<Trace> readAll(String name, InputStream bytes, boolean detailed) {
    try (TraceInput input = TraceInput.of(name, bytes)) {
      return read(input, detailed);
    }
  }

  /**
   * Returns whether a regular file begins like a recording, whatever follows. JSON counts if its
   * first bytes have a key of PyTorch's snapshots.
   */
  public static boolean isRecording(Path path) {
    if (!Files.isRegularFile(path)) {
      return false;
    }
    try (TraceInput input = TraceInput.open(path, bytes -> {})) {
      String head = input.peek();
      return isPickle(head)
          || isCsv(head)
          || isRmmLog(head)
          || (isJson(head) && SNAPSHOT_KEY.matcher(head).find());
    } catch (TraceException e) {
      // The command reports why the file cannot be read.
      return false;
    }
  }

  private static boolean isPickle(String head) {
    return !head.isEmpty() && head.charAt(0) == PickleReader.PROTO;
  }

  /** Returns whether a file may be a snapshot: an object, or a list of segments. */
  private static boolean isJson(String head) {
    return JSON.matcher(head).lookingAt();
  }

  private static boolean isCsv(String head) {
    return head.startsWith("action,");
  }

  private static boolean isRmmLog(String head) {
    String lower = head.toLowerCase(Locale.ROOT);
    return lower.startsWith("thread,time,") || lower.startsWith("time,action,");
  }

  private static Trace only(List<Trace> traces) {
    if (traces.size() > 1) {
      throw new TraceException(
          traces.get(0).getName(),
          "is one of " + traces.size() + " devices in the file; read it by Traces.readAll");
    }
    return traces.get(0);
  }

  private static List<Trace> read(TraceInput input, boolean detailed) {
    try {
      return readFormat(input, detailed);
    } catch (TraceException e) {
      throw input.explain(e);
    }
  }

  private static List<Trace> readFormat(TraceInput input, boolean detailed) {
    String head = input.peek();
    if (head.isEmpty()) {
      throw new TraceException(input.getName(), "is empty; name a file with a trace");
    }
    ForeignFormat foreign = ForeignFormat.of(head).orElse(null);
    if (foreign != null) {
      throw new TraceException(input.getName(), foreign.getAdvice());
    }
    if (isPickle(head)) {
      return PickleSnapshot.read(input, detailed);
    }
    if (isJson(head)) {
      return JsonSnapshot.read(input, detailed);
    }
    if (isCsv(head)) {
      return List.of(CsvTrace.read(input, detailed));
    }
    if (isRmmLog(head)) {
      return List.of(RmmLog.read(input, detailed));
    }
    String first = head.lines().findFirst().orElse("");
    if (first.isBlank() && input.isBlankToTheEnd()) {
      throw new TraceException(input.getName(), "holds only blank lines; name a file with a trace");
    }
    throw new TraceException(
        input.getName() + ":1",
        "no known format; supported are CSV that begins with '"
            + CsvTrace.HEADER
            + "', RMM logs that begin with '"
            + RmmLog.HEADER
            + "', and PyTorch memory snapshots as pickle or JSON; this file begins with "
            + beginning(head, first));
  }

  private static String beginning(String head, String first) {
    if (BINARY.matcher(head).lookingAt()) {
      byte[] bytes = head.substring(0, Math.min(8, head.length())).getBytes(ISO_8859_1);
      return "binary data, " + HexFormat.ofDelimiter(" ").formatHex(bytes);
    }
    return first.isBlank() ? "a blank line" : "'" + Text.printable(first, 40) + "'";
  }
}
