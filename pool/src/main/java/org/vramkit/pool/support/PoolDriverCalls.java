package org.vramkit.pool.support;

import java.util.function.Supplier;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;

/**
 * Marks driver calls that a pool makes for itself, so that a backend that checks order does not
 * count them as synchronization by the program.
 *
 * <p>After the backend is closed, waits return at once and {@link #isOver} returns true, because no
 * work is left. Callers must not pass closed events of an open backend, because a {@link
 * ClosedException} is taken to mean that the backend is closed.
 */
public final class PoolDriverCalls {
  private PoolDriverCalls() {}

  /** Makes calls to a device or its streams and events, also on a thread that captures a stream. */
  public static void make(Device device, Runnable call) {
    new CapturedStreams(device).relax(() -> make(device.getMemoryObserver(), call));
  }

  public static void make(MemoryObserver observer, Runnable call) {
    observer.enterPool();
    try {
      call.run();
    } finally {
      observer.leavePool();
    }
  }

  public static <T> T get(MemoryObserver observer, Supplier<T> call) {
    observer.enterPool();
    try {
      return call.get();
    } finally {
      observer.leavePool();
    }
  }

  /**
   * Waits for all work of a device.
   *
   * @throws org.vramkit.api.error.FatalDeviceException if the device is lost
   */
  public static void awaitAll(Device device) {
    unlessClosed(device, device::synchronize);
  }

  public static void await(Event event, Device device) {
    unlessClosed(device, event::synchronize);
  }

  /** Waits for the work of a stream; returns false if the stream is closed. */
  public static boolean awaitIfOpen(Stream stream) {
    try {
      make(
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
      make(device, wait);
    } catch (ClosedException ended) {
      // The work has ended too.
    }
  }

  /** Returns whether the work of an open stream is done. Does not block. */
  static boolean isIdle(Stream stream) {
    return new CapturedStreams(stream.getDevice()).relaxed(stream::isIdle);
  }

  /** Returns whether the work before an event is done. Does not block. */
  public static boolean isOver(Event event, Device device) {
    try {
      return new CapturedStreams(device)
          .relaxed(() -> get(device.getMemoryObserver(), event::isComplete));
    } catch (ClosedException ended) {
      return true;
    }
  }
}
