package org.vramkit.tools.trace;

/** Where a reader is, so that an error can name the file and the line or byte. */
interface Position {

  /** An error at the place that was read last. */
  TraceException error(String problem);
}
