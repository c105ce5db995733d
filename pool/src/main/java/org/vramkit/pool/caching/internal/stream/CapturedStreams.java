package org.vramkit.pool.caching.internal.stream;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.CaptureException;
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

  /** Whether any stream is. */
  public boolean isAny() {
    return graphs != null && graphs.isAnyCapturing();
  }

  /** Whether this one is, which may be another device's. */
  public boolean has(Stream stream) {
    Graphs theirs = capturing(stream);
    return theirs != null && !stream.isClosed() && theirs.isCapturing(stream);
  }

  /**
   * Whether nothing can tell now how far this one has come: it is captured, or it is closed while
   * others are, when its whole device would have to be waited for.
   */
  public boolean isUnasked(Stream stream) {
    Graphs theirs = capturing(stream);
    return theirs != null && (stream.isClosed() || theirs.isCapturing(stream));
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

  /** Refuses memory in the order of a stream that is captured, from outside of a private pool. */
  public void refuseOutside(long bytes, Stream stream) {
    if (bytes > 0 && has(stream)) {
      throw new CaptureException(
          "cannot allocate "
              + ByteSize.format(bytes)
              + " on "
              + stream
              + " while it is captured: the graph would use the memory with each launch, also when"
              + " the allocation is closed and somebody else has it; capture with"
              + " PrivatePool.capture, or allocate before the capture begins and close after the"
              + " last launch");
    }
  }
}
