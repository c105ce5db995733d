package org.vramkit.pool.caching.internal.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.support.DriverStub;

@DisplayName("How far a stream has come")
class StreamProgressTest {
  private final DriverStub driver = new DriverStub();
  private final Event event = mock(Event.class);
  private final Stream stream = driver.newStream();
  private final EventPool events = new EventPool(driver.device);
  private final StreamProgress progress = new StreamProgress(stream, events);

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
