package org.vramkit.tools.trace;

/** Formats of traces that the tools read; detected by content. */
public enum TraceFormat {
  /** Rows of {@code action,addr,size,stream,time_us}, complete from the first allocation on. */
  CSV("csv"),
  /** The log of RMM's logging resource adaptor, 0.13 or newer. */
  RMM("rmm"),
  /** A PyTorch memory snapshot as a pickle. */
  SNAPSHOT_PICKLE("pytorch-pickle"),
  /** A PyTorch memory snapshot as JSON. */
  SNAPSHOT_JSON("pytorch-json");

  private final String label;

  TraceFormat(String label) {
    this.label = label;
  }

  /** Returns the name in reports. */
  public String getLabel() {
    return label;
  }
}
