package org.vramkit.partition.scatter;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.partition.plan.Tile;

/** A participant of a scatter: a device or the CPU. Guarded by the run's lock. */
final class Member {
  /** Number of probes: the first is a warm-up, the second gives a rate. */
  private static final int PROBES = 2;

  final int ordinal;
  final @Nullable Device device;

  /** The expected throughput relative to the others. */
  final double score;

  /** Units per nanosecond in an earlier run; 0 if unknown. */
  private final double earlier;

  final ThroughputEstimate speed = new ThroughputEstimate();

  /** Maximum units of a chunk, by memory. */
  long cap;

  /** Maximum number of chunks in progress. */
  int lanes;

  /** True if the member gets no more chunks, because it failed or has no memory for a unit. */
  boolean out;

  /** Number of completed chunks. */
  int finished;

  /** Number of chunks in progress. */
  int chunks;

  /** Number of reassigned overdue chunks whose tasks have not returned. */
  int overdueChunks;

  /** Units of the chunks in progress. */
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

  /** Returns the maximum number of chunks in progress at present. */
  int depth() {
    return isProbing() ? 1 : lanes;
  }

  boolean isFree() {
    return !out && overdueChunks == 0 && chunks < depth();
  }

  /** Returns the rate in units per nanosecond; 0 if unknown. */
  double rate(long now) {
    double rate = speed.isKnown() ? speed.cautiousRate() : earlier;
    long silent = speed.sinceLastEnd(now);
    // A chunk that takes longer than expected lowers the rate before it ends.
    return rate * silent > units && units > 0 ? (double) units / silent : rate;
  }

  /** Returns the expected nanoseconds until the assigned units are done. */
  double backlog(double rate, long now) {
    return units == 0 ? 0 : Math.max(0, units / rate - speed.sinceLastEnd(now));
  }

  @Override
  public String toString() {
    return isCpu() ? "the CPU" : "device " + ordinal;
  }
}
