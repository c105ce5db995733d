package org.vramkit.pool.caching.internal.stats;

/**
 * What a private pool took from the driver, entered in the books of all pools as well. A limit of
 * the pool's own comes on top of the one over all. What the heap compares, {@link #reserved} with
 * {@link #limit} and {@link #reservedPeak}, is that of all pools: so whatever keeps an allocator
 * below its limit or its peak keeps all of its pools together there.
 */
public final class PoolReservedMemory extends ReservedMemory {
  private final ReservedMemory total;
  private final long ownLimit;

  /**
   * Nothing is taken yet.
   *
   * @param pool the number of the private pool
   */
  public PoolReservedMemory(ReservedMemory total, long ownLimit, long pool) {
    super(ownLimit, total, total.observer.ofPool(pool));
    this.total = total;
    this.ownLimit = ownLimit;
  }

  /** Most that all pools may have reserved if only this one changes. */
  @Override
  public long limit() {
    long others = total.reserved() - held();
    long own = ownLimit > Long.MAX_VALUE - others ? Long.MAX_VALUE : ownLimit + others;
    return Math.min(own, total.limit());
  }

  @Override
  public long limitOfAll() {
    return total.limitOfAll();
  }

  @Override
  public long reserved() {
    return total.reserved();
  }

  @Override
  public long reservedPeak() {
    return total.reservedPeak();
  }

  @Override
  void add(long bytes, long count) {
    super.add(bytes, count);
    total.add(bytes, count);
  }

  @Override
  void remove(long bytes, long count) {
    super.remove(bytes, count);
    total.remove(bytes, count);
  }
}
