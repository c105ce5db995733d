package org.vramkit.tools.replay;

import java.util.Locale;

/**
 * Selects the replays that the simulator's checker judges. The checker answers questions to streams
 * as strictly as the driver may, so an allocator under it learns later what its streams have done.
 * It therefore serves to find hazards; footprint and time are measured without it.
 */
public enum CheckerMode {
  /** Judges each replay; the figures are those of a judged one, with the checker's time in them. */
  ON,

  /** Judges none. */
  OFF,

  /** Judges one replay more, for its hazards alone; all other figures are of one without it. */
  BOTH;

  /** The word for it on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
