package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.DriverStatus;

@DisplayName("An allocation that is tried again")
class OutOfMemoryRetryTest {
  private final OutOfMemoryRetry retry = new OutOfMemoryRetry(new PoolHealth("a pool"));
  private final AtomicInteger attempts = new AtomicInteger();

  private static DeviceOutOfMemoryException outOfMemory() {
    return new DeviceOutOfMemoryException(1, DriverStatus.NONE);
  }

  @Test
  @DisplayName("is not, where nothing went back")
  void nothingKept() {
    DeviceOutOfMemoryException only = outOfMemory();
    DeviceOutOfMemoryException thrown =
        assertThrows(
            DeviceOutOfMemoryException.class,
            () ->
                retry.allocate(
                    () -> {
                      attempts.incrementAndGet();
                      throw only;
                    },
                    round -> 0));
    assertSame(only, thrown);
    assertEquals(1, attempts.get());
  }

  @Test
  @DisplayName("is tried again after what another one gave back, also where that failed in part")
  void failedForAnother() {
    String got =
        retry.allocate(
            () -> {
              if (attempts.getAndIncrement() == 0) {
                assertThrows(DriverException.class, this::failToGiveBack);
                throw outOfMemory();
              }
              return "memory";
            },
            round -> 0);
    assertEquals("memory", got);
    assertEquals(2, attempts.get());
  }

  @Test
  @DisplayName("is tried as long as something goes back, because others may have had it before")
  void takenByOthers() {
    String got =
        retry.allocate(
            () -> {
              if (attempts.getAndIncrement() < 3) {
                throw outOfMemory();
              }
              return "memory";
            },
            round -> 1);
    assertEquals("memory", got);
    assertEquals(4, attempts.get());
  }

  @Test
  @DisplayName(
      "ends where others have all that goes back each time, and tells of the first refusal")
  void endsAtLast() {
    DeviceOutOfMemoryException first = outOfMemory();
    DeviceOutOfMemoryException thrown =
        assertThrows(
            DeviceOutOfMemoryException.class,
            () ->
                retry.allocate(
                    () -> {
                      throw attempts.getAndIncrement() == 0 ? first : outOfMemory();
                    },
                    round -> 1));
    assertEquals(16, attempts.get());
    assertSame(first, thrown.getSuppressed()[0]);
  }

  private void failToGiveBack() {
    retry.allocate(
        () -> {
          throw outOfMemory();
        },
        round -> {
          throw new DriverException("one free is refused");
        });
  }
}
