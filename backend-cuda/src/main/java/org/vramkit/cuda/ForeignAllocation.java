package org.vramkit.cuda;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Memory of another library. The monitor guards the recorded uses and the close; the driver and the
 * owner's callback are called outside of it.
 */
final class ForeignAllocation implements Allocation {
  private final long address;
  private final long bytes;
  private final Stream stream;
  private final Runnable onClose;
  private final List<Stream> users = new ArrayList<>(0);
  private boolean closed;

  ForeignAllocation(long address, long bytes, Stream stream, Runnable onClose) {
    if (bytes < 0) {
      throw new InvalidArgumentException(
          "the size of foreign memory must be 0 or more bytes, not" + " " + bytes);
    }
    this.address = address;
    this.bytes = bytes;
    this.stream = stream;
    this.onClose = onClose;
  }

  @Override
  public synchronized long getAddress() {
    requireOpen();
    return address;
  }

  @Override
  public long getSize() {
    return bytes;
  }

  @Override
  public Stream getStream() {
    return stream;
  }

  @Override
  public synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public synchronized void recordUse(Stream user) {
    requireOpen();
    if (!user.getDevice().equals(stream.getDevice())) {
      throw new InvalidArgumentException(
          user
              + " is not a stream of "
              + stream.getDevice()
              + ", whose memory this is; record a"
              + " stream of that device");
    }
    if (!areSame(user, stream) && users.stream().noneMatch(each -> areSame(user, each))) {
      users.add(user);
    }
  }

  /**
   * Returns whether two objects are the same stream. Equality counts only while both are open,
   * because the driver may reuse the handle of a closed stream.
   */
  @SuppressWarnings("ReferenceEquality")
  private static boolean areSame(Stream one, Stream other) {
    return one == other || (one.equals(other) && !one.isClosed() && !other.isClosed());
  }

  private void requireOpen() {
    if (closed) {
      throw new ClosedException(
          "foreign memory at 0x" + Long.toHexString(address),
          "its owner may reuse it",
          "use it before closing it, or wrap it again");
    }
  }

  /**
   * Orders the memory's stream after every recorded use, and returns the memory to its owner.
   *
   * @throws CaptureException if a capture has a stream that would be marked or made to wait, which
   *     would draw the memory's stream into the capture or invalidate it; the memory stays open
   */
  @Override
  public void close() {
    requireNoneCaptured();
    List<Stream> last;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      last = List.copyOf(users);
    }
    try {
      Batch.forEach(last, this::waitFor);
    } finally {
      onClose.run();
    }
  }

  private void requireNoneCaptured() {
    List<Stream> all = new ArrayList<>();
    synchronized (this) {
      if (closed || users.isEmpty()) {
        return;
      }
      all.addAll(users);
    }
    all.add(stream);
    Device device = stream.getDevice();
    if (!device.supports(Capability.GRAPHS) || !device.getGraphs().isAnyCaptured()) {
      return;
    }
    for (Stream each : all) {
      // A closed stream is waited for with its device, which would invalidate any capture.
      if (each.isClosed() || device.getGraphs().isCapturing(each)) {
        throw new CaptureException(
            "cannot close "
                + this
                + " while a stream is captured: its owner's stream cannot be ordered after "
                + each
                + "; end the capture, and close it after the last launch of the graph");
      }
    }
  }

  /**
   * Orders the memory's stream after another one. Waits for the device if that fails, because one
   * of the two is closed or no event can be created.
   */
  private void waitFor(Stream user) {
    try (Event passed = user.getDevice().createEvent()) {
      passed.record(user);
      stream.waitFor(passed);
    } catch (GpuException | ClosedException orderedByWaiting) {
      waitForAll(user.getDevice());
    }
  }

  private static void waitForAll(Device device) {
    try {
      device.synchronize();
    } catch (FatalDeviceException | ClosedException gone) {
      // No work can use the memory any more; the owner's callback must still run.
    }
  }

  @Override
  public String toString() {
    return "foreign memory of " + bytes + " bytes at 0x" + Long.toHexString(address);
  }
}
