package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.schedule.ScheduleSearch;

/** What {@code @EverySchedule} and docs/simulator.md say of tests that use a pool. */
@DisplayName("A search of every order through a pool")
@Tag("own-schedules")
class EveryOrderTest {

  /** The orders of two streams of two fills each. */
  private static long orders(boolean waitsBeforeClosing) {
    ScheduleSearch search = new ScheduleSearch(10_000);
    while (search.hasNext()) {
      search.run(
          schedule -> {
            try (SimBackend gpu =
                SimBackend.builder().device(DeviceProfile.SMALL_8GIB).schedule(schedule).build()) {
              fill(gpu.getDevice(0), waitsBeforeClosing);
              gpu.finish();
              return gpu.getChoices();
            }
          });
    }
    assertTrue(search.isComplete());
    return search.getRuns();
  }

  private static void fill(SimDevice device, boolean waitsBeforeClosing) {
    try (SimStream a = device.createStream();
        SimStream b = device.createStream();
        CachingAllocator allocator = CachingAllocator.create(device);
        Allocation first = allocator.allocate(4096, a);
        Allocation second = allocator.allocate(4096, b)) {
      for (int i = 0; i < 2; i++) {
        a.fill(first.getAddress(), (byte) i, 4096);
        b.fill(second.getAddress(), (byte) i, 4096);
      }
      if (waitsBeforeClosing) {
        device.synchronize();
      }
    }
  }

  @Test
  @DisplayName("tries what each question of the pool may be answered, if work is still queued then")
  void questions() {
    assertEquals(785, orders(false));
  }

  @Test
  @DisplayName("tries the orders of the work alone, if the test waits before it closes anything")
  void waits() {
    assertEquals(6, orders(true));
  }
}
