package org.vramkit.pool.support;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lease of a piece, wrapped by the handles of pools. The first thread that closes the lease
 * returns the piece.
 */
public final class Lease<P extends Piece<?>> {
  private final LeasePool<?, P> leases;
  private final AtomicReference<@Nullable P> piece;

  Lease(LeasePool<?, P> leases, P piece) {
    this.leases = leases;
    this.piece = new AtomicReference<>(piece);
  }

  /** Returns the piece; null once the lease is closed. */
  public @Nullable P piece() {
    return piece.get();
  }

  public boolean isClosed() {
    return piece.get() == null;
  }

  /**
   * Returns the piece to the pool. Idempotent.
   *
   * @param beforeReturn called with the piece before it may be leased again
   */
  public void close(Consumer<P> beforeReturn) {
    P held = piece.getAndSet(null);
    if (held != null) {
      leases.end(held, beforeReturn);
    }
  }
}
