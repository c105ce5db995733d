package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;

@DisplayName("How far a stream has come")
class StreamProgressTest {
  private final DriverStub driver = new DriverStub();
  private final Event event = mock(Event.class);
  private final Stream stream = driver.newStream();
  private final AtomicLong clock = new AtomicLong();
  private final EventPool events = new EventPool(driver.device);
  private final StreamProgress progress =
      new StreamProgress(stream, events, clock::get, none -> false);

  StreamProgressTest() {
    when(driver.device.createEvent()).thenReturn(event);
  }

  @Test
  @DisplayName("R7 a stream that is closed between two questions is passed once its device is done")
  void closedMeanwhile() {
    long ended = progress.epoch();
    doThrow(new ClosedException("closed")).when(event).record(any());
    progress.advance();
    verify(driver.device).synchronize();
    assertEquals(ended, progress.settled());
    events.close();
    verify(event).close();
  }

  @Test
  @DisplayName("18.8 a stream is far behind once it has not passed a mark for a millisecond")
  void farBehind() {
    when(stream.isIdle()).thenReturn(false);
    progress.advance();
    clock.set(1_000_000);
    progress.queryMarks();
    assertTrue(progress.isBehind());
    assertFalse(progress.isFarBehind());
    clock.set(1_000_001);
    progress.advance();
    assertTrue(progress.isFarBehind());
    when(event.isComplete()).thenReturn(true);
    progress.queryMarks();
    assertFalse(progress.isFarBehind());
    assertFalse(progress.isBehind());
  }

  @Test
  @DisplayName("R7 a thread that asks after the end keeps no event")
  void askedAfterTheEnd() {
    when(stream.isIdle()).thenReturn(false);
    progress.advance();
    progress.close();
    progress.advance();
    assertEquals(0, progress.settled());
    events.close();
    verify(driver.device).createEvent();
    verify(event).close();
  }
}
