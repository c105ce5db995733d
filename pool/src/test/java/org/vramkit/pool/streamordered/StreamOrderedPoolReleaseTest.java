package org.vramkit.pool.streamordered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doNothing;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.DriverStub;
import org.vramkit.pool.support.HandleStream;

@DisplayName("StreamOrderedPool: what goes back to the driver")
class StreamOrderedPoolReleaseTest {
  private final DriverStub driver = new DriverStub();
  private final Stream stream = driver.newStream();
  private final AtomicLong clock = new AtomicLong();
  private final StreamOrderedPool pool =
      StreamOrderedPool.builder(driver.device)
          .decay(Duration.ofSeconds(1))
          .clock(clock::get)
          .build();

  private long allocateAndClose(long bytes) {
    try (Allocation allocation = pool.allocate(bytes, stream)) {
      return allocation.getAddress();
    }
  }

  @Test
  @DisplayName("S3.5 the default threshold keeps everything")
  void defaultKeepsAll() {
    driver.finish(stream);
    for (int i = 1; i <= 100; i++) {
      allocateAndClose(i);
    }
    assertEquals(5050, pool.getStatistics().cachedBytes());
    assertEquals(Long.MAX_VALUE, pool.getReleaseThreshold());
    verify(driver.memory, never()).free(anyLong());
  }

  @Test
  @DisplayName("S3.5 cached memory above the threshold returns at a free, oldest first")
  void thresholdAtFree() {
    driver.finish(stream);
    pool.setReleaseThreshold(2500);
    long oldest = allocateAndClose(1000);
    allocateAndClose(1001);
    verify(driver.memory, never()).free(anyLong());
    allocateAndClose(1002);
    verify(driver.memory).free(oldest);
    assertEquals(2003, pool.getStatistics().cachedBytes());
    assertEquals(2003, driver.liveBytes());
  }

  @Test
  @DisplayName("S3.5 a busy block above the threshold stays until a later free")
  void busyBlocksStay() {
    pool.setReleaseThreshold(0);
    long busy = allocateAndClose(1000);
    verify(driver.memory, never()).free(anyLong());
    driver.finish(stream);
    long next = allocateAndClose(1001);
    verify(driver.memory).free(busy);
    verify(driver.memory).free(next);
    verify(stream, never()).synchronize();
  }

  @Test
  @DisplayName("S3.5 a busy stream holds back no block of a closed one whose handle it has")
  void reusedHandle() {
    pool.setReleaseThreshold(0);
    HandleStream closed = new HandleStream(driver.device, 7);
    Allocation settled = pool.allocate(1000, closed);
    long address = settled.getAddress();
    driver.finish(closed);
    closed.close();
    HandleStream next = new HandleStream(driver.device, 7);
    pool.allocate(1001, next).close();
    settled.close();
    verify(driver.device, never()).synchronize();
    pool.allocate(1002, next).close();
    verify(driver.memory).free(address);
    assertEquals(2003, driver.liveBytes());
  }

  @Test
  @DisplayName("S3.5 setting the threshold trims at once")
  void settingTrims() {
    long oldest = allocateAndClose(1000);
    allocateAndClose(1001);
    pool.setReleaseThreshold(1500);
    verify(driver.memory).free(oldest);
    assertEquals(1001, pool.getStatistics().cachedBytes());
    assertThrows(InvalidArgumentException.class, () -> pool.setReleaseThreshold(-1));
    assertEquals(1500, pool.getReleaseThreshold());
  }

  @Test
  @DisplayName("S3.4 trimming the cache counts cached bytes, trimming counts live ones as well")
  void trims() {
    try (Allocation live = pool.allocate(5000, stream)) {
      allocateAndClose(1000);
      allocateAndClose(1001);
      allocateAndClose(1002);
      pool.trimCache(2500);
      assertEquals(2003, pool.getStatistics().cachedBytes());
      pool.trim(live.getSize() + 1500);
      assertEquals(1002, pool.getStatistics().cachedBytes());
      pool.trim(0);
      assertEquals(5000, pool.getStatistics().reserved().current());
      assertEquals(5000, driver.liveBytes());
    }
  }

  @Test
  @DisplayName(
      "S3 better: blocks that were not used for the decay time are returned at a" + " free")
  void decays() {
    driver.finish(stream);
    long old = allocateAndClose(1000);
    clock.addAndGet(Duration.ofMillis(600).toNanos());
    long younger = allocateAndClose(1001);
    clock.addAndGet(Duration.ofMillis(600).toNanos());
    allocateAndClose(1002);
    verify(driver.memory).free(old);
    verify(driver.memory, never()).free(younger);
  }

  @Test
  @DisplayName("a decay that is not longer than zero, or that no clock could count, is refused")
  void decayIsPositive() {
    StreamOrderedPoolBuilder builder = StreamOrderedPool.builder(driver.device);
    assertThrows(InvalidArgumentException.class, () -> builder.decay(Duration.ZERO));
    assertThrows(InvalidArgumentException.class, () -> builder.decay(Duration.ofNanos(-1)));
    InvalidArgumentException e =
        assertThrows(
            InvalidArgumentException.class,
            () -> builder.decay(Duration.ofSeconds(Long.MAX_VALUE)));
    assertTrue(e.toString().contains("at most 10000 days"), e.toString());
    builder.decay(Duration.ofDays(10_000)).build().close();
    assertThrows(InvalidArgumentException.class, () -> builder.releaseThreshold(-1));
  }

  @Test
  @DisplayName("memory that the driver refuses to free stays cached and is freed later")
  void failingFree() {
    driver.finish(stream);
    allocateAndClose(1000);
    allocateAndClose(1001);
    doThrow(new DriverException("free refused")).when(driver.memory).free(anyLong());
    assertThrows(DriverException.class, () -> pool.trim(0));
    assertEquals(2001, pool.getStatistics().cachedBytes());
    assertEquals(2001, pool.getStatistics().reserved().current());
    doNothing().when(driver.memory).free(anyLong());
    pool.trim(0);
    assertEquals(0, pool.getStatistics().reserved().current());
  }

  @Test
  @DisplayName("R7 without an event, as on a closed stream, the next take waits for the device")
  void noEventToBeHad() {
    Event refusing = mock(Event.class);
    doThrow(new ClosedException("stream is closed")).when(refusing).record(any(Stream.class));
    doThrow(new ClosedException("stream is closed")).when(stream).synchronize();
    Allocation allocation = pool.allocate(1000, stream);
    long address = allocation.getAddress();
    when(driver.device.createEvent()).thenReturn(refusing);
    allocation.close();
    verify(driver.device, never()).synchronize();
    try (Allocation next = pool.allocate(1000, driver.newStream())) {
      verify(driver.device, times(1)).synchronize();
      assertEquals(address, next.getAddress(), "settled: any stream may take it");
      doNothing().when(refusing).record(any(Stream.class));
    }
  }
}
