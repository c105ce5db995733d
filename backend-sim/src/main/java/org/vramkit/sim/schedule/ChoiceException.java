package org.vramkit.sim.schedule;

import org.vramkit.api.Experimental;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * A {@linkplain Schedule#chosen chosen} schedule does not fit the program that it runs: one of its
 * choices takes a possibility that the program does not offer, so it was made for another program.
 */
@Experimental
public final class ChoiceException extends InvalidArgumentException {
  private static final long serialVersionUID = 1L;

  /** Says which choice, what was found, and what to do. */
  public ChoiceException(String message) {
    super(message);
  }
}
