package org.vramkit.jcuda;

import jcuda.Pointer;

/** A host pointer whose address can be read. */
final class HostPointer extends Pointer {

  /** Creates a pointer that a call fills. */
  HostPointer() {}

  HostPointer(long address) {
    super(address);
  }

  long address() {
    return getNativePointer();
  }
}
