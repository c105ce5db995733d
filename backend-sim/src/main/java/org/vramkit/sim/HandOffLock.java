package org.vramkit.sim;

import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** Hands over from the thread that releases a lock to the one that acquires it next. */
final class HandOffLock implements Lock {
  private final HandOff handOff;
  private final Lock lock;

  HandOffLock(HandOff handOff, Lock lock) {
    this.handOff = handOff;
    this.lock = lock;
  }

  @Override
  public void lock() {
    lock.lock();
    handOff.receive();
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    lock.lockInterruptibly();
    handOff.receive();
  }

  @Override
  public boolean tryLock() {
    return received(lock.tryLock());
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    return received(lock.tryLock(time, unit));
  }

  private boolean received(boolean taken) {
    if (taken) {
      handOff.receive();
    }
    return taken;
  }

  @Override
  public void unlock() {
    handOff.publish();
    lock.unlock();
  }

  @Override
  public Condition newCondition() {
    return new HandOffCondition(lock.newCondition());
  }

  @FunctionalInterface
  private interface Wait<T> {
    T run() throws InterruptedException;
  }

  /** Releases the lock during a wait, so it publishes before and receives after. */
  // This class is the condition itself; its callers wait in loops.
  @SuppressWarnings("WaitNotInLoop")
  private final class HandOffCondition implements Condition {
    private final Condition condition;

    HandOffCondition(Condition condition) {
      this.condition = condition;
    }

    private <T> T whileReleased(Wait<T> wait) throws InterruptedException {
      handOff.publish();
      try {
        return wait.run();
      } finally {
        handOff.receive();
      }
    }

    @Override
    public void await() throws InterruptedException {
      whileReleased(
          () -> {
            condition.await();
            return true;
          });
    }

    @Override
    public void awaitUninterruptibly() {
      handOff.publish();
      condition.awaitUninterruptibly();
      handOff.receive();
    }

    @Override
    public long awaitNanos(long nanos) throws InterruptedException {
      return whileReleased(() -> condition.awaitNanos(nanos));
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
      return whileReleased(() -> condition.await(time, unit));
    }

    @Override
    public boolean awaitUntil(Date deadline) throws InterruptedException {
      return whileReleased(() -> condition.awaitUntil(deadline));
    }

    @Override
    public void signal() {
      condition.signal();
    }

    @Override
    public void signalAll() {
      condition.signalAll();
    }
  }
}
