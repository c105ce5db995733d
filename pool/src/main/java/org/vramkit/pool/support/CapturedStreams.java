package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
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
 * Determines which streams are captured. A captured stream must not be queried, marked or waited
 * for, and its memory comes from a private pool. Queries the driver only while a capture is in
 * progress.
 */
public final class CapturedStreams {
  private final Device device;
  private final @Nullable Graphs graphs;

  public CapturedStreams(Device device) {
    this.device = device;
    this.graphs = graphsOf(device);
  }

  public Device device() {
    return device;
  }

  /** Returns whether a stream of the device is captured, perhaps by a capture of another device. */
  public boolean isAny() {
    return graphs != null && graphs.isAnyCaptured();
  }

  /**
   * Returns whether a capture on any device is in progress, whose thread may make some calls only
   * in relaxed capture mode.
   */
  public boolean isAnywhere() {
    return graphs != null && device.getBackend().isAnyCapturing();
  }

  /** Returns whether a stream, possibly of another device, is captured. */
  public boolean has(Stream stream) {
    Graphs theirs = capturing(stream);
    return theirs != null && !stream.isClosed() && isCapturing(theirs, stream, false);
  }

  /**
   * Returns whether a stream must not be queried now: the stream is captured, or it is closed while
   * another stream is captured. The progress of a closed stream is known only after a wait for the
   * whole device, which would invalidate the capture.
   */
  public boolean isUnqueryable(Stream stream) {
    Graphs theirs = capturing(stream);
    return theirs != null && (stream.isClosed() || isCapturing(theirs, stream, true));
  }

  /** Queries a stream that another thread may be closing. */
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
   * Returns whether any of these streams is captured. Memory used by captured work is used again by
   * each launch of the graph.
   */
  public boolean hasAny(Collection<Stream> streams) {
    return !streams.isEmpty() && streams.stream().anyMatch(this::has);
  }

  /**
   * Returns whether any of these devices has a capture in progress or an open graph, which may
   * still use memory.
   */
  public static boolean mayStillUse(Collection<Device> devices) {
    for (Device each : devices) {
      Graphs theirs = graphsOf(each);
      if (theirs != null && (theirs.isAnyCaptured() || theirs.hasOpenGraphs())) {
        return true;
      }
    }
    return false;
  }

  /** Returns the graphs of the stream's device; null if the stream cannot be captured now. */
  private @Nullable Graphs capturing(Stream stream) {
    if (graphs == null) {
      return null;
    }
    Device other = stream.getDevice();
    Graphs theirs = other == device ? graphs : graphsOf(other);
    return theirs != null && theirs.isAnyCaptured() ? theirs : null;
  }

  private static @Nullable Graphs graphsOf(Device device) {
    return device.supports(Capability.GRAPHS) ? device.getGraphs() : null;
  }

  /** Makes calls that the driver would refuse to a capturing thread, in relaxed capture mode. */
  @SuppressWarnings("try") // the relaxation is held, not used
  public <T> T relaxed(Supplier<T> calls) {
    if (graphs == null || !isAnywhere()) {
      return calls.get();
    }
    try (Graphs.Relaxation relaxation = graphs.relax()) {
      return calls.get();
    }
  }

  /** Makes calls without a result in relaxed capture mode. */
  public void relax(Runnable calls) {
    relaxed(
        () -> {
          calls.run();
          return calls;
        });
  }

  /**
   * Adds a listener that is called when a first capture has streams of the device, or of another
   * one, and when the last of them has ended.
   */
  public void addListener(Runnable listener) {
    for (Graphs each : everyGraphs()) {
      each.addCaptureListener(listener);
    }
  }

  public void removeListener(Runnable listener) {
    for (Graphs each : everyGraphs()) {
      each.removeCaptureListener(listener);
    }
  }

  private List<Graphs> everyGraphs() {
    List<Graphs> all = new ArrayList<>();
    if (graphs != null) {
      all.add(graphs);
      for (Device each : device.getBackend().getDevices()) {
        Graphs theirs = each.getOrdinal() == device.getOrdinal() ? null : graphsOf(each);
        if (theirs != null) {
          all.add(theirs);
        }
      }
    }
    return all;
  }

  /**
   * Refuses an operation that would invalidate a capture in progress.
   *
   * @param wanted the operation, which follows "cannot" in the message
   */
  public void requireNone(String wanted) {
    if (isAny()) {
      throw new CaptureException(
          "cannot " + wanted + " while a stream is captured: end the capture, and try again");
    }
  }

  /** Refuses an allocation on a captured stream that does not come from a private pool. */
  public void refuseOutside(long bytes, Stream stream) {
    if (bytes > 0 && has(stream)) {
      throw new CaptureException(
          "cannot allocate "
              + ByteSize.format(bytes)
              + " on "
              + stream
              + " while it is captured: each launch of the graph would use the memory, even after"
              + " the allocation is closed and its memory reused; capture with"
              + " PrivatePool.capture, or allocate before the capture begins and close after the"
              + " last launch");
    }
  }
}
