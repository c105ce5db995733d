package org.vramkit.tools.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.WebElement;
import org.vramkit.api.units.ByteSize;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.Traces;

/** The page in a browser: opened, zoomed, clicked, and what it says then. */
class ViewPageTest {
  @TempDir private Path folder = Path.of("");

  private static Trace trace(Path file) {
    return Traces.readAll(file, true, bytes -> {}).get(0);
  }

  private static Trace shared(String name) {
    return trace(Path.of("..", "traces", name));
  }

  private Path page(Trace... traces) throws IOException {
    Path page = folder.resolve("page.html");
    List<Recording> recordings = Arrays.stream(traces).map(Recording::of).toList();
    try (OutputStream target = Files.newOutputStream(page)) {
      new HtmlPage("view", List.of(), List.of(), recordings).write(target);
    }
    return page;
  }

  /** What a click on a moment has to say. */
  private static String sentence(Trace trace, int event) {
    long bytes = 0;
    int allocations = 0;
    for (int i = 0; i <= event; i++) {
      int sign = trace.isAllocation(i) ? 1 : -1;
      bytes += sign * trace.getSize(trace.getAllocation(i));
      allocations += sign;
    }
    return String.format(
        Locale.ROOT,
        "after event %,d: %s live in %,d allocations",
        event,
        ByteSize.format(bytes),
        allocations);
  }

  @Test
  @DisplayName("22.5 gpt's page is at most 3 MB")
  void size() throws IOException {
    assertTrue(Files.size(page(shared("gpt.csv.gz"))) <= 3_000_000);
  }

  @Test
  @DisplayName(
      "22.5 a page opens offline, zooms by wheel and button, and describes what was clicked")
  void zoomAndClick() throws IOException {
    Trace gpt = shared("gpt.csv.gz");
    try (Browser browser = Browser.open(page(gpt))) {
      assertTrue(browser.status().contains("12.26 GiB live in"), browser.status());
      WebElement chart = browser.first(".chart");
      for (int turn = 0; turn < 5; turn++) {
        browser.wheel(chart, -600);
      }
      browser.until(
          "(document.querySelector('.chart').dataset.window || '0 1').split(' ')"
              + ".reduce((from, to) => to - from) < 0.7");
      browser.click(chart, 0.3, 0.4);
      int first = Integer.parseInt(browser.data(".recording", "event"));
      assertTrue(browser.status().contains(sentence(gpt, first)), browser.status());
      browser.click(chart, 0.7, 0.4);
      int second = Integer.parseInt(browser.data(".recording", "event"));
      assertTrue(second > first, () -> second + " lies before " + first);
      assertTrue(browser.status().contains(sentence(gpt, second)), browser.status());
      browser.press("whole recording");
      browser.until("document.querySelector('.chart').dataset.window === '0 1'");
      browser.press("next event");
      assertEquals(second + 1, Integer.parseInt(browser.data(".recording", "event")));
      browser.hasNoErrors();
    }
  }

