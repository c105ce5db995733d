package org.vramkit.pool.pinned;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.support.DriverStub;

/** The driver is a stub here, as the simulator's waits take no real time. */
@DisplayName("A pool of page-locked buffers that waits for a copy")
class PinnedPoolWaitTest {
  private static final long SMALL = 4096;

  private final DriverStub driver = new DriverStub();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  /** Counted down by whoever waits for the copy. */
  private final CountDownLatch waiting = new CountDownLatch(1);

  /** Counted down by the test when the copy is done. */
  private final CountDownLatch copied = new CountDownLatch(1);

  @BeforeEach
  void prepareDriver() {
    PinnedMemory memory = mock(PinnedMemory.class);
    when(memory.allocate(anyLong())).thenAnswer(call -> pinned(call.getArgument(0)));
    when(driver.device.getPinnedMemory()).thenReturn(memory);
    when(driver.device.createEvent()).thenAnswer(call -> copyEvent());
  }

  private static PinnedBuffer pinned(long bytes) {
    PinnedBuffer memory = mock(PinnedBuffer.class);
    when(memory.getSize()).thenReturn(bytes);
    return memory;
  }

  private Event copyEvent() {
    Event event = mock(Event.class);
    when(event.isComplete()).thenAnswer(call -> copied.getCount() == 0);
    doAnswer(
            call -> {
              waiting.countDown();
              assertTrue(copied.await(1, HOURS), "the copy never ends");
              return null;
            })
        .when(event)
        .synchronize();
    return event;
  }

  @AfterEach
  void stopThreads() throws InterruptedException {
    copied.countDown();
    threads.shutdown();
    assertTrue(threads.awaitTermination(1, HOURS), "a thread hangs");
  }

  /** One buffer of 1 MiB, closed with its copy under way. */
  private void startCopy(PinnedPool pool) {
    PooledPinnedBuffer copying = pool.acquire(MIB);
    copying.recordUse(driver.newStream());
    copying.close();
  }

  private Future<PooledPinnedBuffer> takeElsewhere(PinnedPool pool, long bytes) {
    return threads.submit(() -> pool.acquire(bytes));
  }

  @Test
  @DisplayName("lets hits and returns of other threads pass meanwhile")
  void hitMeanwhile() throws InterruptedException, ExecutionException, TimeoutException {
    PinnedPool pool = PinnedPool.builder(driver.device).byteLimit(MIB + SMALL).build();
    PooledPinnedBuffer small = pool.acquire(SMALL);
    startCopy(pool);
    Future<PooledPinnedBuffer> waiter = takeElsewhere(pool, MIB / 2);
    assertTrue(waiting.await(1, HOURS));
    threads
        .submit(
            () -> {
              small.close();
              pool.acquire(SMALL).close();
            })
        .get(1, HOURS);
    assertEquals(1, pool.getHits());
    assertEquals(MIB + SMALL, pool.getLockedBytes());
    copied.countDown();
    waiter.get(1, HOURS).close();
    pool.close();
    assertEquals(0, pool.getLockedBytes());
  }

  @Test
  @DisplayName("17.7 lets hits and returns pass while it asks the driver, too")
  void hitWhileAsking() throws InterruptedException, ExecutionException, TimeoutException {
    CountDownLatch asking = new CountDownLatch(1);
    PinnedPool pool = PinnedPool.create(driver.device);
    PooledPinnedBuffer small = pool.acquire(SMALL);
    Event event = copyEvent();
    when(event.isComplete())
        .thenAnswer(
            call -> {
              asking.countDown();
              return copied.await(1, HOURS);
            });
    when(driver.device.createEvent()).thenReturn(event);
    startCopy(pool);
    Future<PooledPinnedBuffer> asker = takeElsewhere(pool, MIB);
    assertTrue(asking.await(1, HOURS));
    threads
        .submit(
            () -> {
              small.close();
              pool.acquire(SMALL).close();
            })
        .get(1, HOURS);
    copied.countDown();
    asker.get(1, HOURS).close();
    assertEquals(2, pool.getHits());
    pool.close();
    assertEquals(0, pool.getLockedBytes());
  }

  @Test
  @DisplayName("serves one of two threads that want the same, and refuses the other")
  void twoWaiters() throws InterruptedException, ExecutionException, TimeoutException {
    PinnedPool pool = PinnedPool.builder(driver.device).byteLimit(MIB).build();
    startCopy(pool);
    Future<PooledPinnedBuffer> one = takeElsewhere(pool, MIB);
    assertTrue(waiting.await(1, HOURS));
    Future<PooledPinnedBuffer> other = takeElsewhere(pool, MIB);
    assertThrows(TimeoutException.class, () -> other.get(100, MILLISECONDS));
    copied.countDown();
    List<PooledPinnedBuffer> served = new ArrayList<>();
    for (Future<PooledPinnedBuffer> each : List.of(one, other)) {
      try {
        served.add(each.get(1, HOURS));
      } catch (ExecutionException e) {
        assertInstanceOf(DeviceOutOfMemoryException.class, e.getCause());
      }
    }
    assertEquals(1, served.size());
    assertEquals(1, pool.getHits(), "what came free has the right size");
    served.get(0).close();
    pool.close();
    assertEquals(0, pool.getLockedBytes());
  }

  @Test
  @DisplayName("is closed only once that wait is over, and hands nothing out any more")
  void closedMeanwhile() throws InterruptedException, ExecutionException, TimeoutException {
    PinnedPool pool = PinnedPool.builder(driver.device).byteLimit(MIB).build();
    startCopy(pool);
    Future<PooledPinnedBuffer> waiter = takeElsewhere(pool, MIB / 2);
    assertTrue(waiting.await(1, HOURS));
    Future<?> closing = threads.submit(pool::close);
    assertThrows(TimeoutException.class, () -> closing.get(100, MILLISECONDS));
    copied.countDown();
    closing.get(1, HOURS);
    assertEquals(0, pool.getLockedBytes());
    ExecutionException e = assertThrows(ExecutionException.class, () -> waiter.get(1, HOURS));
    assertInstanceOf(ClosedException.class, e.getCause());
  }
}
