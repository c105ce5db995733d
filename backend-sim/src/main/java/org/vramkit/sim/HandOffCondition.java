package org.vramkit.sim;

import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** Releases its lock while it waits, so it publishes before and receives after. */
// The loop is the caller's: this is the condition itself.
@SuppressWarnings("WaitNotInLoop")
final class HandOffCondition implements Condition {
  /** One of the waits of a condition. */
  @FunctionalInterface
  private interface Wait<T> {
    T run() throws InterruptedException;
  }

  private final HandOff handOff;
  private final Condition condition;

  HandOffCondition(HandOff handOff, Condition condition) {
    this.handOff = handOff;
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
