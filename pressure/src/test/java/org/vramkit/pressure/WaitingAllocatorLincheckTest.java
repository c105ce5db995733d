package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/** Public, because Lincheck creates instances. Each operation releases all that it acquires. */
@DisplayName("45.5 In every order of two threads a waiting allocator")
@Tag("own-schedules")
public class WaitingAllocatorLincheckTest {
  private final CountedMemory memory = new CountedMemory(100);
  private final WaitingAllocator waiting = WaitingAllocator.over(memory, Duration.ZERO);

  public WaitingAllocatorLincheckTest() {}

  /** Allocates most of the memory, or leaves the line. */
  @Operation
  public void allocates() {
    try (Allocation block = waiting.allocate(70, memory.getStream())) {
      assertEquals(70, block.getSize());
    } catch (DeviceOutOfMemoryException late) {
      assertEquals(70, late.getRequestedBytes());
    }
  }

  /** Requests memory; another user's close runs the attempt. */
  @Operation
  public void asks() {
    CompletableFuture<Allocation> asked = ask();
    var unused =
        asked.whenComplete(
            (block, error) -> {
              if (block != null) {
                block.close();
              }
            });
  }

  /** Cancels a request, possibly while it is being served. */
  @Operation
  public void asksAndCancels() {
    CompletableFuture<Allocation> asked = ask();
    if (!asked.cancel(false)) {
      asked.join().close();
    }
  }

  private CompletableFuture<Allocation> ask() {
    return waiting.allocateAsync(60, memory.getStream(), Runnable::run).toCompletableFuture();
  }

  /** Checks that no byte is held and no request waits, so all remaining requests were served. */
  @Validate
  public void leavesNothing() {
    assertEquals(0, memory.getLive());
    assertEquals(0, waiting.getHolders());
    assertEquals(0, waiting.getWaiting());
  }

  @Test
  @DisplayName("45.5 serves all that wait, and loses no request and no byte")
  void losesNothing() {
    NothingThrown.inEveryOrderOf(WaitingAllocatorLincheckTest.class);
  }
}
