package org.vramkit.jcuda;

import jcuda.driver.CUcontext;

/**
 * A context whose address can be read without reflection, because the current context is queried
 * around each call.
 */
final class ContextPointer extends CUcontext {

  long address() {
    return getNativePointer();
  }
}
