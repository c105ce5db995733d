package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;

/**
 * The streams that use a piece of memory while it is held, beside the one that it belongs to. Safe
 * for any thread; the monitor is a leaf.
 */
public final class StreamUses {
  private final CapturedStreams captured;
  private final List<Stream> users = new ArrayList<>(0);

  /** Tells whether a graph uses the memory, because a user was captured when it was recorded. */
  private boolean inGraph;

  /** Creates uses of none. */
  public StreamUses(CapturedStreams captured) {
    this.captured = captured;
  }

  /** Adds a user; false if it is one already. */
  public boolean record(Stream stream) {
    Objects.requireNonNull(stream, "stream");
    boolean isCaptured = captured.has(stream);
    synchronized (this) {
      inGraph |= isCaptured;
      return Streams.addTo(users, stream);
    }
  }

  /** The users. */
  public synchronized List<Stream> users() {
    return List.copyOf(users);
  }

  /**
   * Tells whether a graph uses the memory: a user was captured when it was recorded, or is captured
   * now.
   *
   * @param own the stream that the memory belongs to; null for none
   */
  public synchronized boolean isInGraph(@Nullable Stream own) {
    return inGraph || captured.hasAny(users) || (own != null && captured.has(own));
  }

  /** Forgets all users, before the next owner has the memory. */
  public synchronized void clear() {
    users.clear();
    inGraph = false;
  }
}
