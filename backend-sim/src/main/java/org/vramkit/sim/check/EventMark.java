package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;

/**
 * What one recording of an event stands for. Names its stream instead of holding it, so that marks
 * of streams long gone do not hold each other.
 *
 * @param operation number of the recording among all operations of the backend
 * @param generation how often the event was recorded by then, from 1
 */
public record EventMark(
    long operation, long event, long generation, String stream, Snapshot snapshot) {
  /** A wait for an event, its number, and the mark waited for; null if nobody had recorded it. */
  public record Wait(long operation, long event, @Nullable EventMark mark) {}
}
