package org.vramkit.tools.replay;

/** Receives how far a replay is, outside of what is timed. */
public interface Progress {

  /** Ignores all progress. */
  Progress NONE = events -> {};

  /** Adds to the number of events that are done. */
  void advance(long events);
}
