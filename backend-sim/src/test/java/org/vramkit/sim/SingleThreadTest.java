package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.thread.SingleThread;

@DisplayName("An executor with one host thread at a time")
class SingleThreadTest {
  @Test
  @DisplayName("refuses a factory that returns null, and names it")
  void factoryOfNull() {
    ThreadFactory none =
        new ThreadFactory() {
          @Override
          @SuppressWarnings("NullAway") // what the test is about
          public Thread newThread(Runnable work) {
            return null;
          }

          @Override
          public String toString() {
            return "none";
          }
        };
    NullPointerException refused =
        assertThrows(NullPointerException.class, () -> new SingleThread(none));
    assertEquals("the thread factory none returned null", refused.getMessage());
  }

  @Test
  @DisplayName("rejects a task after its shutdown by the name of its thread")
  void rejection() throws Exception {
    SingleThread thread = SingleThread.named("uploads");
    thread.shutdown();
    assertTrue(thread.awaitTermination(1, TimeUnit.HOURS));
    RejectedExecutionException rejected =
        assertThrows(RejectedExecutionException.class, () -> thread.execute(() -> {}));
    assertEquals("uploads was shut down; submit tasks before the shutdown", rejected.getMessage());
  }

  @Test
  @DisplayName("replaces a thread whose task threw, and is terminated once both have ended")
  void replacedThread() throws Exception {
    BlockingQueue<RuntimeException> thrown = new LinkedBlockingQueue<>();
    CountDownLatch end = new CountDownLatch(1);
    List<Thread> made = new CopyOnWriteArrayList<>();
    SingleThread executor =
        new SingleThread(
            work -> {
              Thread thread = new Thread(() -> performAndLinger(work, thrown, end));
              made.add(thread);
              return thread;
            });
    executor.execute(
        () -> {
          throw new IllegalStateException("ends the first thread");
        });
    Thread second = executor.submit(Thread::currentThread).get();
    assertEquals("ends the first thread", thrown.take().getMessage());
    assertEquals(List.of(made.get(0), second), made);
    executor.shutdown();
    second.join();
    assertFalse(executor.isTerminated(), "the first thread is alive");
    end.countDown();
    assertTrue(executor.awaitTermination(1, TimeUnit.HOURS));
    assertFalse(made.get(0).isAlive());
  }

  /** Performs the work of a thread that, if it throws, stays alive until a latch opens. */
  private static void performAndLinger(
      Runnable work, BlockingQueue<RuntimeException> thrown, CountDownLatch end) {
    try {
      work.run();
    } catch (IllegalStateException e) {
      thrown.add(e);
      try {
        end.await();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
