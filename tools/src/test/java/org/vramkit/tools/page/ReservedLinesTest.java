package org.vramkit.tools.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.tools.replay.CheckerMode;
import org.vramkit.tools.replay.Progress;
import org.vramkit.tools.replay.Replay;
import org.vramkit.tools.replay.ReplayOptions;
import org.vramkit.tools.replay.ReplayResult;
import org.vramkit.tools.replay.Timeline;
import org.vramkit.tools.replay.VariedResult;
import org.vramkit.tools.report.ReplayPage;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.Traces;

@DisplayName("Memory on a page")
class ReservedLinesTest {
  /** Shows the tooltip at a share of the chart's width, and answers its text. */
  private static final String TIP =
      "const e = document.querySelector('.chart'); const c = echarts.getInstanceByDom(e);"
          + "c.dispatchAction({type: 'showTip', x: e.offsetWidth * %s, y: e.offsetHeight / 2});"
          + "return [...document.querySelectorAll('.tip tr')].map(r => r.innerText).join('\\n');";

  @TempDir private Path folder = Path.of("");

  private static Trace trace(Path file) {
    return Traces.readAll(file, true, bytes -> {}).get(0);
  }

  private static ReplayResult replay(Trace trace) {
    ReplayOptions options =
        new ReplayOptions(
            ReplayOptions.SIMULATOR, null, Duration.ZERO, CheckerMode.OFF, "caching", Map.of(), 1);
    return Replay.run(trace, options, Progress.NONE);
  }

  private Path page(HtmlPage page) throws IOException {
    Path file = folder.resolve("page.html");
    try (OutputStream target = Files.newOutputStream(file)) {
      page.write(target);
    }
    return file;
  }

  @Test
  @DisplayName("42.11 reserved by a replay is at least the live memory at every event")
  void neverBelowLive() {
    Trace trace = trace(Path.of("..", "traces", "gpt.csv.gz"));
    Timeline timeline = replay(trace).timeline();
    long[] reserved = timeline.getReserved();
    long live = 0;
    int point = 0;
    for (int i = 0; i < trace.getEventCount(); i++) {
      if (point + 1 < timeline.getCount() && timeline.getFirstEvent(point + 1) == i) {
        point++;
      }
      long size = trace.getSize(trace.getAllocation(i));
      live += trace.isAllocation(i) ? size : -size;
      assertTrue(live <= reserved[point], "event " + i + ": " + live + " in " + reserved[point]);
    }
    assertEquals(timeline.getCount(), point + 1);
  }

  @Test
  @DisplayName(
      "42.11 reserved is shown at the mouse with its allocator, beside that of the recording")
  void tooltips() throws IOException {
    Trace trace = trace(Path.of("..", "traces", "streams.csv.gz"));
    HtmlPage html =
        ReplayPage.of(List.of(new VariedResult(List.of(replay(trace)))), List.of(trace));
    try (Browser browser = Browser.open(page(html))) {
      for (int i = 0; i < 28; i++) {
        String text = String.valueOf(browser.script(TIP.formatted(0.1 + 0.85 * i / 28)));
        assertTrue(text.contains("reserved by caching, replayed"), text);
        assertTrue(text.contains("reserved when recorded"), text);
      }
      String panel = browser.first(".panel h3").getText();
      assertTrue(panel.startsWith("Address map, as recorded"), panel);
      browser.hasNoErrors();
    }
  }

  @Test
  @DisplayName("42.10 that moved counts as reserved once, at its new address")
  void moves() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("t.csv"),
            """
            action,addr,size,stream,time_us,tag,thread,stack
            segment_map,4194304,2097152,0,0,,1,
            alloc,4194304,2000000,0,1,,1,
            free_requested,4194304,2000000,0,2,,1,
            free_completed,4194304,2000000,0,2,,1,
            segment_unmap,4194304,2097152,0,3,,1,
            move,8388608,2097152,0,3,,1,
            alloc,8388608,2000000,0,4,,1,
            """);
    HtmlPage html = new HtmlPage("view", List.of(), List.of(), List.of(Recording.of(trace(file))));
    try (Browser browser = Browser.open(page(html))) {
      String facts = browser.first(".facts").getText();
      assertTrue(facts.contains("reserved 2.00 MiB at most"), facts);
      String end = String.valueOf(browser.script(TIP.formatted(0.97)));
      assertTrue(end.matches("(?s).*reserved\\s+2.00 MiB.*"), end);
      browser.hasNoErrors();
    }
  }

  @Test
  @DisplayName("42.3 of a snapshot of one moment is shown by block")
  void moment() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("t.json"),
            "{\"segments\":[{\"device\":0,\"address\":4194304,\"total_size\":4194304,\"blocks\":["
                + "{\"address\":4194304,\"size\":1048576,\"state\":\"active_allocated\"},"
                + "{\"address\":5242880,\"size\":2097152,\"requested_size\":0,"
                + "\"state\":\"active_awaiting_free\"},"
                + "{\"address\":7340032,\"size\":1048576,\"state\":\"inactive\"}]}]}");
    HtmlPage html = new HtmlPage("view", List.of(), List.of(), List.of(Recording.of(trace(file))));
    try (Browser browser = Browser.open(page(html))) {
      assertTrue(
          browser.status().contains("In this snapshot: 3.00 MiB live in 2 allocations"),
          browser.status());
      assertEquals(0, browser.all(".chart").size());
      String row = browser.first(".scroll tbody tr").getText();
      assertTrue(row.contains("2.00 MiB") && row.contains("pending free"), row);
      String facts = browser.first(".facts").getText();
      assertTrue(facts.contains("0 events") && facts.contains("3.00 MiB live"), facts);
      assertTrue(facts.contains("a snapshot of one moment, without events"), facts);
      assertTrue(facts.contains("reserved 4.00 MiB at most"), facts);
      assertTrue(Integer.parseInt(browser.data(".map", "blocks")) > 0);
      browser.hasNoErrors();
    }
  }

  @Test
  @DisplayName("42.1 is named after the program's frame in the list and the flame graph")
  void owners() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("t.csv"),
            """
            action,addr,size,stream,time_us,tag,thread,stack
            alloc,4194304,2000000,0,1,,1,main(train.py:3);attend(model.py:7);PyObject_Call(??:0);at::empty()(??:0);torch::unwind::unwind()(??:0)
            """);
    HtmlPage html = new HtmlPage("view", List.of(), List.of(), List.of(Recording.of(trace(file))));
    try (Browser browser = Browser.open(page(html))) {
      // All that is live, main, and attend.
      assertEquals("3", browser.data(".flame", "nodes"));
      browser.press("largest blocks");
      String row = browser.first(".scroll tbody tr").getText();
      assertTrue(row.contains("attend (model.py:7)"), row);
      browser.click(browser.first(".scroll tbody tr"), 0.5, 0.5);
      assertEquals(5, browser.all("ol.stack li").size());
      browser.hasNoErrors();
    }
  }
}
