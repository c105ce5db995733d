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
  public final StreamUses uses;
  boolean free;
  boolean listed;

  protected Piece(K key, long size, StreamUses uses) {
    this.key = key;
    this.size = size;
    this.uses = uses;
  }

  public final K key() {
    return key;
  }

  public final long size() {
    return size;
  }

  public final boolean isFree() {
    return free;
  }

  protected @Nullable Stream own() {
    return null;
  }

  /**
   * Returns whether the piece should serve a stream rather than others, even while streams use it.
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

  protected void begin(@Nullable Stream stream) {}

  protected void end(List<Stream> users) {}

  protected boolean isOrphan() {
    return false;
  }

  protected abstract void fill();

  /**
   * Returns the memory to its source. Called without a lock. If this throws and the memory is not
   * gone, the pool keeps the piece.
   */
  protected abstract void giveBack(List<StreamPoint> uses);

  /** Returns whether the piece is an allocation that begins at an address of a device. */
  protected boolean isAllocatedAt(long address) {
    return false;
  }

  /** Returns whether the piece has no memory, because it was returned or never allocated. */
  protected abstract boolean isGone();
}
