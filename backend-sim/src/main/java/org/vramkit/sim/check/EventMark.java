package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;

/**
 * A record of an event. A mark refers to its stream by name, so that it does not keep a closed
 * stream reachable.
 *
 * @param operation number of the record among all operations of the backend
 * @param generation number of the record among those of the event, from 1
 */
public record EventMark(
    long operation, long event, long generation, String stream, Snapshot snapshot) {
  /**
   * Number of latest marks and waits that are kept for each stream. A few suffice, because programs
   * that synchronize often repeat the same pattern.
   */
  static final int REMEMBERED = 16;

  /**
   * A wait for an event: its number, the event, and the mark; the mark is null if the event had not
   * been recorded.
   */
  public record Wait(long operation, long event, @Nullable EventMark mark) {}
}
