package org.vramkit.sim.check;

import org.vramkit.sim.hazard.HazardCode;

/**
 * What reports of one fault have in common: operations of the same names on the same streams,
 * submitted by the same lines where these are known.
 */
record Cause(
    HazardCode code, String earlier, String before, String later, String after, Object lines) {

  public static Cause of(Found found, Operation earlier, Operation later) {
    return new Cause(
        found.report().code(),
        earlier.name,
        earlier.stream.name,
        later.name,
        later.stream.name,
        earlier.lines(later));
  }

  /** What one operation does in several ranges too early after work of one stream. */
  record Launch(long later, StreamClock earlier) {}
}
