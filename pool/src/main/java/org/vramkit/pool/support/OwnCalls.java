package org.vramkit.pool.support;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryObserver;

/**
 * Calls that a pool makes for its own sake: what it learns by them is not its user's, and a backend
 * that checks order hears so.
 */
public final class OwnCalls {
  private OwnCalls() {}

  /** Calls a device, or something of it. */
  public static void make(Device device, Runnable call) {
    make(device.getMemoryObserver(), call);
  }

  /** The same for a device by what it tells. */
  static void make(MemoryObserver observer, Runnable call) {
    observer.enterPool();
    try {
      call.run();
    } finally {
      observer.leavePool();
    }
  }
}
