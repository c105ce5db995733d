package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.EveryOrder;
import org.vramkit.pool.caching.ScriptedDevice;
import org.vramkit.pool.caching.ScriptedStream;

/**
 * The stream and its events tell how much of numbered work is done. Lincheck makes instances of it,
 * so it is public.
 */
@DisplayName("In every order of two threads the frontier of a stream")
@Tag("own-schedules")
public class StreamProgressLincheckTest {
  private final ScriptedDevice device = new ScriptedDevice();
  private final ScriptedStream stream = new ScriptedStream(device, 7);
  private final EventPool events = new EventPool(device);
  private final StreamProgress progress =
      new StreamProgress(stream, events, () -> 0, none -> false);

  /** A fresh one for each order. */
  public StreamProgressLincheckTest() {}

  /** What is freed after work was submitted is settled only once that work is done. */
  @Operation
  public void frees() {
    long work = stream.submit();
    long epoch = progress.epoch();
    boolean settled = progress.settled() >= epoch;
    assertTrue(!settled || stream.isDone(work), "settled before its work is done");
  }

  /** The device gets on. */
  @Operation
  public void finishes() {
    stream.finish();
  }

  @Operation
  public void asks() {
    progress.advance();
  }

  @Operation
  public void asksAgain() {
    progress.queryMarks();
  }

  @Operation
  public void waits() {
    long epoch = progress.epoch();
    progress.await(true);
    assertTrue(progress.settled() >= epoch, "waited for, and not settled");
  }

  @Validate
  public void keepsNoEvent() {
    progress.close();
    events.close();
    assertEquals(0, device.live());
  }

  @Test
  @DisplayName("is never ahead of what the driver answered")
  void neverAhead() {
    EveryOrder.checkAssertions(StreamProgressLincheckTest.class, EveryOrder.ORDERS);
  }
}
