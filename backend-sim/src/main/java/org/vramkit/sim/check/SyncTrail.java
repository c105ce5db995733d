package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;

/** What one stream did last for the sake of order. */
final class SyncTrail {
  /**
   * A wait for an event.
   *
   * @param operation its number
   * @param event the event's handle
   * @param mark what it waited for; null if the event had not been recorded
   */
  record Wait(long operation, long event, @Nullable EventMark mark) {}

  final Ring<EventMark> records = new Ring<>();
  final Ring<Wait> waits = new Ring<>();
}
