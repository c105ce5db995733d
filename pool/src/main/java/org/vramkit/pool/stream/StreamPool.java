package org.vramkit.pool.stream;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.units.Count;

/**
 * A fixed number of streams of a device, used round-robin. Use a pool for concurrent work, instead
 * of creating a stream each time. If there are more callers than streams, callers share streams,
 * and work on a shared stream runs in order. Thread-safe; {@link #next} takes no lock and calls no
 * driver.
 *
 * <p>The pool owns the streams and closes them. A stream need not be returned.
 */
public final class StreamPool implements AutoCloseable {
  private final Device device;
  private final List<Stream> streams;
  private final AtomicLong taken = new AtomicLong();
  private volatile boolean closed;

  StreamPool(Device device, List<Stream> streams) {
    this.device = device;
    this.streams = streams;
  }

  /** Returns a builder for a pool of streams of a device. */
  public static StreamPoolBuilder builder(Device device) {
    return new StreamPoolBuilder(device);
  }

  /** Creates a pool of 32 streams that are not ordered with the default stream. */
  public static StreamPool create(Device device) {
    return builder(device).build();
  }

  /** Returns the device of the streams. */
  public Device getDevice() {
    return device;
  }

  /** Returns the number of streams. */
  public int getSize() {
    return streams.size();
  }

  /**
   * Returns the next stream, round-robin. Do not close the stream, because other callers share it.
   *
   * @throws ClosedException if the pool is closed, or a caller has closed the stream
   */
  public Stream next() {
    int index = (int) (taken.getAndIncrement() % streams.size());
    Stream stream = streams.get(index);
    // Read first: if the pool has closed the stream, the next check finds the pool closed.
    boolean gone = stream.isClosed();
    if (closed) {
      throw new ClosedException("the " + this, "it provides no more streams", "make a new one");
    }
    if (gone) {
      throw new ClosedException(
          "stream " + index + " of the " + this,
          "a caller has closed it, although callers share it",
          "let only the pool close it");
    }
    return stream;
  }

  /** Closes the streams, without waiting for their work. Repeated calls have no effect. */
  @Override
  public void close() {
    closed = true;
    Batch.forEach(streams, Stream::close);
  }

  @Override
  public String toString() {
    return "pool of " + Count.of(streams.size(), "stream") + " of device " + device.getOrdinal();
  }
}
