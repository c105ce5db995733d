package org.vramkit.sim;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** Hands over from whoever releases a lock to whoever takes it next. */
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
    return new HandOffCondition(handOff, lock.newCondition());
  }
}
