package org.vramkit.cuda.driver;

import java.nio.ByteBuffer;

/** The packed arguments of a launch, in native memory of the binding. For one launch at a time. */
public interface ParameterSpace {

  /** Returns the bytes, in native order. The same object each time. */
  ByteBuffer bytes();
}
