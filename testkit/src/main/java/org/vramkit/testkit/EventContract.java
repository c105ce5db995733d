package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/** Tests events. */
interface EventContract extends KitContext {

  @Test
  @DisplayName("an event that was never recorded is complete")
  default void unrecordedEventIsComplete() {
    try (Event event = getDevice().createEvent()) {
      assertTrue(event.isComplete());
      event.synchronize();
      assertSameDevice(event.getDevice(), "an event");
    }
  }

  @Test
  @DisplayName("waiting for an event waits for the work before its last record")
  default void eventCompletesAfterItsWork() {
    withMemory(
        64 * ByteSize.MIB,
        (stream, address) -> {
          try (Stream reader = getDevice().createStream();
              Event event = getDevice().createEvent()) {
            for (byte round = 1; round <= 4; round++) {
              stream.fill(address, round, 64 * ByteSize.MIB);
              event.record(stream);
              event.synchronize();
              assertTrue(event.isComplete());
              DeviceBytes.assertFilled(reader, address, 64 * ByteSize.MIB, round, "after the wait");
            }
          }
        });
  }

  @Test
  @DisplayName("a closed event cannot be used, and closing it twice is harmless")
  default void closedEvent() {
    Event event = getDevice().createEvent();
    event.close();
    event.close();
    try (Stream stream = getDevice().createStream()) {
      assertAll(
          () -> assertThrows(ClosedException.class, () -> event.record(stream)),
          () -> assertThrows(ClosedException.class, event::isComplete),
          () -> assertThrows(ClosedException.class, event::synchronize),
          () -> assertThrows(ClosedException.class, () -> stream.waitFor(event)));
    }
    forgetMisuse();
  }

  @Test
  @DisplayName("an event refuses to record a stream of another device")
  default void eventOfAnotherDevice() {
    try (Event event = getDevice().createEvent();
        Stream stream = getSecondDevice().createStream()) {
      assertThrows(InvalidArgumentException.class, () -> event.record(stream));
    }
    forgetMisuse();
  }
}
