package org.vramkit.pool.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.InvalidArgumentException;

/** Builds a {@link StreamPool}. Not thread-safe. */
public final class StreamPoolBuilder {
  /**
   * The most streams, far more than any device runs concurrently. Each stream takes memory of the
   * driver and of allocators.
   */
  private static final int MOST = 4096;

  private final Device device;
  private int size = 32;
  private StreamKind kind = StreamKind.NON_BLOCKING;

  StreamPoolBuilder(Device device) {
    this.device = Objects.requireNonNull(device, "device");
  }

  /**
   * Sets the number of streams. More streams allow more concurrency, as far as the device supports
   * it. Each allocator keeps caches for each stream.
   *
   * @param streams from 1 to {@value #MOST}; default 32
   * @throws InvalidArgumentException for any other number
   */
  public StreamPoolBuilder size(int streams) {
    if (streams < 1 || streams > MOST) {
      throw new InvalidArgumentException(
          "a stream pool must have 1 to "
              + MOST
              + " streams, not "
              + streams
              + "; more streams would not run concurrently");
    }
    size = streams;
    return this;
  }

  /**
   * Sets how the streams are ordered with the default stream.
   *
   * @param value default {@link StreamKind#NON_BLOCKING}
   */
  public StreamPoolBuilder kind(StreamKind value) {
    kind = Objects.requireNonNull(value, "kind");
    return this;
  }

  /** Builds the pool. Creates all streams, or none if one fails. */
  public StreamPool build() {
    List<Stream> streams = new ArrayList<>();
    try {
      while (streams.size() < size) {
        streams.add(device.createStream(kind));
      }
    } catch (RuntimeException | Error e) {
      Batch.after(e, () -> Batch.forEach(streams, Stream::close));
      throw e;
    }
    return new StreamPool(device, List.copyOf(streams));
  }
}
