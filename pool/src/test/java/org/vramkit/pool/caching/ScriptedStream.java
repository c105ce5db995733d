package org.vramkit.pool.caching;

import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.pool.support.HandleStream;

/** A stream whose work is numbered, and done when a test says so. Safe for any thread. */
public final class ScriptedStream extends HandleStream {
  private final AtomicLong submitted = new AtomicLong();
  private volatile long done;

  public ScriptedStream(ScriptedDevice device, long handle) {
    super(device, handle);
  }

  /** One more piece of work; returns its number, from 1. */
  public long submit() {
    return submitted.incrementAndGet();
  }

  public long submitted() {
    return submitted.get();
  }

  /** All that was submitted so far is done. */
  public void finish() {
    done = submitted.get();
  }

  /** Whether the piece of work with this number is done. */
  public boolean isDone(long number) {
    return done >= number;
  }

  @Override
  public boolean isIdle() {
    return isDone(submitted.get());
  }

  @Override
  public void synchronize() {
    finish();
  }
}
