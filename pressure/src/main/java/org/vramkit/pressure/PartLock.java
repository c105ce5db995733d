package org.vramkit.pressure;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The reentrant lock of a part, which also tells whether the part is intact. An error of the JVM,
 * such as a stack overflow, may leave a change half done, so it breaks the part: later changes
 * throw the error of {@link #broken}, closes of what the part gave out have no more effect on it,
 * and the close of the part gives back what is still known. An overflow also leaves classes
 * unusable that were being initialized, so a {@link LinkageError} counts as well. Other errors are
 * a user's, and break nothing.
 *
 * <p>A stack overflow does not leave the lock held: an acquisition ends, and a release begins, with
 * the write of a field. A thread that should be woken may not be, so each looks for itself from
 * time to time.
 */
final class PartLock {
  private static final AtomicReferenceFieldUpdater<PartLock, @Nullable Thread> OWNER =
      AtomicReferenceFieldUpdater.newUpdater(PartLock.class, Thread.class, "owner");

  /** How often a thread looks that waits for the lock. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final String name;

  /**
   * The error that broke the part; null while it is intact. A method that catches an error writes
   * this field itself, because no stack may be left for a call.
   */
  volatile @Nullable Error brokenBy;

  private volatile @Nullable Thread owner;

  /** How often the owner holds the lock. */
  private int holds;

  private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();

  /** Stages that no thread may complete once the part is broken, each by a key of its own. */
  final Map<Object, CompletableFuture<?>> stages = new ConcurrentHashMap<>();

  /**
   * Creates the lock of an intact part.
   *
   * @param name the name of the part in messages
   */
  PartLock(String name) {
    this.name = name;
  }

  // ---- health ----

  boolean isBroken() {
    return brokenBy != null;
  }

  /**
   * Refuses a call to a broken part, and fails the stages that wait for it.
   *
   * @throws IllegalStateException if the part is broken
   */
  void requireIntact() {
    if (isBroken()) {
      failStages();
      throw broken();
    }
  }

  /** Fails the stages that wait for a broken part. */
  void failStages() {
    stages.forEach(
        (key, stage) -> {
          if (stages.remove(key) != null) {
            stage.completeExceptionally(broken());
          }
        });
  }

  /** Fails a stage once the part is broken, when the next call finds it so. */
  void watch(CompletableFuture<?> stage) {
    Object key = new Object();
    stages.put(key, stage);
    var unused = stage.whenComplete((result, error) -> stages.remove(key));
  }

  private IllegalStateException broken() {
    return new IllegalStateException(
        name
            + " is broken: an error of the JVM interrupted a call, so its state is unclear; close"
            + " everything acquired from it, then close it, and create a new one",
        brokenBy);
  }

  /** Performs a call of several changes, of which an error of the JVM may keep some. */
  <T extends @Nullable Object> T guard(Supplier<T> call) {
    try {
      return call.get();
    } catch (VirtualMachineError | LinkageError e) {
      brokenBy = e;
      throw e;
    }
  }

  void guard(Runnable call) {
    try {
      call.run();
    } catch (VirtualMachineError | LinkageError e) {
      brokenBy = e;
      throw e;
    }
  }

  // ---- changes and reads ----

  /**
   * Performs a change under the lock.
   *
   * @throws IllegalStateException if the part is broken
   */
  <T extends @Nullable Object> T change(Supplier<T> change) {
    requireIntact();
    return locked(
        () -> {
          if (isBroken()) {
            throw broken();
          }
          return guard(change);
        });
  }

  void run(Runnable change) {
    var unused =
        change(
            () -> {
              change.run();
              return change;
            });
  }

  /** Performs a change under the lock, unless the part is broken. */
  void runIfIntact(Runnable change) {
    var unused =
        locked(
            () -> {
              if (!isBroken()) {
                guard(change);
              }
              return change;
            });
  }

  /** Performs an action under the lock, even if the part is broken. */
  <T extends @Nullable Object> T locked(Supplier<T> action) {
    Thread caller = Thread.currentThread();
    if (caller != owner && !OWNER.compareAndSet(this, null, caller)) {
      await(caller);
    }
    holds++;
    try {
      return action.get();
    } finally {
      // No call before the release, because the stack may have ended here.
      if (--holds == 0) {
        owner = null;
        try {
          wakeNext();
        } catch (VirtualMachineError | LinkageError e) {
          // The action has its result, and waiting threads look for themselves.
        }
      }
    }
  }

  /** Waits until the caller owns the lock. An interrupt stays set, but does not end the wait. */
  private void await(Thread caller) {
    boolean isInterrupted = false;
    boolean isOver = false;
    try {
      while (!isOver) {
        waiting.add(caller);
        if (OWNER.compareAndSet(this, null, caller)) {
          waiting.remove(caller);
          isOver = true;
        } else {
          LockSupport.parkNanos(this, LOOK_NANOS);
          isInterrupted |= Thread.interrupted();
          waiting.remove(caller);
        }
      }
      if (isInterrupted) {
        caller.interrupt();
      }
    } catch (VirtualMachineError | LinkageError e) {
      if (caller == owner) {
        owner = null;
      }
      throw e;
    }
  }

  private void wakeNext() {
    Thread next = waiting.poll();
    if (next != null) {
      LockSupport.unpark(next);
    }
  }
}
