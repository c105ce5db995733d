package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;

/**
 * The streams that use live memory in addition to its own stream. Thread-safe; no other lock is
 * acquired under the monitor.
 */
public final class StreamUses {
  private final CapturedStreams captured;
  private final List<Stream> users = new ArrayList<>(0);

  /** True if a graph uses the memory, because a recorded stream was captured. */
  private boolean inGraph;

  public StreamUses(CapturedStreams captured) {
    this.captured = captured;
  }

  /** Adds a stream; returns false if it is recorded already. */
  public boolean record(Stream stream) {
    Objects.requireNonNull(stream, "stream");
    boolean isCaptured = captured.has(stream);
    synchronized (this) {
      inGraph |= isCaptured;
      return Streams.addTo(users, stream);
    }
  }

  public synchronized List<Stream> users() {
    return List.copyOf(users);
  }

  /**
   * Returns whether a graph uses the memory: a stream was captured when it was recorded, or is
   * captured now.
   *
   * @param own stream of the memory; null for none
   */
  public synchronized boolean isInGraph(@Nullable Stream own) {
    return inGraph || captured.hasAny(users) || (own != null && captured.has(own));
  }

  /** Removes all streams, before the memory is reused. */
  public synchronized void clear() {
    users.clear();
    inGraph = false;
  }
}
