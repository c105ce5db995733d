package org.vramkit.tools.page;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.tools.replay.Progress;
import org.vramkit.tools.replay.ReplayOptions;
import org.vramkit.tools.report.TuneReport;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.Traces;
import org.vramkit.tools.tune.Grid;
import org.vramkit.tools.tune.TuneResult;
import org.vramkit.tools.tune.Tuning;

/** Makes the pictures of the documents anew, and tells how long a page took. */
@EnabledIfSystemProperty(
    named = "vramkit.docs",
    matches = "write",
    disabledReason = "pictures are made with -Dvramkit.docs=write")
class PagePicturesTest {
  private static final Path PICTURES = Path.of("..", "docs", "pictures");

  @TempDir private Path folder = Path.of("");

  private static Trace read(String name, boolean detailed) {
    return Traces.readAll(Path.of("..", "traces", name), detailed, bytes -> {}).get(0);
  }

  private Path page(String name) throws IOException {
    Path page = folder.resolve("page.html");
    Recording recording = Recording.of(read(name, true));
    try (OutputStream target = Files.newOutputStream(page)) {
      new HtmlPage("view", List.of(), List.of(), List.of(recording)).write(target);
    }
    return page;
  }

  @Test
  @DisplayName("Pictures of gpt's page and of a recording that ran out of memory")
  void view() throws IOException {
    Files.createDirectories(PICTURES);
    try (Browser browser = Browser.open(page("gpt.csv.gz"))) {
      browser.wheel(browser.first(".chart"), -100);
      browser.until("document.querySelector('.chart').dataset.redrawMillis !== undefined");
      System.out.printf(
          "gpt: ready %s ms after the page's start, a zoom redrawn in %s ms%n",
          browser.data("body", "since-start"), browser.data(".chart", "redraw-millis"));
      browser.press("whole recording");
      browser.picture(PICTURES.resolve("view.png"), 1500, 1200);
    }
    try (Browser browser = Browser.open(page("snapshot-a.pickle"))) {
      browser.press("events");
      browser.picture(PICTURES.resolve("view-out-of-memory.png"), 1500, 1200);
    }
  }

  @Test
  @DisplayName("A picture of the combinations tried for gpt")
  void tune() throws IOException {
    Trace gpt = read("gpt.csv.gz", false);
    TuneResult result =
        new Tuning(gpt, ReplayOptions.DEFAULT_MEMORY, 2)
            .run(
                Grid.combinations(1, Map.of()),
                false,
                new Tuning.PhaseRunner() {
                  @Override
                  public <T> T run(Tuning.Phase phase, long steps, Function<Progress, T> work) {
                    return work.apply(Progress.NONE);
                  }
                });
    Path page = folder.resolve("tune.html");
    try (OutputStream target = Files.newOutputStream(page)) {
      TuneReport.page(List.of(result)).write(target);
    }
    try (Browser browser = Browser.open(page)) {
      browser.picture(PICTURES.resolve("tune.png"), 1500, 1100);
    }
  }
}
