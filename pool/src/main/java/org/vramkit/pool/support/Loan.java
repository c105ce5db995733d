package org.vramkit.pool.support;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A piece in the hands of one user, until closed; whichever thread closes it first gives the piece
 * back. What users hold is a handle around one.
 *
 * @param <P> the piece
 */
public final class Loan<P extends Piece<?>> {
  private final Lender<?, P> lender;
  private final Gate gate;
  private final AtomicReference<@Nullable P> piece;

  Loan(Lender<?, P> lender, P piece) {
    this.lender = lender;
    this.gate = lender.gate();
    this.piece = new AtomicReference<>(piece);
  }

  /** The piece; null once it is closed. */
  public @Nullable P piece() {
    return piece.get();
  }

  /** Tells whether it was closed. */
  public boolean isClosed() {
    return piece.get() == null;
  }

  /**
   * Gives the piece back; harmless when repeated.
   *
   * @param told takes note of the piece before it may be lent again
   */
  public void close(Consumer<P> told) {
    P held = piece.getAndSet(null);
    if (held != null) {
      held.held = false;
      try {
        lender.give(held, told);
      } catch (Error e) {
        gate.brokenBy = e;
        throw e;
      }
    }
  }
}
