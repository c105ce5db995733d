package org.vramkit.sim;

/** Under construction. */
public final class SimBackend {
  private SimBackend() {}
}
