package org.vramkit.pool.streamordered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doNothing;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.DriverStub;

@DisplayName("StreamOrderedPool: reuse and order")
class StreamOrderedPoolTest {
  private final DriverStub driver = new DriverStub();
  private final Stream stream = driver.newStream();
  private final Stream other = driver.newStream();
  private final StreamOrderedPool pool = StreamOrderedPool.builder(driver.device).build();

  private long allocateAndClose(long bytes, Stream on) {
    try (Allocation allocation = pool.allocate(bytes, on)) {
      return allocation.getAddress();
    }
  }

  @Test
  @DisplayName("S3.1 a size that is negative or overflows is an invalid argument")
  void invalidSizes() {
    assertThrows(InvalidArgumentException.class, () -> pool.allocate(-1, stream));
    assertThrows(
        InvalidArgumentException.class,
        () -> pool.allocate(Long.MAX_VALUE / 2, ElementType.INT32, stream));
    verify(driver.memory, never()).allocate(anyLong());
  }

  @Test
  @DisplayName("S3.2 a block serves its stream and its exact size again without a driver call")
  void exactSizeReuse() {
    long first = allocateAndClose(1000, stream);
    assertEquals(first, allocateAndClose(1000, stream));
    assertNotEquals(first, allocateAndClose(999, stream));
    assertNotEquals(first, allocateAndClose(1001, stream));
    verify(driver.memory, times(3)).allocate(anyLong());
    assertEquals(1, pool.getStatistics().servedFromPool());
    assertEquals(3, pool.getStatistics().misses());
  }

  @Test
  @DisplayName("S3.2 closing never waits, however busy the stream is")
  void closeDoesNotWait() {
    Allocation allocation = pool.allocate(1000, stream);
    allocation.recordUse(other);
    allocation.close();
    verify(stream, never()).synchronize();
    verify(other, never()).synchronize();
    verify(driver.device, never()).synchronize();
  }

  @Test
  @DisplayName("S3 better: a block goes to another stream only once its own has passed the free")
  void otherStreamWaitsItsTurn() {
    long first = allocateAndClose(1000, stream);
    assertNotEquals(first, allocateAndClose(1000, other), "its stream is busy");
    driver.finish(stream);
    Stream third = driver.newStream();
    assertEquals(first, allocateAndClose(1000, third));
    verify(third, never()).waitFor(any(Event.class));
  }

  @Test
  @DisplayName("S3 better: a block goes nowhere until the recorded streams have passed the free")
  void recordedUse() {
    Allocation allocation = pool.allocate(1000, stream);
    long first = allocation.getAddress();
    allocation.recordUse(other);
    allocation.close();
    assertNotEquals(first, allocateAndClose(1000, stream), "the other stream is busy");
    driver.finish(other);
    assertNotEquals(first, allocateAndClose(1000, driver.newStream()), "the own stream is busy");
    driver.finish(stream);
    pool.trim(0);
    assertEquals(0, driver.liveBytes());
  }

  @Test
  @DisplayName("the observer receives a free before its point is marked")
  void observerFirst() {
    Allocation allocation = pool.allocate(1000, stream);
    long address = allocation.getAddress();
    allocation.close();
    InOrder order = inOrder(driver.observer, driver.device);
    order.verify(driver.observer).allocated(address, 1000, stream);
    order.verify(driver.observer).freed(address, stream);
    order.verify(driver.device).createEvent();
  }

  @Test
  @DisplayName("a block that the observer refuses has no owner, and serves the next request")
  void observerFails() {
    IllegalStateException refusal = new IllegalStateException("closed");
    doThrow(refusal).when(driver.observer).allocated(anyLong(), eq(1000L), any());
    assertSame(
        refusal, assertThrows(IllegalStateException.class, () -> pool.allocate(1000, stream)));
    AllocatorStatistics after = pool.getStatistics();
    assertEquals(0, after.getLiveBytes());
    assertEquals(1000, after.cachedBytes());
    doNothing().when(driver.observer).allocated(anyLong(), eq(1000L), any());
    allocateAndClose(1000, stream);
    verify(driver.memory, times(1)).allocate(anyLong());
  }

  @Test
  @DisplayName("a free that the observer refuses is a free nevertheless")
  void deafToFree() {
    IllegalStateException refusal = new IllegalStateException("closed");
    Allocation allocation = pool.allocate(1000, stream);
    doThrow(refusal).when(driver.observer).freed(anyLong(), any());
    assertSame(refusal, assertThrows(IllegalStateException.class, allocation::close));
    assertEquals(0, pool.getStatistics().getLiveBytes());
    assertEquals(1000, pool.getStatistics().cachedBytes());
  }

  @Test
  @DisplayName("31 under pressure a stream waits for a block of another, and nothing is released")
  void stealsUnderPressure() {
    driver.capacity = 1000;
    long first = allocateAndClose(1000, stream);
    assertEquals(first, allocateAndClose(1000, other));
    verify(other, times(1)).waitFor(any(Event.class));
    verify(driver.memory, never()).free(anyLong());
    assertEquals(1, pool.getStatistics().steals());
    assertEquals(1, pool.getStatistics().retries());
  }

  @Test
  @DisplayName("24 under pressure only as many blocks are waited for as are needed, oldest first")
  void waitsForNoMoreThanNeeded() {
    driver.capacity = 4000;
    Stream[] busy = new Stream[4];
    long[] addresses = new long[4];
    for (int i = 0; i < busy.length; i++) {
      busy[i] = driver.newStream();
      addresses[i] = allocateAndClose(997 + i, busy[i]);
    }
    allocateAndClose(1900, other);
    verify(driver.memory).free(addresses[0]);
    verify(driver.memory).free(addresses[1]);
    verify(driver.memory, times(2)).free(anyLong());
    assertEquals(2, pool.getStatistics().synchronizations());
  }

  @Test
  @DisplayName("S3.3 bytes, peak and counts follow allocations and frees")
  void statistics() {
    Allocation first = pool.allocate(1000, stream);
    Allocation second = pool.allocate(500, other);
    first.close();
    AllocatorStatistics statistics = pool.getStatistics();
    assertEquals(500, statistics.allocated().current());
    assertEquals(1500, statistics.allocated().peak());
    assertEquals(2, statistics.allocations().added());
    assertEquals(1, statistics.allocations().removed());
    assertEquals(1000, statistics.cachedBytes());
    assertEquals(1, statistics.freeBlocks());
    second.close();
  }

  @Test
  @DisplayName("S3.6 closing reports what is out, and then frees what is cached")
  void closes() {
    Allocation live = pool.allocate(1000, stream);
    allocateAndClose(500, stream);
    IllegalStateException error = assertThrows(IllegalStateException.class, pool::close);
    assertTrue(String.valueOf(error.getMessage()).contains("1 open allocation of 1000 B"));
    live.close();
    pool.close();
    assertEquals(0, driver.liveBytes());
  }
}
