package org.vramkit.sim;

import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.Snapshot;
import org.vramkit.sim.timeline.Point;

/** A range of places of a driver pool without a block. */
final class FreePlaces {
  final long start;
  long end;

  /** The address of the last owner; 0 without one. */
  final long lastAddress;

  /** The stream of the free; null once settled. */
  @Nullable StreamQueue freedOn;

  /** The number of the free in the order of its stream. */
  long number;

  Point freeAt = Point.START;
  @Nullable Snapshot freed;

  /** The order in which ranges came to be. */
  long age;

  FreePlaces(long start, long end, long lastAddress) {
    this.start = start;
    this.end = end;
    this.lastAddress = lastAddress;
  }

  long bytes() {
    return end - start;
  }

  /** Returns a range in the state of this one. */
  FreePlaces with(long from, long to, long last) {
    FreePlaces other = new FreePlaces(from, to, last);
    other.freedOn = freedOn;
    other.number = number;
    other.freeAt = freeAt;
    other.freed = freed;
    return other;
  }
}
