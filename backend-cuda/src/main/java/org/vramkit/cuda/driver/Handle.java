package org.vramkit.cuda.driver;

/**
 * A driver handle in a type of the binding: a context, stream, event, pool, graph, module or
 * kernel. Immutable.
 */
public interface Handle {

  /** Returns the driver's pointer; 0 for none. As a stream, 0 is the legacy default stream. */
  long getAddress();
}
