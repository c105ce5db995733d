package org.vramkit.api.discovery;

/** Placeholder, replaced in the next commit. */
final class Backends {
  private Backends() {}
}
