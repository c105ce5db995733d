package org.vramkit.pool.support;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryObserver;

/**
 * Marks driver calls that a pool makes for itself, so that a backend that checks order does not
 * credit them to the program.
 */
public final class OwnCalls {
  private OwnCalls() {}

  /** Makes calls to a device or its objects. */
  public static void make(Device device, Runnable call) {
    make(device.getMemoryObserver(), call);
  }

  /** Makes calls to the device of an observer. */
  static void make(MemoryObserver observer, Runnable call) {
    observer.enterPool();
    try {
      call.run();
    } finally {
      observer.leavePool();
    }
  }
}
