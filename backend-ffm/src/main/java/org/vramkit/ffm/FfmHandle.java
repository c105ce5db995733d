package org.vramkit.ffm;

import org.vramkit.cuda.driver.Handle;

/**
 * A driver pointer.
 *
 * @param getAddress the pointer itself
 */
record FfmHandle(long getAddress) implements Handle {
  /** The null handle: as a stream the legacy default stream, as a context none. */
  static final FfmHandle NONE = new FfmHandle(0);
}
