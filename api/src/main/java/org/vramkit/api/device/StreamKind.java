package org.vramkit.api.device;

/** How a stream stands to the legacy default stream. */
public enum StreamKind {
  /** Waits for the default stream's earlier work, and the default stream for its. */
  BLOCKING,
  /** Not ordered with the default stream at all. */
  NON_BLOCKING
}
