package org.vramkit.partition.scatter;

import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.api.device.Stream;

/** Faults of guided scatters. */
final class GuidedFaults {
  private GuidedFaults() {}

  /** A clock that the test advances. */
  static final class HandClock implements ScatterClock {
    final AtomicLong now = new AtomicLong();

    @Override
    public long nanoTime() {
      return System.nanoTime() + now.get();
    }

    @Override
    public void await(Stream stream) {
      stream.synchronize();
    }
  }
}
