package org.vramkit.bench.paced;

/** When the events of a pass happen. */
enum Pace {
  /** When they were recorded, or as soon after that as the program gets there. */
  RECORDED(1),

  /** One after the other. */
  FULL(0);

  /** By which recorded times are multiplied. */
  final double factor;

  Pace(double factor) {
    this.factor = factor;
  }
}
