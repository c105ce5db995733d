package org.vramkit.pool.ending;

import org.vramkit.api.device.Stream;

/** One allocator or pool, as what hands memory out and is closed, with all that it stands on. */
interface Subject {

  /** What sizes are counted in: the whole has 8 of them. */
  long unit();

  /** Takes something. */
  Held take(long bytes, Stream stream);

  /** Gives back what nobody holds. */
  void trim();

  /** Ends the subject. */
  void close();

  /** Ends what it stands on. */
  default void closeBeneath() {}

  /** Compares its books with what is held, and with each other. */
  void assertBooks(long heldBytes);

  /** What it is itself has ended: it keeps nothing that it could give back. */
  void assertEnded();

  /** Nothing is held, cached or reserved any more, by what it stands on either. */
  void assertEmpty();
}
