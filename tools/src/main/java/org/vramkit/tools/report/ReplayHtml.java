package org.vramkit.tools.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.tools.replay.DriverFigures;
import org.vramkit.tools.replay.ReplayResult;

/** A replay as one page that needs nothing else: a chart and the figures of each trace. */
public final class ReplayHtml {
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Vramkit replay</title>
      <style>
      :root { color-scheme: light dark; --page: #fff; --text: #1b1f24; --quiet: #59636e;
        --line: #d8dee4; --requested: #0a66c2; --area: #0a66c226; --reserved: #c2410c; }
      @media (prefers-color-scheme: dark) {
        :root { --page: #14171a; --text: #e6e8ea; --quiet: #9aa4ae; --line: #333a41;
          --requested: #6cb2ff; --area: #6cb2ff2e; --reserved: #ff9d66; } }
      body { margin: 2rem auto; max-width: 62rem; padding: 0 1rem; background: var(--page);
        color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
      h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .25rem; }
      p { color: var(--quiet); margin: .25rem 0 .75rem; }
      .scroll { overflow-x: auto; }
      table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
      th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right;
        white-space: nowrap; }
      th { font-weight: 600; color: var(--quiet); }
      th:first-child, td:first-child { text-align: left; }
      svg { width: 100%; height: auto; display: block; }
      svg text { fill: var(--quiet); font-size: 12px; }
      .grid { stroke: var(--line); }
      .area { fill: var(--area); }
      .requested { fill: none; stroke: var(--requested); stroke-width: 1.5; }
      .reserved { fill: none; stroke: var(--reserved); stroke-width: 1.5; }
      .key::before { content: ""; display: inline-block; width: 1.2em; height: .2em;
        margin: 0 .4em .25em 0; background: currentColor; }
      .key { margin-right: 1.5em; } .of-requested { color: var(--requested); }
      .of-reserved { color: var(--reserved); }
      </style>
      </head>
      <body>
      <h1>Vramkit replay</h1>
      """;

  private ReplayHtml() {}

  /** The page. */
  public static String of(List<ReplayResult> results) {
    StringBuilder page = new StringBuilder(HEAD);
    figures(page, results);
    results.forEach(result -> section(page, result));
    return page.append("</body>\n</html>\n").toString();
  }

  private static void figures(StringBuilder page, List<ReplayResult> results) {
    page.append("<div class=\"scroll\"><table>\n<tr>");
    List.of(
            "trace",
            "events",
            "requested peak",
            "reserved peak",
            "ratio",
            "driver calls",
            "driver ms",
            "ns per event",
            "steady",
            "failed",
            "hazards")
        .forEach(name -> page.append("<th>").append(name).append("</th>"));
    page.append("</tr>\n");
    for (ReplayResult result : results) {
      DriverFigures driver = result.driver();
      Double ratio = result.getReservedRatio();
      page.append("<tr>");
      cell(page, result.trace().getName());
      cell(page, count(result.trace().getEventCount()));
      cell(page, ByteSize.format(result.trace().getRequestedPeakBytes()));
      cell(page, ByteSize.format(result.getReservedPeakBytes()));
      cell(page, ratio == null ? "-" : String.format(Locale.ROOT, "%.4f", ratio));
      cell(
          page,
          driver == null
              ? "-"
              : count(driver.calls().values().stream().mapToLong(Long::longValue).sum()));
      cell(
          page,
          driver == null ? "-" : String.format(Locale.ROOT, "%.2f", driver.estimatedNanos() / 1e6));
      cell(page, String.format(Locale.ROOT, "%.0f", result.getFirstPass().nanosPerEvent()));
      cell(page, String.format(Locale.ROOT, "%.0f", result.getLastPass().nanosPerEvent()));
      cell(page, count(result.failedAllocations()));
      cell(page, count(result.hazards()));
      page.append("</tr>\n");
    }
    page.append("</table></div>\n");
  }

  private static void section(StringBuilder page, ReplayResult result) {
    page.append("<h2>").append(escape(result.trace().getName())).append("</h2>\n<p>");
    page.append(
        escape(
            String.format(
                Locale.ROOT,
                "%s, %s, %s on %s",
                result.trace().getFormat().getLabel(),
                Count.of(result.trace().getAllocationCount(), "allocation"),
                result.allocator(),
                result.backend())));
    page.append("</p>\n<p><span class=\"key of-requested\">requested</span>")
        .append("<span class=\"key of-reserved\">reserved</span></p>\n")
        .append(MemoryChart.of(result.timeline()));
    DriverFigures driver = result.driver();
    if (driver != null) {
      counts(page, "driver call", new TreeMap<>(driver.calls()));
    }
    if (!result.trace().getRepairs().isEmpty()) {
      counts(page, "repair", result.trace().getRepairs());
    }
    if (!result.problems().isEmpty()) {
      page.append("<p>Problems: ").append(escape(String.join("; ", result.problems())));
      page.append("</p>\n");
    }
  }

  private static void counts(StringBuilder page, String name, Map<String, Long> counts) {
    page.append("<table>\n<tr><th>").append(name).append("</th><th>count</th></tr>\n");
    counts.forEach(
        (key, value) -> {
          page.append("<tr>");
          cell(page, key);
          cell(page, count(value));
          page.append("</tr>\n");
        });
    page.append("</table>\n");
  }

  private static void cell(StringBuilder page, String text) {
    page.append("<td>").append(escape(text)).append("</td>");
  }

  private static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
