package org.vramkit.interop;

import org.vramkit.api.Experimental;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.ElementType;

/** A tensor of another library, which {@link Dlpack#wrap} has wrapped. Safe for any thread. */
@Experimental
public final class DlpackTensor implements AutoCloseable {
  private final Allocation allocation;
  private final long[] shape;
  private final ElementType type;
  private final boolean readOnly;

  DlpackTensor(Allocation allocation, long[] shape, ElementType type, boolean readOnly) {
    this.allocation = allocation;
    this.shape = shape;
    this.type = type;
    this.readOnly = readOnly;
  }

  /**
   * Returns the memory of the tensor. Its elements are contiguous, and the last dimension varies
   * fastest.
   */
  public Allocation getAllocation() {
    return allocation;
  }

  /** Returns the size of each dimension; empty for a single element. */
  public long[] getShape() {
    return shape.clone();
  }

  /**
   * Returns the type of the elements. For unsigned integers this is the signed type of the same
   * width.
   */
  public ElementType getType() {
    return type;
  }

  /** Returns whether the owner forbids writes. */
  public boolean isReadOnly() {
    return readOnly;
  }

  /**
   * Calls the tensor's deleter once recorded uses are ordered before the stream. Repeated calls
   * have no effect.
   */
  @Override
  public void close() {
    allocation.close();
  }
}
