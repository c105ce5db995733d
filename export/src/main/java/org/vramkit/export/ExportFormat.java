package org.vramkit.export;

/** Formats of exports. */
public enum ExportFormat {
  /**
   * PyTorch's memory snapshot as JSON, for the page at pytorch.org/memory_viz. The page does not
   * read compressed files and fails on files above about 1 GB.
   */
  PYTORCH_JSON(100_000),

  /**
   * PyTorch's memory snapshot as a pickle of protocol 2, for {@code python -m
   * torch.cuda._memory_viz} and the page.
   */
  PYTORCH_PICKLE(100_000),

  /**
   * Trace events as JSON, for ui.perfetto.dev and chrome://tracing: counters of memory over time,
   * and a slice for each allocation on its stream.
   */
  PERFETTO(100_000),

  /** CSV rows with tag, thread and stack, for {@code ./vramkit replay}. */
  CSV(Long.MAX_VALUE);

  /** Default maximum number of events to write; the latest are written. */
  final long maxEntries;

  ExportFormat(long maxEntries) {
    this.maxEntries = maxEntries;
  }
}
