package org.vramkit.pool.support;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/**
 * A piece of memory that a {@link LeasePool} leases repeatedly. Owned by one party at a time, the
 * holder of a lease or the pool.
 *
 * @param <K> the key of requests that it serves
 */
public abstract class Piece<K> {
  final K key;
  final long size;

  /** The streams that use it beside its own, while it is leased. */
  public final StreamUses uses;

  /**
   * Returns whether a caller holds it. A field, set as the last step of a lease, without a call, so
   * that no JVM error can come in between. The close of a broken pool returns the pieces that are
   * not held.
   */
  public volatile boolean held;

  /** Returns whether no stream uses it; guarded by the lock of its store. */
  boolean free;

  /** Returns whether the store lists it by its key; guarded likewise. */
  boolean listed;

  /** Creates a piece without memory. */
  protected Piece(K key, long size, StreamUses uses) {
    this.key = key;
    this.size = size;
    this.uses = uses;
  }

  /** Returns the key. */
  public final K key() {
    return key;
  }

  /** Returns the size in bytes, even after the memory was returned. */
  public final long size() {
    return size;
  }

  /** Returns the stream in whose order it is free; null if there is none. */
  protected @Nullable Stream own() {
    return null;
  }

  /** Returns whether it can serve no request, because its stream is closed. */
  protected boolean isOrphan() {
    return false;
  }

  /**
   * Allocates the memory. Called once, without a lock.
   *
   * @throws DeviceOutOfMemoryException if there is too little memory
   */
  protected abstract void fill();

  /**
   * Returns the memory to its source. Called without a lock. If this throws and the memory is not
   * gone, the pool keeps the piece.
   *
   * @param uses points it still waits for; empty unless the pool returns pieces in use
   */
  protected abstract void giveBack(List<StreamPoint> uses);

  /** Returns whether it has no memory: it was returned, or never allocated. */
  protected abstract boolean isGone();
}
