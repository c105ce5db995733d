package org.vramkit.tools.trace;

/** The position of a reader, by which an error names the file and the line or byte. */
interface Position {

  /** An error at the place that was read last. */
  TraceException error(String problem);
}
