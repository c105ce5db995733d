package org.vramkit.tools.replay;

import java.util.Locale;

/**
 * Which replays the simulator's checker looks on at. The checker answers questions to streams as
 * strictly as the driver may, so an allocator under it learns later what its streams have done: the
 * checker is for hazards, and footprint and time are those of a replay without it.
 */
public enum CheckerMode {
  /** At each: the figures are those of a judged replay, and times have the checker's in them. */
  ON,

  /** At none: no hazard is looked for. */
  OFF,

  /** At one replay more, for the hazards alone; all other figures are of one without it. */
  BOTH;

  /** The word for it on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
