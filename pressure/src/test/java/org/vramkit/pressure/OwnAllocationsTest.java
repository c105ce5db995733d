package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.pressure.Scene.MIB;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;

@DisplayName("45.1 Allocations of the user's own class, which do not tell their size,")
class OwnAllocationsTest {
  /** Has a size only where it is asked as an allocation of an allocator that knows it. */
  private record Own(Allocation held) implements Allocation {
    @Override
    public long getAddress() {
      return held.getAddress();
    }

    @Override
    public long getSize() {
      throw new AssertionError("planned");
    }

    @Override
    public Stream getStream() {
      return held.getStream();
    }

    @Override
    public boolean isClosed() {
      return held.isClosed();
    }

    @Override
    public void recordUse(Stream stream) {
      held.recordUse(stream);
    }

    @Override
    public void close() {
      held.close();
    }
  }

  private record Owns(Allocator upstream) implements Allocator {
    @Override
    public Allocation allocate(long bytes, Stream stream) {
      return new Own(upstream.allocate(bytes, stream));
    }

    @Override
    public Device getDevice() {
      return upstream.getDevice();
    }

    @Override
    public void trim(long keepBytes) {
      upstream.trim(keepBytes);
    }

    @Override
    public AllocatorStatistics getStatistics() {
      return upstream.getStatistics();
    }

    @Override
    public void resetPeaks() {
      upstream.resetPeaks();
    }

    @Override
    public void close() {}
  }

  @Test
  @DisplayName("45.5 reach the users of a waiting allocator, who wait for nothing")
  void waiting() {
    try (Scene scene = new Scene(64);
        WaitingAllocator memory =
            WaitingAllocator.over(new Owns(scene.allocator), Duration.ofHours(1))) {
      Stream stream = scene.device.getDefaultStream();
      memory.allocate(8 * MIB, stream).close();
      Allocation made =
          memory.allocateAsync(8 * MIB, stream, Runnable::run).toCompletableFuture().getNow(null);
      assertEquals(8 * MIB, made.getSize());
      made.close();
      assertEquals(0, memory.getWaitingStatistics().liveBytes());
    }
  }

  @Test
  @DisplayName("45.1 take of a grant what was asked for, and give it back")
  void grant() {
    try (Scene scene = new Scene(64);
        Admission admission = Admission.over(new Owns(scene.allocator)).build();
        Grant grant = admission.acquire(Demand.of("job", 8 * MIB), Duration.ZERO)) {
      for (int i = 0; i < 3; i++) {
        try (Allocation made = grant.getAllocator().allocate(8 * MIB)) {
          assertEquals(8 * MIB, made.getSize());
          assertEquals(8 * MIB, grant.getUsedBytes());
        }
        assertEquals(0, grant.getUsedBytes());
      }
    }
  }

  @Test
  @DisplayName("45.3 are closed by a task that fails")
  void task() {
    try (Scene scene = new Scene(64)) {
      IllegalStateException failure = new IllegalStateException("planned");
      assertEquals(
          failure,
          assertThrows(
              IllegalStateException.class,
              () ->
                  Retry.over(new Owns(scene.allocator))
                      .withSplit(
                          "task",
                          1,
                          whole -> List.of(),
                          (whole, memory) -> {
                            if (memory.allocate(8 * MIB).getSize() == 8 * MIB) {
                              throw failure;
                            }
                            return 1;
                          })));
    }
  }
}
