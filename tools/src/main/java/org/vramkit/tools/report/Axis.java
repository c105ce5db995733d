package org.vramkit.tools.report;

import java.util.Locale;

/**
 * A linear axis from 0 with round steps.
 *
 * @param max the value at its end, in the unit of the data
 * @param step distance of its ticks
 * @param unit how many of the data's unit make one of the label's
 * @param label name of the label's unit
 */
record Axis(double max, double step, double unit, String label) {
  private static final int TICKS = 5;

  /** An axis of bytes. */
  static Axis ofBytes(long max) {
    String[] names = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int power = 0;
    double unit = 1;
    while (power < names.length - 1 && max / unit >= 1024) {
      unit *= 1024;
      power++;
    }
    return of(max, unit, names[power]);
  }

  /** An axis of time. */
  static Axis ofNanos(long max) {
    if (max >= 1_000_000_000L) {
      return of(max, 1e9, "s");
    }
    return max >= 1_000_000L ? of(max, 1e6, "ms") : of(max, 1e3, "us");
  }

  private static Axis of(long max, double unit, String label) {
    double shown = Math.max(max / unit, 1e-3);
    double raw = shown / TICKS;
    double magnitude = Math.pow(10, Math.floor(Math.log10(raw)));
    double step = magnitude * 10;
    for (int factor : new int[] {1, 2, 5}) {
      if (raw <= factor * magnitude) {
        step = factor * magnitude;
        break;
      }
    }
    return new Axis(shown * unit, step * unit, unit, label);
  }

  String tick(double value) {
    double shown = value / unit;
    int decimals = (int) Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
    return String.format(Locale.ROOT, "%." + decimals + "f", shown);
  }
}
