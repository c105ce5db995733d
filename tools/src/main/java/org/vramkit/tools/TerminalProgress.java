package org.vramkit.tools;

import java.util.function.Function;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.vramkit.tools.replay.Progress;

/** A progress bar on standard error, shown on terminals and for long work only. */
final class TerminalProgress implements Progress, AutoCloseable {
  /** System property that the launcher sets if standard error is a terminal. */
  static final String TERMINAL = "vramkit.terminal";

  // Shorter work ends before a user could read a bar.
  private static final long LONG_WORK = 200_000;
  private static final long LARGE_FILE = 20 << 20;

  private final ProgressBar bar;

  private TerminalProgress(String name, long events, String unit, long unitSize) {
    bar =
        new ProgressBarBuilder()
            .setTaskName(name)
            .setInitialMax(events)
            .setUnit(unit, unitSize)
            .setStyle(ProgressBarStyle.ASCII)
            .setUpdateIntervalMillis(200)
            .build();
  }

  /** Runs work that replays {@code events} events, with a bar if there are many. */
  static <T> T during(String name, long events, Function<Progress, T> work) {
    return events < LONG_WORK ? work.apply(Progress.NONE) : shown(name, events, "", 1, work);
  }

  /** Runs work over several files, with one bar for all. Each file has 1000 steps. */
  static <T> T overFiles(int files, Function<Progress, T> work) {
    return shown("replay", 1000L * files, " files", 1000, work);
  }

  /** Reads a file of {@code bytes} bytes, with a bar if the file is large. */
  static <T> T reading(String name, long bytes, Function<Progress, T> work) {
    return bytes < LARGE_FILE
        ? work.apply(Progress.NONE)
        : shown(name, bytes, " MiB", 1 << 20, work);
  }

  /** Runs long work of {@code steps} steps, with a bar. */
  static <T> T working(String name, long steps, Function<Progress, T> work) {
    return shown(name, steps, "", 1, work);
  }

  private static <T> T shown(
      String name, long max, String unit, long unitSize, Function<Progress, T> work) {
    if (!Boolean.getBoolean(TERMINAL)) {
      return work.apply(Progress.NONE);
    }
    try (TerminalProgress progress = new TerminalProgress(name, max, unit, unitSize)) {
      return work.apply(progress);
    }
  }

  @Override
  public void advance(long events) {
    bar.stepBy(events);
  }

  @Override
  public void close() {
    bar.close();
  }
}
