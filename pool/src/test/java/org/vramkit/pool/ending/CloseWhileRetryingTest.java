package org.vramkit.pool.ending;

import static java.util.concurrent.TimeUnit.HOURS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.decorator.OutOfMemoryAttempt;
import org.vramkit.pool.decorator.RetryingAllocator;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("A close while a handler is asked whether to try again")
class CloseWhileRetryingTest {
  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimDevice device = backend.getDevice(0);
  private final SimStream stream = device.createStream();
  private final Allocator beneath = StreamOrderedPool.builder(device).build();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch decided = new CountDownLatch(1);
  private final RetryingAllocator retrying = RetryingAllocator.over(beneath, this::retry);
  private final ExecutorService threads = Executors.newSingleThreadExecutor();

  private boolean retry(OutOfMemoryAttempt attempt) {
    asked.countDown();
    try {
      return decided.await(1, HOURS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void assertNothingLost() throws InterruptedException {
    decided.countDown();
    threads.shutdown();
    assertTrue(threads.awaitTermination(1, HOURS), "a thread hangs");
    retrying.close();
    beneath.close();
    assertEquals(0, beneath.getStatistics().reserved().current());
    stream.close();
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }

  /** Takes half of all memory while something holds more than the other half. */
  private Future<Held> takeInVain(Subject subject) throws InterruptedException {
    Future<Held> taking = threads.submit(() -> subject.take(4 * ByteSize.GIB, stream));
    assertTrue(asked.await(1, HOURS));
    return taking;
  }

  private void refusedOnceClosed(Function<Allocator, Subject> pool)
      throws InterruptedException, TimeoutException {
    Allocation hoard = beneath.allocate(5 * ByteSize.GIB, stream);
    Subject subject = pool.apply(retrying);
    Future<Held> taking = takeInVain(subject);
    subject.close();
    hoard.close();
    decided.countDown();
    ExecutionException e = assertThrows(ExecutionException.class, () -> taking.get(1, HOURS));
    assertInstanceOf(ClosedException.class, e.getCause());
    subject.assertEnded();
    assertEquals(0, beneath.getStatistics().allocations().current());
  }

  @Test
  @DisplayName("17.2 ends a buffer pool: memory allocated late is returned")
  void buffers() throws InterruptedException, TimeoutException {
    refusedOnceClosed(BufferSubject::new);
  }

  @Test
  @DisplayName("17.2 ends a workspace pool: memory allocated late is returned")
  void workspaces() throws InterruptedException, TimeoutException {
    refusedOnceClosed(WorkspaceSubject::new);
  }

  @Test
  @DisplayName("17.2 is refused by an allocator, and changes nothing")
  void allocator() throws InterruptedException, ExecutionException, TimeoutException {
    Allocation hoard = beneath.allocate(5 * ByteSize.GIB, stream);
    Future<Held> taking = takeInVain(new AllocatorSubject(retrying));
    assertThrows(IllegalStateException.class, retrying::close);
    hoard.close();
    decided.countDown();
    taking.get(1, HOURS).close();
  }
}
