package org.vramkit.testkit.sim;

import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;

/**
 * Stands for what the library does with a user's stream, and with events; its package makes it
 * one's code.
 */
final class Library {
  private Library() {}

  static boolean isIdle(Stream stream) {
    return stream.isIdle();
  }

  static boolean isComplete(Event event) {
    return event.isComplete();
  }
}
