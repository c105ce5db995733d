package org.vramkit.pool.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.InvalidArgumentException;

/** Settings of a {@link StreamPool}. Not safe for threads. */
public final class StreamPoolBuilder {
  /** Far more than any device runs at once: each takes memory of the driver and of allocators. */
  private static final int MOST = 4096;

  private final Device device;
  private int size = 32;
  private StreamKind kind = StreamKind.NON_BLOCKING;

  StreamPoolBuilder(Device device) {
    this.device = Objects.requireNonNull(device, "device");
  }

  /**
   * How many streams there are. More run more at once, as far as the device has room, and cost an
   * allocator a cache each.
   *
   * @param streams default 32; from 1 to {@value #MOST}
   * @throws InvalidArgumentException for any other number
   */
  public StreamPoolBuilder size(int streams) {
    if (streams < 1 || streams > MOST) {
      throw new InvalidArgumentException(
          "a stream pool must have 1 to "
              + MOST
              + " streams, not "
              + streams
              + "; more run no more at once: what shares a stream takes turns");
    }
    size = streams;
    return this;
  }

  /**
   * How they stand to the default stream.
   *
   * @param value default {@link StreamKind#NON_BLOCKING}
   */
  public StreamPoolBuilder kind(StreamKind value) {
    kind = Objects.requireNonNull(value, "kind");
    return this;
  }

  /** The pool; makes all streams at once, or none where one cannot be made. */
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
