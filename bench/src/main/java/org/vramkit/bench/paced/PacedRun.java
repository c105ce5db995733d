package org.vramkit.bench.paced;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Passes of one program over one allocator; a line of JSON, as {@code bench/peers/paced.cpp} prints
 * them.
 *
 * @param allocator such as {@code vramkit-javacpp}
 * @param jvm {@code cold} if the program is the first thing that it does, else {@code warm}
 * @param trace name of the program
 * @param pace {@code recorded} or {@code full}
 * @param recordedMillis how long the program took when it was recorded
 * @param first the allocator's first pass
 * @param later all passes after it; null if there is none
 */
record PacedRun(
    String allocator,
    String jvm,
    String trace,
    String pace,
    double recordedMillis,
    Figures first,
    @Nullable Figures later) {

  static String header() {
    return "trace, pace, passes: ms in the allocator, ns an event, share, p50 / p99 / p99.9 /"
        + " longest us (with the collector), reserved / requested";
  }

  @Override
  public String toString() {
    String text = line("first", first);
    return later == null ? text : text + System.lineSeparator() + line("later", later);
  }

  private String line(String passes, Figures figures) {
    return String.format(
        Locale.ROOT,
        "%-10s %-8s %s: %8.2f ms, %7.0f ns, %6.2f %%, %.2f / %.2f / %.2f / %.1f us (%.1f), %.3f",
        trace,
        pace,
        passes,
        figures.millis(),
        figures.nanosPerEvent(),
        100 * figures.share(),
        figures.p50Nanos() / 1e3,
        figures.p99Nanos() / 1e3,
        figures.p999Nanos() / 1e3,
        figures.longestNanos() / 1e3,
        figures.longestCollectedNanos() / 1e3,
        figures.reservedRatio());
  }
}
