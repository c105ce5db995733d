package org.vramkit.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.sim.SimBackend;

@DisplayName("A task's allocator")
class TaskAllocatorTest {
  @Test
  @DisplayName("gives back what is open among thousands that were closed")
  void givesBackWhatIsOpen() {
    try (SimBackend backend = SimBackend.builder().build()) {
      try (Allocator executors = DirectAllocator.builder(backend.getDevice(0)).build()) {
        TaskAllocator task = new TaskAllocator(executors);
        List<Allocation> open = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
          Allocation allocation =
              task.allocate(ByteSize.MIB, backend.getDevice(0).getDefaultStream());
          if (i % 100 == 0) {
            open.add(allocation);
          } else {
            allocation.close();
          }
        }
        assertEquals("20 allocations of 20.00 MiB open", task.closeAll());
        assertTrue(open.stream().allMatch(Allocation::isClosed));
        assertEquals("", task.closeAll(), "nothing is left");
        assertEquals(0, executors.getStatistics().getLiveBytes());
      }
      assertEquals(List.of(), backend.getLeaks());
    }
  }
}
