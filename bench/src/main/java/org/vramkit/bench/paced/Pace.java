package org.vramkit.bench.paced;

/** The pace of a pass. */
enum Pace {
  /** Events happen at their recorded times, or later if the replay lags. */
  RECORDED(1),

  /** Events happen without waits. */
  FULL(0);

  /** The factor by which recorded times are multiplied. */
  final double factor;

  Pace(double factor) {
    this.factor = factor;
  }
}
