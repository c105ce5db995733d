package org.vramkit.tools.trace;

/** A reader's position, which error messages name as file and line or byte. */
interface Position {

  /** Creates an error at the current position. */
  TraceException error(String problem);
}
