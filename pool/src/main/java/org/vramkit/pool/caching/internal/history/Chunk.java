package org.vramkit.pool.caching.internal.history;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Encoded events of one writer, who alone adds to it; others read what was published. Its decoding
 * needs nothing that came before it, so any chunk can be dropped.
 */
final class Chunk {
  final byte[] data;

  /** What the first event's time counts from. */
  final long base;

  /** Whose it is, to tell writers apart. */
  final Object writer;

  /** Events and bytes that are complete, in its halves. */
  private final AtomicLong published = new AtomicLong();

  /** When the latest event happened. Written before it is published. */
  private volatile long last;

  /** Whether its writer adds nothing more. */
  private volatile boolean ended;

  Chunk(Object writer, int bytes, long base) {
    this.writer = writer;
    this.data = new byte[bytes];
    this.base = base;
    this.last = base;
  }

  void publish(int events, int bytes) {
    published.lazySet((long) events << 32 | bytes);
  }

  long published() {
    return published.get();
  }

  void end(long lastNanos) {
    last = lastNanos;
    ended = true;
  }

  boolean isEnded() {
    return ended;
  }

  /** Of one that has ended. */
  long last() {
    return last;
  }

  static int eventsOf(long published) {
    return (int) (published >>> 32);
  }

  static int bytesOf(long published) {
    return (int) published;
  }
}
