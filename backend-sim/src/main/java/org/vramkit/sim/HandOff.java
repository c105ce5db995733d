package org.vramkit.sim;

import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import org.vramkit.api.device.HostEdge;
import org.vramkit.sim.check.HostClock;

/**
 * Hands what one thread of the host has waited for to another. The simulator sees no locks, queues
 * and futures of Java, so a strict checker takes a thread that uses another one's results for one
 * that forgot to wait. Say where the program hands over: {@link #publish} before it does, {@link
 * #receive} after, or let a wrapper do both. What was published stays; safe for any thread.
 *
 * <pre>{@code
 * HandOff handOff = gpu.newHandOff();
 * Executor executor = handOff.executor(pool);
 * CompletableFuture<Void> done = CompletableFuture.runAsync(stream::synchronize, executor);
 * done.join();
 * handOff.receive();
 * }</pre>
 */
public final class HandOff implements HostEdge {
  private final Engine engine;
  private final HostClock left = new HostClock();

  HandOff(Engine engine) {
    this.engine = engine;
  }

  /** Leaves what the calling thread knows to be done, and what it did itself. */
  @Override
  public void publish() {
    engine.lock.lock();
    try {
      engine.checker.publish(left);
    } finally {
      engine.lock.unlock();
    }
  }

  /** Takes over all that was published. */
  @Override
  public void receive() {
    engine.lock.lock();
    try {
      engine.checker.receive(left);
    } finally {
      engine.lock.unlock();
    }
  }

  /** A task that begins with what this thread knows now, and publishes all that it learns. */
  public Runnable runnable(Runnable task) {
    publish();
    return () -> {
      begin();
      try {
        task.run();
      } finally {
        end();
      }
    };
  }

  /** A task that begins with what this thread knows now, and publishes all that it learns. */
  public <V> Callable<V> callable(Callable<V> task) {
    publish();
    return () -> {
      begin();
      try {
        return task.call();
      } finally {
        end();
      }
    };
  }

  /** At once, not in the end: a future is complete before the task that completes it returns. */
  private void begin() {
    engine.lock.lock();
    try {
      engine.checker.receive(left);
      engine.checker.publishTo(left);
    } finally {
      engine.lock.unlock();
    }
  }

  private void end() {
    engine.lock.lock();
    try {
      engine.checker.endPublishing();
    } finally {
      engine.lock.unlock();
    }
  }

  /** An executor that runs each task as {@link #runnable} does. */
  public Executor executor(Executor executor) {
    return task -> executor.execute(runnable(task));
  }

  /** A lock that receives when it is taken, and publishes when it is released. */
  public Lock lock(Lock lock) {
    return new HandOffLock(this, lock);
  }
}
