package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Event;
import org.vramkit.pool.caching.EveryOrder;
import org.vramkit.pool.caching.ScriptedDevice;
import org.vramkit.pool.caching.ScriptedStream;

/** Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of two threads a pool of events")
@Tag("own-schedules")
public class EventPoolLincheckTest {
  private final ScriptedDevice device = new ScriptedDevice();
  private final ScriptedStream marked = new ScriptedStream(device, 7);
  private final ScriptedStream other = new ScriptedStream(device, 8);
  private final EventPool events = new EventPool(device);
  private final Queue<Event> kept = new ConcurrentLinkedQueue<>();

  /** A fresh one for each order: one stream has work, the other one never has; two events wait. */
  public EventPoolLincheckTest() {
    marked.submit();
    Event one = events.acquire();
    events.release(events.acquire());
    events.release(one);
  }

  /** An event that somebody else marked meanwhile would tell of another stream. */
  @Operation
  public void marksTheBusy() {
    Event event = events.mark(marked);
    assertFalse(event.isComplete(), "another stream's");
    events.release(event);
  }

  @Operation
  public void marksTheIdle() {
    Event event = events.mark(other);
    assertTrue(event.isComplete(), "another stream's");
    events.release(event);
  }

  @Operation
  public void keeps() {
    kept.add(events.mark(marked));
  }

  @Validate
  public void losesNone() {
    assertEquals(kept.size(), Set.copyOf(kept).size(), "one event has two holders");
    events.close();
    assertEquals(0, device.live());
  }

  @Test
  @DisplayName("gives each to one at a time, and loses none")
  void oneAtATime() {
    EveryOrder.checkAssertions(EventPoolLincheckTest.class, EveryOrder.ORDERS);
  }
}
