package org.vramkit.partition.scatter;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.partition.plan.Tile;

/** One who works in a scatter: a device, or the CPU. Guarded by the run's lock. */
final class Member {
  /** The first is a warm-up, the second tells a rate. */
  private static final int PROBES = 2;

  final int ordinal;
  final @Nullable Device device;

  /** The expected rate beside the others. */
  final double score;

  /** Units a nanosecond in an earlier run; 0 if none is known. */
  private final double earlier;

  final Speed speed = new Speed();

  /** Most units that a chunk may have, by memory. */
  long cap;

  /** Most chunks under way. */
  int lanes;

  /** Gets nothing more: it failed, or has no memory for a unit. */
  boolean out;

  int finished;
  int chunks;

  /** Chunks under way that are overdue and were given to others. */
  int stuck;

  long units;

  Member(
      int ordinal,
      @Nullable Device device,
      double score,
      double unitsPerSecond,
      long cap,
      int lanes) {
    this.ordinal = ordinal;
    this.device = device;
    this.score = score;
    this.earlier = unitsPerSecond / 1e9;
    this.cap = cap;
    this.lanes = lanes;
  }

  boolean isCpu() {
    return ordinal == Tile.CPU;
  }

  boolean isProbing() {
    return earlier == 0 && finished < PROBES;
  }

  int depth() {
    return isProbing() ? 1 : lanes;
  }

  boolean isFree() {
    return !out && stuck == 0 && chunks < depth();
  }

  /** Units a nanosecond; 0 if nothing is known. */
  double rate(long now) {
    double rate = speed.isKnown() ? speed.cautiousRate() : earlier;
    long silent = speed.sinceLastEnd(now);
    // One that is slower than it was shows by what does not end.
    return rate * silent > units && units > 0 ? (double) units / silent : rate;
  }

  /** Nanoseconds until it has done what it has. */
  double backlog(double rate, long now) {
    return units == 0 ? 0 : Math.max(0, units / rate - speed.sinceLastEnd(now));
  }

  @Override
  public String toString() {
    return isCpu() ? "the CPU" : "device " + ordinal;
  }
}