  @Test
  @DisplayName("22.5 blocks of the map and nodes of the flame graph name their owner")
  void mapAndFlame() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("t.csv"),
            """
            action,addr,size,stream,time_us,tag,thread,stack
            alloc,4096,1000000,0,0,train/forward,main,"a.B.run(B.java:1);a.B.step(B.java:2)"
            alloc,2097152,3000000,1,10,train/backward,main,"a.B.run(B.java:1);a.B.back(B.java:9)"
            oom,5,9000000,1,20,train/backward,main,a.B.run(B.java:1)
            """);
    try (Browser browser = Browser.open(page(trace(file)))) {
      assertTrue(browser.status().contains("3.81 MiB live in 2 allocations"), browser.status());
      browser.click(browser.first(".map"), 0.5, 0.6);
      assertTrue(browser.status().contains("Block 0x200000: 2.86 MiB"), browser.status());
      assertTrue(
          browser.status().contains("tag train/backward, stream 1, thread main"), browser.status());
      assertEquals(
          List.of("a.B.back(B.java:9)", "a.B.run(B.java:1)"),
          browser.all("ol.stack li").stream().map(WebElement::getText).toList());
      // All, run, and beneath it back with three quarters and step.
      browser.click(browser.first(".flame"), 0.3, 0.75);
      assertTrue(
          browser.status().startsWith("a.B.back(B.java:9): 2.86 MiB in 1"), browser.status());
      assertEquals("a.B.back(B.java:9)", browser.data(".flame", "focus"));
      browser.press("tags");
      assertEquals("all live memory", browser.data(".flame", "focus"));
      browser.press("out of memory: 8.58 MiB");
      assertTrue(browser.first("tr.alarm").getText().contains("out of memory"));
      browser.hasNoErrors();
    }
  }

  @Test
  @DisplayName("22.5 the page of a recording that ran out of memory begins there")
  void outOfMemory() throws IOException {
    try (Browser browser = Browser.open(page(shared("snapshot-a.pickle")))) {
      assertEquals("2180", browser.data(".recording", "event"));
      assertEquals(1, browser.all("button.alarm").size());
      // All that is live, the lines of train.py that hold it, and PyTorch's between them.
      assertEquals("8", browser.data(".flame", "nodes"));
      browser.hasNoErrors();
    }
  }

  @Test
  @DisplayName("22.5 a peak is as high in the chart as in the text, however short, also if chosen")
  void shortPeak() throws IOException {
    StringBuilder rows = new StringBuilder("action,addr,size,stream,time_us\n");
    rows.append("alloc,0,1000000,0,0\n");
    for (int i = 1; i <= 5000; i++) {
      int size = i == 2500 ? 9_000_000 : 10;
      rows.append("alloc,4194304,").append(size).append(",0,").append(100 * i).append('\n');
      rows.append("free_completed,4194304,").append(size).append(",0,").append(100 * i + 1);
      rows.append('\n');
    }
    Path file = Files.writeString(folder.resolve("t.csv"), rows);
    try (Browser browser = Browser.open(page(trace(file)))) {
      assertTrue(browser.status().contains("9.54 MiB live in 2"), browser.status());
      // The strongest colour in some pixels around the peak, at half of its height: of a full white
      // 255, a band's colour leaves less than 150 in one channel.
      String darkest =
          "const e = document.querySelector('.chart'); const c = echarts.getInstanceByDom(e);"
              + "const [x, y] = c.convertToPixel({xAxisIndex: 0, yAxisIndex: 0}, [250e6, 5e6]);"
              + "const canvas = e.querySelector('canvas'); const k = canvas.width / e.offsetWidth;"
              + "const d = canvas.getContext('2d').getImageData((x - 4) * k, y * k, 8 * k, 1).data;"
              + "let least = 255; for (let i = 0; i < d.length; i += 4)"
              + "  if (d[i + 3] === 255 && Math.max(d[i], d[i + 1], d[i + 2]) > 120)"
              + "    least = Math.min(least, d[i], d[i + 1], d[i + 2]); return least;";
      long channel = ((Number) Objects.requireNonNull(browser.script(darkest))).longValue();
      assertTrue(channel < 150, () -> "the peak fades to " + channel);
      browser.hasNoErrors();
    }
  }

  @Test
  @DisplayName("22.5 the largest blocks begin at the largest, wherever the events were scrolled to")
  void largestFirst() throws IOException {
    try (Browser browser = Browser.open(page(shared("streams.csv.gz")))) {
      browser.until("document.querySelector('.panel .scroll').scrollTop > 0");
      browser.press("largest blocks");
      assertEquals(0L, browser.script("return document.querySelector('.panel .scroll').scrollTop"));
    }
  }

  @Test
  @DisplayName("22.5 two recordings appear side by side and zoom together")
  void sideBySide() throws IOException {
    Trace[] both = {shared("streams.csv.gz"), shared("snapshot-a.pickle")};
    try (Browser browser = Browser.open(page(both))) {
      assertEquals(2, browser.all(".comparison tbody tr").size());
      WebElement left = browser.all(".recording").get(0);
      WebElement right = browser.all(".recording").get(1);
      assertTrue(right.getLocation().x > left.getLocation().x + left.getSize().width - 1);
      browser.wheel(browser.all(".chart").get(0), -600);
      browser.until(
          "new Set([...document.querySelectorAll('.chart')].map(c => c.dataset.window)).size === 1"
              + " && document.querySelectorAll('.chart')[1].dataset.window !== undefined");
      browser.press("events");
      browser.hasNoErrors();
    }
  }

  @Test
  @DisplayName("several recordings are on one axis, with their peaks and reserved memory")
  void oneAxis() throws IOException {
    Trace[] both = {shared("gpt.csv.gz"), shared("growing.csv.gz")};
    try (Browser browser = Browser.open(page(both))) {
      String option = "echarts.getInstanceByDom(document.querySelector('.overlay')).getOption()";
      assertEquals(4L, browser.script("return " + option + ".series.length"));
      for (int i = 0; i < 2; i++) {
        String most =
            "return Math.max(..." + option + ".series[" + 2 * i + "].data.map(p => p[1]))";
        assertEquals(both[i].getRequestedPeakBytes(), browser.script(most));
        long last = both[i].getNanos(both[i].getEventCount() - 1);
        String end = "return " + option + ".series[" + 2 * i + "].data.at(-1)[0]";
        assertEquals(last, browser.script(end));
      }
      browser.press("events");
      int events = Math.max(both[0].getEventCount(), both[1].getEventCount());
      browser.until("document.querySelector('.overlay').dataset.end === '" + (events - 1) + "'");
      browser.hasNoErrors();
    }
  }

  @Test
  @DisplayName("22.5 nothing in a recording becomes markup or script")
  void injection() throws IOException {
    String evil = "</script><img src=x onerror=window.taken=1><script>window.taken=1</script>";
    Path file =
        Files.writeString(
            folder.resolve("<b onclick=window.taken=1>.csv"),
            "action,addr,size,stream,time_us,tag,thread,stack\n"
                + "alloc,4096,1000000,0,0,"
                + evil
                + ","
                + evil
                + ","
                + evil.replace(';', ' ')
                + "\n");
    try (Browser browser = Browser.open(page(trace(file)))) {
      browser.click(browser.first(".map"), 0.5, 0.5);
      assertTrue(browser.status().contains("tag </script><img src=x"), browser.status());
      browser.press("largest blocks");
      browser.press("thread");
      browser.click(browser.first(".chart"), 0.5, 0.5);
      assertNull(browser.script("return window.taken || null"));
      assertEquals(0, browser.all("img, main b[onclick]").size());
      browser.hasNoErrors();
    }
  }

  @Test
  @DisplayName("22.6 a click on a result shows its builder call")
  void front() throws IOException {
    Path page = folder.resolve("page.html");
    ParetoChart front =
        new ParetoChart(
            "t",
            "two",
            List.of(
                new ParetoChart.Point("one", "1 ms", 1 << 30, 1, true, "one()"),
                new ParetoChart.Point("two", "9 ms", 2 << 29, 9, true, "two()"),
                new ParetoChart.Point("far", "99 ms", 1L << 36, 99, false, "far()")));
    try (OutputStream target = Files.newOutputStream(page)) {
      new HtmlPage("tune", List.of(), List.of(front), List.of()).write(target);
    }
    try (Browser browser = Browser.open(page)) {
      assertEquals("one()", browser.first("pre.code").getText());
      Object share =
          browser.script(
              "const e = document.querySelector('.chart');"
                  + "const p = echarts.getInstanceByDom(e).convertToPixel({seriesIndex: 1}, [2 ** 30, 9]);"
                  + "return (p[0] / e.offsetWidth) + ' ' + (p[1] / e.offsetHeight);");
      String[] at = String.valueOf(share).split(" ", -1);
      browser.click(browser.first(".chart"), Double.parseDouble(at[0]), Double.parseDouble(at[1]));
      assertEquals("two()", browser.first("pre.code").getText());
      assertEquals("two: 9 ms", browser.status());
      browser.hasNoErrors();
    }
  }

  @Test
  @DisplayName("22.6 labels of results that are close together do not overlap")
  void labels() throws IOException {
    Path page = folder.resolve("page.html");
    List<ParetoChart.Point> points =
        IntStream.range(0, 6)
            .mapToObj(
                i ->
                    new ParetoChart.Point(
                        "result-" + i, "", (i < 5 ? 1L : 3L) << 30, 20 + 0.1 * i, i < 5, "b()"))
            .toList();
    try (OutputStream target = Files.newOutputStream(page)) {
      HtmlPage html =
          new HtmlPage("tune", List.of(), List.of(new ParetoChart("t", "five", points)), List.of());
      html.write(target);
    }
    String rects =
        "const c = echarts.getInstanceByDom(document.querySelector('.chart'));"
            + "return c.getZr().storage.getDisplayList(true)"
            + "  .filter(d => d.type === 'tspan' && /^result-/.test(d.style.text)).map(d => {"
            + "    const r = d.getBoundingRect().clone(); r.applyTransform(d.transform);"
            + "    return r.y; }).sort((a, b) => a - b).join(' ');";
    try (Browser browser = Browser.open(page)) {
      double[] tops =
          Arrays.stream(String.valueOf(browser.script(rects)).split(" ", -1))
              .mapToDouble(Double::parseDouble)
              .toArray();
      assertEquals(5, tops.length);
      for (int i = 1; i < tops.length; i++) {
        assertTrue(tops[i] - tops[i - 1] > 9, Arrays.toString(tops));
      }
      browser.hasNoErrors();
    }
  }
}
