package org.vramkit.pool.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.verify;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.pool.support.DriverStub;

@DisplayName("DirectAllocator")
class DirectAllocatorTest {
  private final DriverStub driver = new DriverStub();
  private final Stream stream = driver.newStream();
  private final Stream other = driver.newStream();
  private final DirectAllocator allocator = DirectAllocator.builder(driver.device).build();

  @Test
  @DisplayName("gives memory back only after the work of its stream and of the recorded ones")
  void waitsBeforeTheFree() {
    Allocation allocation = allocator.allocate(1000, stream);
    long address = allocation.getAddress();
    allocation.recordUse(other);
    allocation.close();
    InOrder order = inOrder(driver.observer, stream, other, driver.memory);
    order.verify(driver.observer).allocated(address, 1000, stream);
    order.verify(driver.observer).used(address, other);
    order.verify(driver.observer).freed(address, stream);
    order.verify(stream).synchronize();
    order.verify(other).synchronize();
    order.verify(driver.memory).free(address);
    assertEquals(0, driver.liveBytes());
    assertEquals(1, allocator.getStatistics().synchronizations());
  }

  @Test
  @DisplayName("R7 waits for the device when a stream was closed before the allocation")
  void closedStream() {
    Allocation allocation = allocator.allocate(1000, stream);
    doThrow(new ClosedException("stream is closed")).when(stream).synchronize();
    long address = allocation.getAddress();
    allocation.close();
    InOrder order = inOrder(driver.device, driver.memory);
    order.verify(driver.device).synchronize();
    order.verify(driver.memory).free(address);
  }

  @Test
  @DisplayName("out of memory keeps the error of a driver that does not report the free memory")
  void unknownMemory() {
    DriverException untold = new DriverException("told nothing");
    doThrow(untold).when(driver.device).getMemoryInfo();
    driver.capacity = 0;
    var e = assertThrows(DeviceOutOfMemoryException.class, () -> allocator.allocate(8, stream));
    assertTrue(String.valueOf(e.getMessage()).contains("free memory is unknown"), e::toString);
    assertEquals(List.of(untold), List.of(e.getSuppressed()));
  }

  @Test
  @DisplayName("out of memory tells what was asked for, what is live and what to do")
  void outOfMemory() {
    driver.capacity = 4096;
    try (Allocation live = allocator.allocate(4000, stream)) {
      DeviceOutOfMemoryException error =
          assertThrows(DeviceOutOfMemoryException.class, () -> allocator.allocate(2048, stream));
      String message = String.valueOf(error.getMessage());
      assertTrue(message.contains("2.00 KiB"), message);
      assertTrue(message.contains("live 3.91 KiB in 1 allocation"), message);
      assertTrue(message.contains("cuMemAlloc returned 2"), message);
      assertEquals(4000, live.getSize());
    }
    verify(driver.memory).free(1L << 20);
    assertEquals(1, allocator.getStatistics().outOfMemories());
  }
}
