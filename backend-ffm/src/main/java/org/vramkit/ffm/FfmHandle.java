package org.vramkit.ffm;

import org.vramkit.cuda.driver.Handle;

/**
 * A pointer of the driver's.
 *
 * @param getAddress the pointer itself
 */
record FfmHandle(long getAddress) implements Handle {
  /** No object: as a stream the legacy default one, as a context none. */
  static final FfmHandle NONE = new FfmHandle(0);
}
