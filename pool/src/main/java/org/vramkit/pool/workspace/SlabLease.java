package org.vramkit.pool.workspace;

import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.support.Loan;

/** A slab in use. */
final class SlabLease implements WorkspaceLease {
  private final Loan<Slab> loan;
  private final long size;

  /** Hands a slab to its user on a stream. */
  SlabLease(Loan<Slab> loan, long size, Stream stream) {
    this.loan = loan;
    this.size = size;
    open().lease(stream);
  }

  @Override
  public long getAddress() {
    return open().memory.getAddress();
  }

  @Override
  public long getSize() {
    return open().size();
  }

  private Slab open() {
    Slab held = loan.piece();
    if (held == null) {
      throw new ClosedException(
          "the lease of a workspace of " + size + " bytes",
          "its slab may be another's",
          "use it before its close, or acquire a new one");
    }
    return held;
  }

  @Override
  public void close() {
    loan.close(Slab::endLease);
  }

  @Override
  public String toString() {
    return (loan.isClosed() ? "closed lease of " : "lease of ") + size + " bytes";
  }
}
