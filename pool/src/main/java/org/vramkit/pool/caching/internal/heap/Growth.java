package org.vramkit.pool.caching.internal.heap;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/** The outcome of a growth. */
public final class Growth {
  private @Nullable Block block;
  private @Nullable DeviceOutOfMemoryException refusal;

  /** The block; null if there was no memory for it. */
  public @Nullable Block block() {
    return block;
  }

  /** How the driver refused, if it did. */
  public @Nullable DeviceOutOfMemoryException refusal() {
    return refusal;
  }

  void got(@Nullable Block taken) {
    block = taken;
  }

  void refused(DeviceOutOfMemoryException by) {
    refusal = by;
  }
}
