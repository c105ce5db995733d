package org.vramkit.sim.thread;

import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.Experimental;

/**
 * An executor with one host thread, for replays and for programs that a search prints. The checker
 * treats it like a thread that the program starts itself, and assumes no {@linkplain
 * org.vramkit.sim.HandOff hand-off} between the caller and its tasks. A short program can therefore
 * show a missing hand-off. Unlike other executors it is terminated only once its thread has ended.
 * Safe for any thread.
 */
@Experimental
public final class SingleThread extends ThreadPoolExecutor {
  private volatile @Nullable Thread thread;

  /** Creates an executor with a thread of a factory. */
  public SingleThread(ThreadFactory threads) {
    super(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    Objects.requireNonNull(threads, "threads");
    setThreadFactory(
        work -> {
          Thread made = threads.newThread(work);
          thread = made;
          return made;
        });
    prestartCoreThread();
  }

  /** Creates an executor whose thread has a name, which reports show. */
  public static SingleThread named(String name) {
    Objects.requireNonNull(name, "name");
    return new SingleThread(loop -> new Thread(loop, name));
  }

  @Override
  public boolean isTerminated() {
    Thread worker = thread;
    return super.isTerminated() && (worker == null || !worker.isAlive());
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    Objects.requireNonNull(unit, "unit");
    long begun = System.nanoTime();
    if (!super.awaitTermination(timeout, unit)) {
      return false;
    }
    Thread worker = thread;
    if (worker != null) {
      unit.timedJoin(
          worker, timeout - unit.convert(System.nanoTime() - begun, TimeUnit.NANOSECONDS));
    }
    return isTerminated();
  }
}
