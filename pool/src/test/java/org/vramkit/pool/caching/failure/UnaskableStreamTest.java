package org.vramkit.pool.caching.failure;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.pool.caching.Sandbox.MIB;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.ScriptedDevice;
import org.vramkit.pool.caching.ScriptedStream;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.support.HandleStream;

@DisplayName("17.3 A stream that the driver does not answer for")
class UnaskableStreamTest {
  @Test
  @DisplayName("does not keep memory that other streams have released from being used")
  void othersAreSettled() {
    ScriptedDevice device = new ScriptedDevice();
    boolean[] broken = {false};
    Stream mute =
        new HandleStream(device, 8) {
          @Override
          public boolean isIdle() {
            if (broken[0]) {
              throw new IllegalStateException("cannot be asked");
            }
            return true;
          }

          @Override
          public void synchronize() {}
        };
    Stream passed = new ScriptedStream(device, 7);
    Stream wanting = new ScriptedStream(device, 9);
    try (CachingAllocator allocator =
        CachingAllocator.builder(device)
            .virtualMemory(VirtualMemoryUse.OFF)
            .moveTime(1)
            .threadCache(0)
            .limit(100 * MIB)
            .build()) {
      Allocation first = allocator.allocate(60 * MIB, passed);
      allocator.allocate(40 * MIB, mute).close();
      first.close();
      broken[0] = true;
      assertThrows(
          IllegalStateException.class, () -> allocator.allocate(70 * MIB, wanting).close());
      allocator.allocate(60 * MIB, wanting).close();
      broken[0] = false;
    }
  }
}
