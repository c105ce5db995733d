package org.vramkit.pool.support;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;

/**
 * Waits and queries that succeed when the backend is closed, because no work is left then. They
 * count for the pool alone; see {@link OwnCalls}. The devices and events must not be closed
 * otherwise, so that a {@link ClosedException} means just that.
 */
public final class Waits {
  private Waits() {}

  /**
   * Waits for all work of a device.
   *
   * @throws org.vramkit.api.error.FatalDeviceException if the device is lost
   */
  public static void awaitAll(Device device) {
    unlessClosed(device, device::synchronize);
  }

  /** Waits for the work before an event. */
  public static void await(Event event, Device device) {
    unlessClosed(device, event::synchronize);
  }

  /** Waits for the work of a stream; returns false if the stream is closed. */
  public static boolean awaitIfOpen(Stream stream) {
    try {
      OwnCalls.make(
          stream.getDevice(),
          () -> {
            Streams.requireOpen(stream);
            stream.synchronize();
          });
      return true;
    } catch (ClosedException e) {
      return false;
    }
  }

  private static void unlessClosed(Device device, Runnable wait) {
    try {
      OwnCalls.make(device, wait);
    } catch (ClosedException ended) {
      // The work has ended too.
    }
  }

  /** Returns whether the work before an event is done. Does not block. */
  public static boolean isOver(Event event, Device device) {
    MemoryObserver observer = device.getMemoryObserver();
    observer.enterPool();
    try {
      return event.isComplete();
    } catch (ClosedException ended) {
      return true;
    } finally {
      observer.leavePool();
    }
  }
}
