package org.vramkit.pool.support;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;

/**
 * A piece of memory that a {@link LeasePool} leases repeatedly. Owned by the holder of its lease,
 * or by the pool.
 *
 * @param <K> type of the key; a piece serves requests with an equal key
 */
public abstract class Piece<K> {
  final K key;
  final long size;

  /** The streams that use the leased piece in addition to its own stream. */
  public final StreamUses uses;

  /** True if the piece is in the store and no stream uses it. Guarded by the store's lock. */
  boolean free;

  /** True if the store lists the piece by its key. Guarded by the store's lock. */
  boolean listed;

  protected Piece(K key, long size, StreamUses uses) {
    this.key = key;
    this.size = size;
    this.uses = uses;
  }

  public final K key() {
    return key;
  }

  /** Returns the size in bytes, even after the memory was returned. */
  public final long size() {
    return size;
  }

  /** Returns whether no recorded stream uses the piece. Called under the store's lock. */
  public final boolean isFree() {
    return free;
  }

  /** Returns the stream in whose order the piece can be reused; null if there is none. */
  protected @Nullable Stream own() {
    return null;
  }

  /**
   * Returns whether the piece should serve a stream rather than others, even while streams use it.
   *
   * @param stream stream of the request; null for none
   */
  protected boolean isPreferredBy(@Nullable Stream stream) {
    return false;
  }

  protected boolean suits(@Nullable Stream stream) {
    return true;
  }

  /**
   * Returns whether the piece waits for its own stream after a lease, because any stream may take
   * it and does not order itself after the lease.
   */
  protected boolean waitsForOwn() {
    return false;
  }

  /** Begins a lease on a stream, or on none. */
  protected void begin(@Nullable Stream stream) {}

  /**
   * Ends a lease. Called before the pool has the piece again.
   *
   * @param users streams that were recorded
   */
  protected void end(List<Stream> users) {}

  /** Returns whether the piece can serve no request, because its stream is closed. */
  protected boolean isOrphan() {
    return false;
  }

  /**
   * Allocates the memory. Called once, without a lock.
   *
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
   */
  protected abstract void fill();

  /**
   * Returns the memory to its source. Called without a lock. If this throws and the memory is not
   * gone, the pool keeps the piece.
   *
   * @param uses points that the piece still waits for; empty unless the pool returns pieces in use
   */
  protected abstract void giveBack(List<StreamPoint> uses);

  /** Returns whether the piece is an allocation that begins at an address of a device. */
  protected boolean isAllocatedAt(long address) {
    return false;
  }

  /** Returns whether the piece has no memory, because it was returned or never allocated. */
  protected abstract boolean isGone();
}
