package org.vramkit.pool.buffer;

import org.vramkit.api.units.Count;

/** A slice of a buffer. */
final class BufferSlice extends ElementRange {
  private final ElementRange whole;
  private final long from;

  BufferSlice(ElementRange whole, long from, long length) {
    super(whole.getType(), length);
    this.whole = whole;
    this.from = from;
  }

  @Override
  CachedBuffer open() {
    return whole.open();
  }

  @Override
  long first() {
    return whole.first() + from;
  }

  @Override
  public String toString() {
    return "slice of " + Count.of(getCount(), "element") + " at " + from + " of " + whole;
  }
}
