package org.vramkit.tools.trace;

import java.util.Optional;
import java.util.regex.Pattern;

/** Formats that cannot be read, each with advice: unpack the file, or record in another format. */
enum ForeignFormat {
  ZSTD("\\(\u00b5/\u00fd", "is packed by zstd; unpack it with 'zstd -d'"),
  XZ("\u00fd7zXZ\0", "is packed by xz; unpack it with 'xz -d'"),
  BZIP2("BZh", "is packed by bzip2; unpack it with 'bzip2 -d'"),
  GZIP("\u001f\u008b", "is packed by gzip twice; unpack it once with 'gzip -d'"),
  ZIP("PK\u0003\u0004", "is a zip archive; unpack it and name the recording inside"),
  TAR(".{257}ustar", "is a tar archive; unpack it and name the recording inside"),
  UTF_16(
      "\u00ff\u00fe|\u00fe\u00ff", "is text in UTF-16; convert it by 'iconv -f UTF-16 -t UTF-8'"),
  RMM_DEBUG_LOG(
      "\\[ *\\d+\\]\\[\\d\\d:\\d\\d:\\d\\d[:.]\\d{6}\\]\\[",
      "is RMM's debug log, which has no addresses; wrap the memory resource in"
          + " rmm.mr.LoggingResourceAdaptor(resource, \"mine.csv\") to record a log"),
  SEGMENTS(
      "\\s*\\[.*\"total_size\"",
      "is a bare list of segments from torch.cuda.memory_snapshot(), without events; record by"
          + " torch.cuda.memory._record_memory_history() and torch.cuda.memory._dump_snapshot(FILE)"),
  TRACE_EVENTS(
      "\\s*\\[.*\"ph\"",
      "is a file of trace events for Perfetto; export the Vramkit history as ExportFormat.CSV or"
          + " PYTORCH_JSON instead");

  private final Pattern beginning;
  private final String advice;

  ForeignFormat(String beginning, String advice) {
    this.beginning = Pattern.compile("(?s)" + beginning);
    this.advice = advice;
  }

  /** Returns the format of a file by its first bytes, one per char of {@code head}. */
  static Optional<ForeignFormat> of(String head) {
    for (ForeignFormat format : values()) {
      if (format.beginning.matcher(head).lookingAt()) {
        return Optional.of(format);
      }
    }
    return Optional.empty();
  }

  /** Returns a message that names the format and the remedy. */
  String getAdvice() {
    return advice;
  }
}
