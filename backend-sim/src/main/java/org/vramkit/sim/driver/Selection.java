package org.vramkit.sim.driver;

import org.vramkit.api.error.InvalidArgumentException;

/** Validates the parameters that selectors of calls and of work have in common. */
final class Selection {
  private Selection() {}

  static void requireCount(long count) {
    if (count < 1) {
      throw new InvalidArgumentException("calls and work are counted from 1; got " + count);
    }
  }

  static void requireProbability(double probability) {
    if (!(probability >= 0 && probability <= 1)) {
      throw new InvalidArgumentException("a probability is from 0 to 1; got " + probability);
    }
  }

  static void requireTimes(long from, long until) {
    if (from < 0 || until <= from) {
      throw new InvalidArgumentException(
          ("a fault needs a time that begins at 0 ns or later and ends after that; got from %s"
                  + " until %s")
              .formatted(from, until));
    }
  }

  static String words(double probability, long from, long until) {
    return (probability < 1 ? ", with probability " + probability : "")
        + (from > 0 ? ", from " + from + " ns" : "")
        + (until < Long.MAX_VALUE ? ", until " + until + " ns" : "");
  }
}
