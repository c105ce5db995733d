package org.vramkit.pool.support;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;

/**
 * Waits and questions that end well when the backend is closed: no call answers then, and no work
 * is left to wait for. What they teach is the pool's own. For devices and events that no one else
 * closes, so that a {@link ClosedException} can mean nothing else.
 */
public final class Waits {
  private Waits() {}

  /**
   * Waits until all work of a device is done.
   *
   * @throws org.vramkit.api.error.FatalDeviceException if the device is lost
   */
  public static void awaitAll(Device device) {
    unlessClosed(device, device::synchronize);
  }

  /** Waits until all work before the mark of an event of a device is done. */
  public static void await(Event event, Device device) {
    unlessClosed(device, event::synchronize);
  }

  /** Waits until all that a stream was given is done; returns false if it is closed. */
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
      // So has the work.
    }
  }

  /**
   * Tells whether all work before the mark of an event of a device is done; asks the driver without
   * blocking.
   */
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
