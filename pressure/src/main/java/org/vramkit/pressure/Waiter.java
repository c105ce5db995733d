package org.vramkit.pressure;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A demand or a growth in line. Guarded by the lock of its {@link Admission}, except the future,
 * which completes outside the lock.
 */
final class Waiter {
  final Demand demand;

  /** The grant that is to grow; null for a demand. */
  final @Nullable Grant growing;

  /** True if a thread waits, in which case no callback of a user runs when the waiter is served. */
  final boolean blocks;

  /** Time of arrival in nanoseconds. */
  final long since;

  final CompletableFuture<Grant> future = new CompletableFuture<>();

  /** Bytes of grants that have overtaken this waiter. */
  long overtaken;

  boolean inLine;

  /** The outcome, once the waiter was served or refused. */
  @Nullable Grant granted;

  @Nullable RuntimeException refused;

  Waiter(Demand demand, @Nullable Grant growing, boolean blocks, long since) {
    this.demand = demand;
    this.growing = growing;
    this.blocks = blocks;
    this.since = since;
  }

  /** Returns the bytes for which the waiter waits. */
  long bytes() {
    return demand.bytes();
  }

  /** Returns the bytes of the job once it is served, for which overtaking waiters leave room. */
  long need() {
    return growing == null ? bytes() : growing.getBytes() + bytes();
  }

  /** Returns whether this waiter precedes one that arrived later. */
  boolean isBefore(Waiter later) {
    if (growing != null || later.growing != null) {
      return growing != null;
    }
    return demand.priority() >= later.demand.priority();
  }
}
