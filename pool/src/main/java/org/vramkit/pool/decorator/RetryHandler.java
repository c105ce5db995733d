package org.vramkit.pool.decorator;

/** Decides what happens to an allocation that found no memory; may free some. */
@FunctionalInterface
public interface RetryHandler {

  /**
   * Called by the thread that allocates, with no lock held.
   *
   * @return true to try again, as often as it is answered: let the number of the attempt end it;
   *     false to let the allocation fail
   */
  boolean retry(OutOfMemoryAttempt attempt);
}
