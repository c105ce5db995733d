package org.vramkit.pool.buffer;

import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.support.Loan;

/**
 * Elements of one type in device memory, until closed; closing twice is harmless, use after close
 * an error.
 */
public final class TypedBuffer extends ElementRange implements AutoCloseable {
  private final Loan<CachedBuffer> loan;

  /** Hands a buffer to its user. */
  TypedBuffer(Loan<CachedBuffer> loan, BufferKey key, long count) {
    super(key.type(), count);
    this.loan = loan;
    open().memory.handedOut(getSize(), key.stream());
  }

  /** Tells whether it was closed. */
  public boolean isClosed() {
    return loan.isClosed();
  }

  @Override
  CachedBuffer open() {
    CachedBuffer held = loan.piece();
    if (held == null) {
      throw new ClosedException(
          "the " + this,
          "its elements may be another's",
          "use it before its close, or take a new one");
    }
    return held;
  }

  @Override
  long first() {
    return 0;
  }

  /** Returns the buffer to its pool as of this point of its stream. */
  @Override
  public void close() {
    loan.close(held -> held.memory.takenBack(getSize(), held.key().stream()));
  }

  @Override
  public String toString() {
    return "buffer of " + getCount() + " " + getType();
  }
}
