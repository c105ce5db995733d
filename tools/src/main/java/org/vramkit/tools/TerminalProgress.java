package org.vramkit.tools;

import java.util.function.Function;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.vramkit.tools.replay.Progress;

/** A bar on standard error, for long work and people only. */
final class TerminalProgress implements Progress, AutoCloseable {
  /** Set by the launcher when standard error is a terminal; Java itself cannot tell. */
  static final String TERMINAL = "vramkit.terminal";

  // Less is done before a bar can be read.
  private static final long LONG_WORK = 200_000;

  private final ProgressBar bar;

  private TerminalProgress(String name, long events) {
    bar =
        new ProgressBarBuilder()
            .setTaskName(name)
            .setInitialMax(events)
            .setStyle(ProgressBarStyle.ASCII)
            .setUpdateIntervalMillis(200)
            .build();
  }

  /** Runs work that replays so many events, with a bar if it helps. */
  static <T> T during(String name, long events, Function<Progress, T> work) {
    if (events < LONG_WORK || !Boolean.getBoolean(TERMINAL)) {
      return work.apply(Progress.NONE);
    }
    try (TerminalProgress progress = new TerminalProgress(name, events)) {
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
