package org.vramkit.sim;

import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** Releases its lock while it waits, so it publishes before and receives after. */
// The loop is the caller's: this is the condition itself.
@SuppressWarnings("WaitNotInLoop")
final class HandOffCondition implements Condition {
  private final HandOff handOff;
  private final Condition condition;

  HandOffCondition(HandOff handOff, Condition condition) {
    this.handOff = handOff;
    this.condition = condition;
  }

  @Override
  public void await() throws InterruptedException {
    handOff.publish();
    try {
      condition.await();
    } finally {
      handOff.receive();
    }
  }

  @Override
  public void awaitUninterruptibly() {
    handOff.publish();
    condition.awaitUninterruptibly();
    handOff.receive();
  }

  @Override
  public long awaitNanos(long nanos) throws InterruptedException {
    handOff.publish();
    try {
      return condition.awaitNanos(nanos);
    } finally {
      handOff.receive();
    }
  }

  @Override
  public boolean await(long time, TimeUnit unit) throws InterruptedException {
    handOff.publish();
    try {
      return condition.await(time, unit);
    } finally {
      handOff.receive();
    }
  }

  @Override
  public boolean awaitUntil(Date deadline) throws InterruptedException {
    handOff.publish();
    try {
      return condition.awaitUntil(deadline);
    } finally {
      handOff.receive();
    }
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
