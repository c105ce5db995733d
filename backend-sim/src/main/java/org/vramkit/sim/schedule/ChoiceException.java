package org.vramkit.sim.schedule;

import org.vramkit.api.Experimental;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Thrown if a {@linkplain Schedule#chosen chosen} schedule was made for another program. One of its
 * choices is a possibility that this program does not offer.
 */
@Experimental
public final class ChoiceException extends InvalidArgumentException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception; the message names the choice, the possibilities and the remedy. */
  public ChoiceException(String message) {
    super(message);
  }
}
