package org.vramkit.tools.replay;

/** Hears how far a replay is, outside of what is timed. */
public interface Progress {

  /** Nobody listens. */
  Progress NONE = events -> {};

  /** So many events more are done. */
  void advance(long events);
}
