package org.vramkit.pool.caching.internal.history;

import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.HistoryEvent.Action;

/**
 * Writes events into its own buffers, so that writers share only the ring that they add buffers to.
 * Guarded by the caller.
 */
public final class HistoryWriter {
  private static final int FIRST_BYTES = 1 << 12;

  private final HistoryRing ring;

  /** The private pool of the events; 0 for none. */
  private final long pool;

  private @Nullable EventBuffer buffer;
  private long latest;
  private String latestTag = "";
  private int latestTagNumber;

  HistoryWriter(HistoryRing ring, long pool) {
    this.ring = ring;
    this.pool = pool;
  }

  /** Writes the close of a block that no other stream used, which also completes its free. */
  public void freed(long address, long bytes, long stream, String tag) {
    long now = now();
    long origin = originOf(tag);
    write(now, Action.FREE_REQUESTED, address, bytes, stream, pool, origin);
    write(now, Action.FREE_COMPLETED, address, bytes, stream, pool, origin);
  }

  /** Writes an event of a pool, for a writer that pools share. */
  void happened(long inPool, Action action, long address, long bytes, long stream, String tag) {
    write(now(), action, address, bytes, stream, inPool, originOf(tag));
  }

  public void happened(Action action, long address, long bytes, long stream, String tag) {
    happened(pool, action, address, bytes, stream, tag);
  }

  private long now() {
    // A user's clock may go back.
    latest = Math.max(ring.now(), latest);
    return latest;
  }

  @SuppressWarnings("ReferenceEquality") // an equal tag only takes longer
  private long originOf(String tag) {
    if (tag != latestTag) {
      latestTagNumber = ring.tags.numberOf(tag);
      latestTag = tag;
    }
    return HistoryView.origin(Thread.currentThread().getId(), ring.stackNumber(), latestTagNumber);
  }

  private void write(
      long now, Action action, long address, long size, long stream, long inPool, long origin) {
    long place = HistoryView.place(address, action);
    EventBuffer current = buffer;
    while (current == null || !current.add(now, place, size, stream, inPool, origin)) {
      current = nextBuffer(current);
    }
  }

  /**
   * Begins a buffer: a larger one if the previous buffer is full, else one as small as the first.
   */
  private EventBuffer nextBuffer(@Nullable EventBuffer before) {
    end();
    int wanted = before == null || before.isDropped() ? FIRST_BYTES : 2 * before.bytes;
    EventBuffer next = new EventBuffer(this, Math.min(wanted, ring.mostBufferBytes()), latest);
    ring.add(next);
    buffer = next;
    return next;
  }

  /** Completes the current buffer, because no event follows for a while. */
  public void end() {
    EventBuffer current = buffer;
    if (current != null) {
      buffer = null;
      ring.end(current);
    }
  }
}
