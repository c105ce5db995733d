package org.vramkit.bench.paced;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Passes of one program through one allocator; as JSON, the line that {@code bench/peers/paced.cpp}
 * prints.
 *
 * @param allocator name, such as {@code vramkit-javacpp}
 * @param jvm {@code warm} after a warm-up, else {@code cold}
 * @param trace name of the program
 * @param pace {@code recorded} or {@code full}
 * @param recordedMillis duration of the recording in milliseconds
 * @param first figures of the first pass
 * @param later figures of all later passes; null if there are none
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
        + " longest us (with a garbage collection), reserved / requested";
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
