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
 * The clocks of all streams that a pool's memory waits for: one for each stream. Streams of other
 * devices have theirs too, because any device may copy from and to page-locked memory.
 *
 * <p>The monitor guards the maps and is a leaf; no driver is called under it.
 */
public final class StreamClocks {
  private static final int FIRST_CROWD = 64;

  private final LongSupplier nanos;
  private final Predicate<Stream> unasked;
  private final CapturedStreams captured;
  private final Map<Stream, StreamProgress> clocks = new HashMap<>();
  private final @Nullable EventPool shared;
  private final Map<Device, EventPool> events = new HashMap<>();

  /** Clocks of closed streams whose handles others have now, until their marks have passed. */
  private final List<StreamProgress> replaced = new ArrayList<>();

  /** How many clocks there may be before those of closed streams are looked for. */
  private int crowd = FIRST_CROWD;

  /** Makes clocks for a device whose captured streams are not asked. */
  public StreamClocks(Device device) {
    this(new CapturedStreams(device));
  }

  private StreamClocks(CapturedStreams captured) {
    this(captured, null, captured::isUnasked, System::nanoTime);
  }

  /**
   * Makes clocks of streams that may not be asked at times.
   *
   * @param captured the captures of the device
   * @param shared the events of the device, which another owner closes; null for events of its own,
   *     for any device
   * @param unasked whether a stream may be neither asked, marked nor waited for now
   * @param nanos the time, for how long a stream has been behind
   */
  public StreamClocks(
      CapturedStreams captured,
      @Nullable EventPool shared,
      Predicate<Stream> unasked,
      LongSupplier nanos) {
    this.captured = captured;
    this.shared = shared;
    this.unasked = unasked;
    this.nanos = nanos;
  }

  /** The device whose memory waits. */
  public Device device() {
    return captured.device();
  }

  /** The captures of the device. */
  public CapturedStreams captured() {
    return captured;
  }

  /** Tells whether a stream may be neither asked, marked nor waited for now. */
  public boolean isUnasked(Stream stream) {
    return unasked.test(stream);
  }

  /** The clock of a stream; a closed stream and the next one of its handle have two. */
  public synchronized StreamProgress of(Stream stream) {
    StreamProgress known = clocks.get(stream);
    if (known == null || !Streams.areSame(known.stream(), stream)) {
      forgetClosed();
      if (known != null) {
        replace(known);
      }
      known = new StreamProgress(stream, eventsOf(stream.getDevice()), nanos, unasked);
      clocks.put(stream, known);
    }
    return known;
  }

  /** A driver may give one handle to any number of streams in turn. */
  private void replace(StreamProgress closedOne) {
    replaced.removeIf(clock -> !clock.isBehind());
    replaced.add(closedOne);
  }

  /** How many clocks are kept. */
  synchronized int size() {
    return clocks.size() + replaced.size();
  }

  private EventPool eventsOf(Device device) {
    return shared != null ? shared : events.computeIfAbsent(device, EventPool::new);
  }

  /** Forgets closed streams without marks. What still waits for one keeps its clock. */
  private void forgetClosed() {
    if (clocks.size() >= crowd) {
      clocks.values().removeIf(clock -> clock.stream().isClosed() && !clock.isBehind());
      crowd = Math.max(FIRST_CROWD, 2 * clocks.size());
    }
  }

  /** This moment of each of several streams. */
  public List<StreamPoint> now(Collection<Stream> streams) {
    List<StreamPoint> points = new ArrayList<>(streams.size());
    streams.forEach(stream -> points.add(of(stream).now()));
    return points;
  }

  /**
   * Ends all clocks and gives their own events back to the driver, also where it fails to take one.
   */
  public void close() {
    Batch.forEach(takeAll(), EventPool::close);
  }

  private synchronized List<EventPool> takeAll() {
    clocks.values().forEach(StreamProgress::close);
    replaced.forEach(StreamProgress::close);
    clocks.clear();
    replaced.clear();
    List<EventPool> all = List.copyOf(events.values());
    events.clear();
    return all;
  }
}
