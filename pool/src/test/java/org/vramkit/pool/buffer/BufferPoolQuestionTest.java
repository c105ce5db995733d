package org.vramkit.pool.buffer;

import static java.util.concurrent.TimeUnit.HOURS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.support.DriverStub;

/** The driver is a stub here, as the simulator answers at once. */
@DisplayName("A pool of typed buffers that asks the driver")
class BufferPoolQuestionTest {

  @Test
  @DisplayName("17.7 lets hits and returns of other threads pass meanwhile")
  void hitWhileAsking() throws InterruptedException, ExecutionException, TimeoutException {
    CountDownLatch asking = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    DriverStub driver = new DriverStub();
    Event event = mock(Event.class);
    when(event.isComplete())
        .thenAnswer(
            call -> {
              asking.countDown();
              return answered.await(1, HOURS);
            });
    when(driver.device.createEvent()).thenReturn(event);
    Stream stream = driver.newStream();
    Allocator allocator = DirectAllocator.builder(driver.device).build();
    BufferPool pool = BufferPool.create(allocator);
    TypedBuffer used = pool.acquire(ElementType.INT8, 256, stream);
    TypedBuffer plain = pool.acquire(ElementType.INT64, 256, stream);
    used.recordUse(driver.newStream());
    used.close();
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Future<TypedBuffer> asker = threads.submit(() -> pool.acquire(ElementType.INT8, 256, stream));
      assertTrue(asking.await(1, HOURS));
      threads
          .submit(
              () -> {
                plain.close();
                pool.acquire(ElementType.INT64, 256, stream).close();
              })
          .get(1, HOURS);
      answered.countDown();
      asker.get(1, HOURS).close();
      assertEquals(2, pool.getStatistics().hits());
    } finally {
      answered.countDown();
      threads.shutdown();
      assertTrue(threads.awaitTermination(1, HOURS), "a thread hangs");
    }
    pool.close();
    allocator.close();
  }
}
