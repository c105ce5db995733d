package org.vramkit.tools.replay;

import java.util.Locale;

/**
 * Selects the replays that the simulator's checker checks. The checker answers stream queries as
 * strictly as a driver may, so an allocator learns of finished work later than in an unchecked
 * replay. Use the checker to find hazards, and measure memory and time without the checker.
 */
public enum CheckerMode {
  /** Checks every replay; memory and time include the checker's effect. */
  ON,

  /** Checks no replay. */
  OFF,

  /** Takes hazards from an additional checked replay, all other figures from an unchecked one. */
  BOTH;

  /** Returns the value on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
