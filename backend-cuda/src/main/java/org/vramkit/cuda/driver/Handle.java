package org.vramkit.cuda.driver;

/**
 * An object of the driver that a binding keeps in a type of its own: a context, stream, event or
 * pool. Immutable.
 */
public interface Handle {

  /** The driver's pointer; 0 for none, which as a stream is the legacy default stream. */
  long getAddress();
}
