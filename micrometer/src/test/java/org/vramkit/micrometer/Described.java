package org.vramkit.micrometer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;

/** Checks the text that monitoring systems show beside a meter. */
final class Described {
  private Described() {}

  /** Each description is a phrase, and no other meter's unless their names are the same. */
  static void assertAll(MeterRegistry registry) {
    for (Meter each : registry.getMeters()) {
      String text = String.valueOf(each.getId().getDescription());
      assertTrue(text.matches("[A-Z][a-z]+,? .*[a-z]"), each.getId() + ": " + text);
      assertTrue(text.split(" ", -1).length >= 3, each.getId() + ": " + text);
      for (Meter other : registry.getMeters()) {
        assertTrue(
            each.getId().getName().equals(other.getId().getName())
                || !text.equals(other.getId().getDescription()),
            each.getId() + " and " + other.getId() + ": " + text);
      }
    }
  }
}
