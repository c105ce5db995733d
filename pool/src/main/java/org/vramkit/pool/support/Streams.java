package org.vramkit.pool.support;

import org.vramkit.api.device.Stream;

/** Questions about streams. */
public final class Streams {
  private Streams() {}

  /**
   * Whether work on one is surely in order with work on the other. Compares objects, not handles: a
   * driver may give the handle of a closed stream, whose work still runs, to a new one.
   */
  @SuppressWarnings("ReferenceEquality")
  public static boolean areSame(Stream one, Stream other) {
    return one == other
        || (one.isDefault() && other.isDefault() && one.getDevice() == other.getDevice());
  }

  /** The name of a stream in statistics and messages. */
  public static String nameOf(Stream stream) {
    return "0x" + Long.toHexString(stream.getHandle());
  }
}
