package org.vramkit.interop;

import org.vramkit.api.Experimental;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.ElementType;

/**
 * A tensor of another library's, until it is closed. Made by {@link Dlpack#wrap}. Safe for any
 * thread.
 */
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

  /** Its memory; compact, the last dimension varies fastest. */
  public Allocation getAllocation() {
    return allocation;
  }

  /** How many elements each dimension has; empty for a single element. */
  public long[] getShape() {
    return shape.clone();
  }

  /** The type of its elements; that of a signed integer for an unsigned one. */
  public ElementType getType() {
    return type;
  }

  /** Returns whether its owner forbids writes. */
  public boolean isReadOnly() {
    return readOnly;
  }

  /** Gives it back to its owner, in the order of its stream. Harmless when repeated. */
  @Override
  public void close() {
    allocation.close();
  }
}
