package org.vramkit.tools.top;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import org.vramkit.api.units.ByteSize;
import org.vramkit.tools.report.TextTable;

/** Formats the figures of a JVM's allocators as tables of at most 80 columns. */
final class PoolTables {
  private static final int MOST_ROWS = 15;
  private static final int NAME_WIDTH = 30;
  private static final int LINE_WIDTH = 80;
  private static final String UNKNOWN = "-";

  /** The figures of an allocator that have a column. */
  private static final Set<String> COLUMNS =
      Set.of(
          "deviceUsedBytes",
          "deviceTotalBytes",
          "liveBytes",
          "cachedBytes",
          "fragmentBytes",
          "reservedBytes",
          "reservedPeakBytes",
          "suspendedBytes",
          "allocations",
          "servedFromPool",
          "cacheHits",
          "misses",
          "pagesMoved",
          "outOfMemories",
          "leaks");

  private final Pools pools;

  PoolTables(Pools pools) {
    this.pools = pools;
  }

  /**
   * Formats tables of devices and allocators, and if there are any of suspended memory, of parts
   * for scarce memory, of tags and of streams.
   */
  String text() {
    StringBuilder text = new StringBuilder(devices() + "\n" + memory() + "\n" + calls() + others());
    text.append(suspended());
    for (PartKind kind : PartKind.values()) {
      Collection<Figures> all = pools.parts(kind);
      text.append(all.isEmpty() ? "" : "\n" + parts(kind, all));
    }
    List<Figures> tags = pools.tags();
    List<Figures> streams = pools.streams();
    text.append(
        tags.isEmpty() ? "" : named("tag", tags, List.of("liveBytes", "peakBytes", "allocations")));
    text.append(
        streams.isEmpty()
            ? ""
            : named("stream", streams, List.of("liveBytes", "cachedBytes", "fragmentBytes")));
    return text.toString();
  }

  private String devices() {
    Map<Integer, Figures> devices = new TreeMap<>();
    Map<Integer, Long> own = new HashMap<>();
    for (Pools.Reading each : pools.allocators()) {
      devices.put(each.figures().device(), each.figures());
      own.merge(each.figures().device(), each.figures().get("reservedBytes"), Long::sum);
    }
    TextTable table = new TextTable().left(1).wrap(1, 20);
    table.row("DEVICE", "NAME", "TOTAL", "USED", "HERE", "OTHERS");
    devices.forEach(
        (ordinal, figures) -> {
          long here = own.getOrDefault(ordinal, 0L);
          long used = figures.get("deviceUsedBytes");
          table.row(
              ordinal.toString(),
              figures.label("deviceName"),
              figures.text("deviceTotalBytes"),
              used < 0 ? UNKNOWN : ByteSize.format(used),
              ByteSize.format(here),
              used < 0 ? UNKNOWN : ByteSize.format(Math.max(0, used - here)));
        });
    return table.toString();
  }

  private String memory() {
    TextTable table = new TextTable();
    table.row("ALLOCATOR", "DEV", "LIVE", "CACHED", "FRAGMENTS", "RESERVED", "PEAK");
    for (Pools.Reading each : pools.allocators()) {
      Figures figures = each.figures();
      table.row(
          Long.toString(figures.number()),
          Integer.toString(figures.device()),
          figures.text("liveBytes"),
          figures.text("cachedBytes"),
          figures.text("fragmentBytes"),
          figures.text("reservedBytes"),
          figures.text("reservedPeakBytes"));
    }
    return table.toString();
  }

  private String calls() {
    TextTable table = new TextTable();
    table.row("ALLOCATOR", "HELD", "ALLOC/S", "FROM POOL", "CACHE HITS", "MOVED", "OOM", "LEAKS");
    for (Pools.Reading each : pools.allocators()) {
      Figures figures = each.figures();
      OptionalDouble rate = each.rate();
      table.row(
          Long.toString(figures.number()),
          figures.text("allocations"),
          rate.isPresent() ? String.format(Locale.ROOT, "%.0f", rate.getAsDouble()) : UNKNOWN,
          percent(figures.get("servedFromPool"), each.made()),
          percent(figures.get("cacheHits"), each.made()),
          figures.text("pagesMoved"),
          figures.text("outOfMemories"),
          figures.text("leaks"));
    }
    return table.toString();
  }

