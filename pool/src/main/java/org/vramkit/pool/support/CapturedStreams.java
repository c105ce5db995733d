package org.vramkit.pool.support;

import java.util.Collection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.units.ByteSize;

/**
 * Which streams of a device are captured. They must not be asked or waited for, nor marked, and
 * their memory belongs in a private pool. Asks the driver only while some capture is under way.
 */
public final class CapturedStreams {
  private final Device device;
  private final @Nullable Graphs graphs;

  public CapturedStreams(Device device) {
    this.device = device;
    this.graphs = graphsOf(device);
  }

  /** The device whose captures these are. */
  public Device device() {
    return device;
  }

  /** Tells whether any stream is. */
  public boolean isAny() {
    return graphs != null && graphs.isAnyCapturing();
  }

  /** Tells whether this one is, which may be another device's. */
  public boolean has(Stream stream) {
    Graphs theirs = capturing(stream);
    return theirs != null && !stream.isClosed() && isCapturing(theirs, stream, false);
  }

  /**
   * Tells whether nothing can tell now how far this one has come: it is captured, or it is closed
   * while others are, when its whole device would have to be waited for.
   */
  public boolean isUnasked(Stream stream) {
    Graphs theirs = capturing(stream);
    return theirs != null && (stream.isClosed() || isCapturing(theirs, stream, true));
  }

  /** Asks the driver about a stream that another thread may close just now. */
  private static boolean isCapturing(Graphs graphs, Stream stream, boolean ifClosed) {
    try {
      return graphs.isCapturing(stream);
    } catch (ClosedException e) {
      if (stream.isClosed()) {
        return ifClosed;
      }
      throw e;
    }
  }

  /**
   * Tells whether a stream's work belongs to a graph: it is captured. What such work uses, each
   * launch of the graph will use.
   */
  public boolean hasAny(Collection<Stream> streams) {
    return isAny() && streams.stream().anyMatch(this::has);
  }

  /** Tells whether captures or graphs of any of these devices may still use memory. */
  public static boolean areAlive(Collection<Device> devices) {
    for (Device each : devices) {
      Graphs theirs = graphsOf(each);
      if (theirs != null && (theirs.isAnyCapturing() || theirs.hasOpenGraphs())) {
        return true;
      }
    }
    return false;
  }

  /** The graphs of its device; null where it cannot be captured now. */
  private @Nullable Graphs capturing(Stream stream) {
    if (graphs == null) {
      return null;
    }
    Device other = stream.getDevice();
    Graphs theirs = other == device ? graphs : graphsOf(other);
    return theirs != null && (graphs.isAnyCapturing() || theirs.isAnyCapturing()) ? theirs : null;
  }

  private static @Nullable Graphs graphsOf(Device device) {
    return device.supports(Capability.GRAPHS) ? device.getGraphs() : null;
  }

  /** Makes calls that the driver would refuse to a thread that captures. */
  @SuppressWarnings("try") // the relaxation is held, not used
  public <T> T relaxed(Supplier<T> calls) {
    if (graphs == null || !graphs.isAnyCapturing()) {
      return calls.get();
    }
    try (Graphs.Relaxation relaxation = graphs.relax()) {
      return calls.get();
    }
  }

  /** Makes calls that give nothing back, as {@link #relaxed} does. */
  public void relax(Runnable calls) {
    relaxed(
        () -> {
          calls.run();
          return calls;
        });
  }

  /** Hears when the first capture begins and when the last one has ended. */
  public void addListener(Runnable listener) {
    if (graphs != null) {
      graphs.addCaptureListener(listener);
    }
  }

  public void removeListener(Runnable listener) {
    if (graphs != null) {
      graphs.removeCaptureListener(listener);
    }
  }

  /**
   * Refuses what no device can do while a stream of it is captured, before that would spoil the
   * capture.
   *
   * @param wanted what, to follow "cannot"
   */
  public void requireNone(String wanted) {
    if (isAny()) {
      throw new CaptureException(
          "cannot " + wanted + " while a stream is captured: end the capture, and try again");
    }
  }

  /** Refuses memory in the order of a stream that is captured, from outside of a private pool. */
  public void refuseOutside(long bytes, Stream stream) {
    if (bytes > 0 && has(stream)) {
      throw new CaptureException(
          "cannot allocate "
              + ByteSize.format(bytes)
              + " on "
              + stream
              + " while it is captured: the graph would use the memory with each launch, also when"
              + " the allocation is closed and another owner has it; capture with"
              + " PrivatePool.capture, or allocate before the capture begins and close after the"
              + " last launch");
    }
  }
}
