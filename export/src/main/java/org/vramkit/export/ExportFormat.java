package org.vramkit.export;

/** The formats of exports. */
public enum ExportFormat {
  /**
   * PyTorch's memory snapshot as JSON, for the page at pytorch.org/memory_viz. The page reads no
   * compressed file, and fails from about 1 GB.
   */
  PYTORCH_JSON(100_000),

  /**
   * The same as a pickle of protocol 2, for {@code python -m torch.cuda._memory_viz}. The page
   * reads it as well.
   */
  PYTORCH_PICKLE(100_000),

  /**
   * Trace events as JSON, for ui.perfetto.dev and chrome://tracing: memory over time, each
   * allocation as a slice on its stream.
   */
  PERFETTO(100_000),

  /** The rows that {@code ./vramkit replay} reads, with tag, thread and stack. */
  CSV(Long.MAX_VALUE);

  /** How many of the latest events are written unless another number is asked for. */
  final long maxEntries;

  ExportFormat(long maxEntries) {
    this.maxEntries = maxEntries;
  }
}
