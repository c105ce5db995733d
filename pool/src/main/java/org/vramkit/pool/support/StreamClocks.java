package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;

/**
 * The clocks of the streams that a pool's memory waits for, one {@link StreamProgress} for each
 * stream. Includes streams of other devices, because any device may copy from and to page-locked
 * memory.
 *
 * <p>The monitor guards the maps. No other lock is acquired and no driver call is made under it.
 */
public final class StreamClocks {
  private static final int FIRST_CROWD = 64;

  private final LongSupplier nanos;
  private final Predicate<Stream> unqueryable;
  private final CapturedStreams captured;
  private final Map<Stream, StreamProgress> clocks = new HashMap<>();
  private final @Nullable EventPool shared;
  private final Map<Device, EventPool> events = new HashMap<>();

  /** When this many clocks exist, those of closed streams are dropped. */
  private int crowd = FIRST_CROWD;

  /** Creates clocks for a device whose captured streams are not queried. */
  public StreamClocks(Device device) {
    this(new CapturedStreams(device));
  }

  private StreamClocks(CapturedStreams captured) {
    this(captured, null, captured::isUnqueryable, System::nanoTime);
  }

  /**
   * Creates clocks with a condition for queries.
   *
   * @param shared events of the device, which the caller closes; null to create events for any
   *     device
   * @param unqueryable whether a stream must not be queried, marked or waited for now
   * @param nanos a clock of nanoseconds, to measure how long a stream has been behind
   */
  public StreamClocks(
      CapturedStreams captured,
      @Nullable EventPool shared,
      Predicate<Stream> unqueryable,
      LongSupplier nanos) {
    this.captured = captured;
    this.shared = shared;
    this.unqueryable = unqueryable;
    this.nanos = nanos;
  }

  public Device device() {
    return captured.device();
  }

  public CapturedStreams captured() {
    return captured;
  }

  /** Returns whether a stream must not be queried, marked or waited for now. */
  public boolean isUnqueryable(Stream stream) {
    return unqueryable.test(stream);
  }

  /**
   * Returns the clock of a stream. A new stream that reuses the handle of a closed one has a clock
   * of its own.
   */
  public synchronized StreamProgress of(Stream stream) {
    StreamProgress known = clocks.get(stream);
    if (known == null || !Streams.areSame(known.stream(), stream)) {
      forgetClosed();
      known = new StreamProgress(stream, eventsOf(stream.getDevice()), nanos, unqueryable);
      clocks.put(stream, known);
    }
    return known;
  }

  synchronized int size() {
    return clocks.size();
  }

  private EventPool eventsOf(Device device) {
    return shared != null ? shared : events.computeIfAbsent(device, EventPool::new);
  }

  /**
   * Drops the clocks of closed streams without marks. A piece that waits for one of these streams
   * still refers to its clock.
   */
  private void forgetClosed() {
    if (clocks.size() >= crowd) {
      clocks.values().removeIf(clock -> clock.stream().isClosed() && !clock.isBehind());
      crowd = Math.max(FIRST_CROWD, 2 * clocks.size());
    }
  }

  public List<StreamPoint> now(Collection<Stream> streams) {
    List<StreamPoint> points = new ArrayList<>(streams.size());
    streams.forEach(stream -> points.add(of(stream).now()));
    return points;
  }

  /** Closes all clocks and their own events, even if the driver fails to destroy some. */
  public void close() {
    Batch.forEach(takeAll(), EventPool::close);
  }

  private synchronized List<EventPool> takeAll() {
    clocks.values().forEach(StreamProgress::close);
    clocks.clear();
    List<EventPool> all = List.copyOf(events.values());
    events.clear();
    return all;
  }
}
