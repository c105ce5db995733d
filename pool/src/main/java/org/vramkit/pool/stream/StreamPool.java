package org.vramkit.pool.stream;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.units.Count;

/**
 * A fixed number of streams of one device, handed out in turn: for code that wants to run beside
 * other code without making a stream each time, and without making more than the device can use.
 * Where more are asked for than there are, the same stream is handed out again, so that what shares
 * it runs one after the other. Safe for any thread; taking one takes no lock and calls no driver.
 *
 * <p>The streams stay the pool's: they are used as long as one likes, and closed with the pool.
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

  /** Settings for a pool of this device's streams. */
  public static StreamPoolBuilder builder(Device device) {
    return new StreamPoolBuilder(device);
  }

  /** A pool of 32 streams that are not ordered with the default stream. */
  public static StreamPool create(Device device) {
    return builder(device).build();
  }

  /** The device whose streams they are. */
  public Device getDevice() {
    return device;
  }

  /** How many streams there are. */
  public int getSize() {
    return streams.size();
  }

  /**
   * The next stream in turn. Do not close it: others have it too, or will.
   *
   * @throws ClosedException if the pool is closed, or somebody closed the stream
   */
  public Stream next() {
    int index = (int) (taken.getAndIncrement() % streams.size());
    Stream stream = streams.get(index);
    // Asked before the pool: a stream that the pool has closed finds the pool closed.
    boolean gone = stream.isClosed();
    if (closed) {
      throw new ClosedException("the " + this, "it gives no streams any more", "make a new one");
    }
    if (gone) {
      throw new ClosedException(
          "stream " + index + " of the " + this,
          "somebody who took it has closed it, and the next taker would have it",
          "leave its close to the pool");
    }
    return stream;
  }

  /**
   * Closes its streams; does not wait for their work. Whoever still has one finds it closed.
   * Harmless when repeated.
   */
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
