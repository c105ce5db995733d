package org.vramkit.pool.support;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/**
 * A piece of memory that a {@link Lender} lends to one user after the other. Owned by one party at
 * a time: a user, or the lender.
 *
 * @param <K> what must be equal for it to serve a request
 */
public abstract class Piece<K> {
  final K key;
  final long size;

  /** The streams that use it beside its own, while a user has it. */
  public final StreamUses uses;

  /**
   * Tells whether a user has it. A field: who hands the piece out sets it last of all, by no call,
   * so that no error of the JVM comes between. What is not held is the lender's to give back at its
   * close.
   */
  public volatile boolean held;

  /** Tells whether no stream uses it any more; guarded by the lock of the store that has it. */
  boolean free;

  /** Tells whether it is found by its key; guarded likewise. */
  boolean listed;

  /** Creates a piece without memory. */
  protected Piece(K key, long size, StreamUses uses) {
    this.key = key;
    this.size = size;
    this.uses = uses;
  }

  /** Its key. */
  public final K key() {
    return key;
  }

  /** Its bytes, also once they have gone back. */
  public final long size() {
    return size;
  }

  /** The stream in whose order it is free; null if it belongs to none. */
  protected @Nullable Stream own() {
    return null;
  }

  /** Tells whether it can serve no request any more, because its stream is closed. */
  protected boolean isOrphan() {
    return false;
  }

  /**
   * Takes its memory; called once, without a lock.
   *
   * @throws DeviceOutOfMemoryException if there is none
   */
  protected abstract void fill();

  /**
   * Gives its memory back, without a lock. If that throws and the memory is not gone, the lender
   * keeps the piece.
   *
   * @param uses what it still waits for; empty unless the lender gives back what is in use
   */
  protected abstract void giveBack(List<StreamPoint> uses);

  /** Tells whether it has no memory: it went back, or never came. */
  protected abstract boolean isGone();
}
