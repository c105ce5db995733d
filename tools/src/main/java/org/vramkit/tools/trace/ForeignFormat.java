package org.vramkit.tools.trace;

import java.util.Optional;
import java.util.regex.Pattern;

/** Formats that cannot be read, each with advice: unpack the file, or record in another format. */
enum ForeignFormat {
  ZSTD("\\(\u00b5/\u00fd", "is packed by zstd; unpack it with 'zstd -d'"),
  XZ("\u00fd7zXZ\0", "is packed by xz; unpack it with 'xz -d'"),
  BZIP2("BZh", "is packed by bzip2; unpack it with 'bzip2 -d'"),
  GZIP("\u001f\u008b", "is packed by gzip twice; unpack it once with 'gzip -d'"),
  TAR(".{257}ustar", "is a tar archive; unpack it and name the recording inside"),
  UTF_16(
      "\u00ff\u00fe|\u00fe\u00ff", "is text in UTF-16; convert it by 'iconv -f UTF-16 -t UTF-8'"),
  RMM_DEBUG_LOG(
      "\\[ *\\d+\\]\\[\\d\\d:\\d\\d:\\d\\d[:.]\\d{6}\\]\\[",
      "is RMM's debug log, which has no addresses; wrap the memory resource in"
          + " rmm.mr.LoggingResourceAdaptor(resource, \"mine.csv\") to record a log"),
  LFS_POINTER(
      "version https://git-lfs\\.github\\.com/",
      "is a pointer of Git LFS to the recording; fetch it by 'git lfs pull' in its repository"),
  WEB_PAGE(
      "(?i)\\s*<(?:!doctype html|html)",
      "is a web page; if a site showed it in place of the recording, download the file itself, and"
          + " if it is a chart of PyTorch's _memory_viz, name the pickle that it was made from, which"
          + " its script has as base64"),
  CHECKPOINT(
      "PK\u0003\u0004.{26}[^\0]*/data\\.pkl",
      "is a checkpoint of torch.save, not a recording; " + Advice.RECORD_PYTORCH),
  ZIP("PK\u0003\u0004", "is a zip archive; unpack it and name the recording inside"),
  PPROF(
      "\n[\u0004-\u0008]\u0008.{1,2}\u0010",
      "is a profile of pprof, such as JAX's device memory profile, which has no events; open it by"
          + " 'pprof FILE'"),
  FLIGHT_RECORDING(
      "FLR\0",
      "is a flight recording, which has figures but no allocations; export the history, such as by"
          + " 'vramkit dump PID', or open it by 'jfr print'"),
  MEMORY_TIMELINE(
      "\\s*\\[\\s*\\[\\s*-?\\d",
      "is a memory timeline of torch.profiler, which has no addresses; " + Advice.RECORD_PYTORCH),
  KINETO(
      "\\s*\\{\\s*\"(?:schemaVersion|deviceProperties|distributedInfo)\"",
      "is a profile of torch.profiler, not a recording; " + Advice.RECORD_PYTORCH),
  TRACE_EVENTS(
      "\\s*(?:\\[.*\"ph\"|\\{\\s*\"(?:traceEvents|displayTimeUnit)\")",
      "is a file of trace events for Perfetto; export the Vramkit history as ExportFormat.CSV or"
          + " PYTORCH_JSON instead, and in PyTorch "
          + Advice.RECORD_PYTORCH);

  private static final class Advice {
    static final String RECORD_PYTORCH =
        "record by torch.cuda.memory._record_memory_history() and"
            + " torch.cuda.memory._dump_snapshot(FILE)";
  }

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
