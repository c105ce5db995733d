package org.vramkit.export;

import java.io.IOException;
import java.io.Writer;
import java.util.List;
import org.vramkit.api.owner.ProgramCode;

/**
 * Writes CSV rows for a replay. Memory and allocations older than the first event are written with
 * the time of that event, so that the trace is complete.
 */
final class CsvTrace {
  private final Writer out;
  private final ExportLimits limits;

  CsvTrace(Writer out, ExportLimits limits) {
    this.out = out;
    this.limits = limits;
  }

  void write(Recording recording) throws IOException {
    out.write("action,addr,size,stream,time_us,tag,thread,stack\n");
    Timeline timeline = recording.timeline(limits.maxEntries());
    for (Entry each : timeline.initialMemory()) {
      row(each, timeline.firstNanos());
    }
    for (Entry each : timeline.initial()) {
      row(each, timeline.firstNanos());
    }
    timeline.replay(each -> row(each, timeline.firstNanos()));
  }

  private void row(Entry entry, long firstNanos) throws IOException {
    out.write(entry.kind().word);
    number(entry.address());
    number(entry.size());
    number(entry.stream());
    number((entry.nanos() - firstNanos) / 1000);
    out.write(',');
    text(entry.tag());
    number(entry.thread());
    out.write(',');
    text(stack(limits.cut(entry.stack())));
    out.write('\n');
  }

  private void number(long value) throws IOException {
    out.write(',');
    out.write(Long.toString(value));
  }

  /** Writes a text, with quotes if RFC 4180 requires them. */
  private void text(String text) throws IOException {
    if (text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r')) {
      out.write(text);
      return;
    }
    out.write('"');
    out.write(text.replace("\"", "\"\""));
    out.write('"');
  }

  /** Formats a stack, the outermost frame first. */
  private static String stack(List<StackTraceElement> frames) {
    StringBuilder text = new StringBuilder();
    for (int i = frames.size() - 1; i >= 0; i--) {
      text.append(text.isEmpty() ? "" : ";").append(ProgramCode.name(frames.get(i)));
    }
    return text.toString();
  }
}
