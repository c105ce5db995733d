package org.vramkit.api.device;

/** The order between a stream and the legacy default stream. */
public enum StreamKind {
  /**
   * The stream waits for earlier work of the default stream, and the default stream waits for
   * earlier work of the stream.
   */
  BLOCKING,
  /** The stream is not ordered with the default stream. */
  NON_BLOCKING
}
