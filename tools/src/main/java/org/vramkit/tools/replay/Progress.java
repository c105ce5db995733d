package org.vramkit.tools.replay;

/** Receives the progress of a replay, outside of timed sections. */
public interface Progress {

  /** Ignores all progress. */
  Progress NONE = events -> {};

  /** Adds {@code events} to the number of completed events. */
  void advance(long events);
}
