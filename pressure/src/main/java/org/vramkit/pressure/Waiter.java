package org.vramkit.pressure;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A demand or the growth of a grant, in line. Guarded by the lock of its {@link Admission}, but for
 * the future, which completes outside of it.
 */
final class Waiter {
  final Demand demand;

  /** The grant that is to grow; null for a demand. */
  final @Nullable Grant growing;

  /** Tells that a thread waits: then no callback of a user runs when the waiter is served. */
  final boolean blocks;

  final long since;
  final CompletableFuture<Grant> future = new CompletableFuture<>();

  /** Bytes of grants that were behind in line and came first. */
  long overtaken;

  boolean inLine;

  /** The outcome, once it has left the line other than by its own will. */
  @Nullable Grant granted;

  @Nullable RuntimeException refused;

  Waiter(Demand demand, @Nullable Grant growing, boolean blocks, long since) {
    this.demand = demand;
    this.growing = growing;
    this.blocks = blocks;
    this.since = since;
  }

  /** Bytes that it waits for. */
  long bytes() {
    return demand.bytes();
  }

  /** Bytes that its job has once it is served, which others must leave room for. */
  long need() {
    return growing == null ? bytes() : growing.getBytes() + bytes();
  }

  /** Tells whether it comes before another one that arrived later. */
  boolean isBefore(Waiter later) {
    if (growing != null || later.growing != null) {
      return growing != null;
    }
    return demand.priority() >= later.demand.priority();
  }
}
