package org.vramkit.sim.check.order;

import org.jspecify.annotations.Nullable;

/** What one stream did last for the sake of order. */
public final class SyncTrail {
  /**
   * A wait for an event.
   *
   * @param operation its number
   * @param event the event's handle
   * @param mark what it waited for; null if the event had not been recorded
   */
  public record Wait(long operation, long event, @Nullable EventMark mark) {}

  public final Ring<EventMark> records = new Ring<>();
  public final Ring<Wait> waits = new Ring<>();
}