  private String suspended() {
    TextTable table = new TextTable();
    table.row("ALLOCATOR", "SUSPENDED");
    List<Figures> all =
        pools.allocators().stream()
            .map(Pools.Reading::figures)
            .filter(each -> each.get("suspendedBytes") > 0)
            .toList();
    all.forEach(each -> table.row(Long.toString(each.number()), each.text("suspendedBytes")));
    return all.isEmpty() ? "" : "\n" + table;
  }

  private static String percent(long part, long whole) {
    return whole == 0 ? UNKNOWN : String.format(Locale.ROOT, "%.1f%%", 100.0 * part / whole);
  }

  /** Lists the figures of each allocator that are not 0 and have no column, except for peaks. */
  private String others() {
    StringBuilder text = new StringBuilder();
    for (Pools.Reading each : pools.allocators()) {
      List<String> words = new ArrayList<>();
      for (String key : each.figures().values().keySet()) {
        if (!COLUMNS.contains(key) && !key.contains("Peak") && each.figures().get(key) != 0) {
          words.add(Figures.wordsOf(key) + " " + each.figures().text(key));
        }
      }
      if (!words.isEmpty()) {
        text.append('\n').append(wrapped("allocator " + each.figures().number() + ": ", words));
      }
    }
    return text.toString();
  }

  /** Writes words after a beginning, separated by commas, in lines that fit. */
  private static String wrapped(String beginning, List<String> words) {
    StringBuilder text = new StringBuilder();
    StringBuilder line = new StringBuilder(beginning);
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i) + (i < words.size() - 1 ? "," : "");
      if (line.length() + word.length() + 1 > LINE_WIDTH) {
        text.append(line.toString().stripTrailing()).append('\n');
        line = new StringBuilder("  ");
      }
      line.append(word).append(' ');
    }
    return text.append(line.toString().stripTrailing()).append('\n').toString();
  }

  private static String parts(PartKind kind, Collection<Figures> parts) {
    TextTable table = new TextTable();
    List<String> header = new ArrayList<>(List.of(kind.header()));
    kind.columns.forEach(each -> header.add(headerOf(each)));
    table.row(header.toArray(String[]::new));
    for (Figures each : parts) {
      List<String> row = new ArrayList<>(List.of(Long.toString(each.number())));
      kind.columns.forEach(column -> row.add(each.text(column)));
      table.row(row.toArray(String[]::new));
    }
    return table.toString();
  }

  private static String headerOf(String key) {
    return Figures.wordsOf(key).toUpperCase(Locale.ROOT);
  }

  /** Formats the tags or streams with most memory. */
  private static String named(String name, List<Figures> all, List<String> columns) {
    TextTable table = new TextTable().wrap(0, NAME_WIDTH);
    List<String> header = new ArrayList<>(List.of(headerOf(name), "ALLOCATOR"));
    columns.forEach(
        each -> header.add(each.equals("fragmentBytes") ? "FRAGMENTS" : headerOf(each)));
    table.row(header.toArray(String[]::new));
    for (Figures each : all.subList(0, Math.min(MOST_ROWS, all.size()))) {
      String shown = each.label(name).replaceAll("\\p{Cntrl}", "?");
      List<String> row = new ArrayList<>(List.of(shown, Long.toString(each.number())));
      columns.forEach(column -> row.add(each.text(column)));
      table.row(row.toArray(String[]::new));
    }
    int more = all.size() - MOST_ROWS;
    return "\n" + table + (more > 0 ? "and " + more + " more\n" : "");
  }
}
