package org.vramkit.tools.top;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.tools.report.TextTable;

/**
 * The latest figures of a JVM's allocators, formatted as tables or JSON. An allocator that stops
 * reporting counts as closed. Not thread-safe.
 */
final class Pools {
  private static final int MOST_ROWS = 15;
  private static final int NAME_WIDTH = 30;
  private static final String UNKNOWN = "-";

  private final Duration forgottenAfter;
  private final Map<Long, PoolFigures> now = new TreeMap<>();
  private final Map<Long, PoolFigures> before = new HashMap<>();
  private final Map<String, TagFigures> tags = new HashMap<>();
  private final Map<String, StreamFigures> streams = new HashMap<>();
  private final Map<Long, PartFigures> parts = new TreeMap<>();
  private Instant latest = Instant.MIN;

  /**
   * Creates an empty set of figures.
   *
   * @param forgottenAfter maximum age of an allocator's figures relative to the latest ones
   */
  Pools(Duration forgottenAfter) {
    this.forgottenAfter = forgottenAfter;
  }

  void add(PoolFigures figures) {
    PoolFigures older = now.put(figures.allocator(), figures);
    if (older != null) {
      before.put(figures.allocator(), older);
    }
    latest = figures.time().isAfter(latest) ? figures.time() : latest;
  }

  void add(TagFigures figures) {
    tags.put(figures.allocator() + " " + figures.tag(), figures);
  }

  void add(StreamFigures figures) {
    streams.put(figures.allocator() + " " + figures.stream(), figures);
  }

  void add(PartFigures figures) {
    parts.put(figures.part(), figures);
  }

  /** Removes outdated figures and returns whether none are left. */
  boolean isEmpty() {
    Instant oldest = latest.equals(Instant.MIN) ? latest : latest.minus(forgottenAfter);
    now.values().removeIf(each -> each.time().isBefore(oldest));
    before.keySet().retainAll(now.keySet());
    tags.values()
        .removeIf(each -> !now.containsKey(each.allocator()) || each.time().isBefore(oldest));
    streams
        .values()
        .removeIf(each -> !now.containsKey(each.allocator()) || each.time().isBefore(oldest));
    parts.values().removeIf(each -> each.time().isBefore(oldest));
    return now.isEmpty();
  }

  /**
   * Formats tables of devices and allocators, and if there are any of suspended memory, of parts
   * for scarce memory, of tags and of streams.
   */
  String text() {
    if (isEmpty()) {
      return "no allocator is open\n";
    }
    String text = devices(now.values()) + "\n" + allocators();
    return text
        + suspensions()
        + partTables()
        + (tags.isEmpty() ? "" : "\n" + tagTable())
        + (streams.isEmpty() ? "" : "\n" + streamTable());
  }

  /** Formats one line of JSON, with tags and streams sorted by memory. */
  String json() {
    isEmpty();
    PoolLine line = new PoolLine(latest);
    now.values().forEach(each -> line.add(each, rate(each, before.get(each.allocator()))));
    line.add(byMemory());
    line.addStreams(streamsByMemory());
    line.addParts(parts.values());
    return line.text() + "\n";
  }

  private static String devices(Collection<PoolFigures> pools) {
    Map<Integer, PoolFigures> devices = new TreeMap<>();
    Map<Integer, Long> own = new HashMap<>();
    for (PoolFigures each : pools) {
      devices.put(each.device(), each);
      own.merge(each.device(), each.reserved(), Long::sum);
    }
    TextTable table = new TextTable().left(1).wrap(1, 20);
    table.row("DEVICE", "NAME", "TOTAL", "USED", "HERE", "OTHERS");
    devices.forEach(
        (ordinal, figures) -> {
          long here = own.getOrDefault(ordinal, 0L);
          boolean known = figures.deviceUsed() >= 0;
          table.row(
              ordinal.toString(),
              figures.deviceName(),
              bytes(figures.deviceTotal()),
              known ? bytes(figures.deviceUsed()) : UNKNOWN,
              bytes(here),
              known ? bytes(Math.max(0, figures.deviceUsed() - here)) : UNKNOWN);
        });
    return table.toString();
  }

  /** Formats a table of each allocator's memory and one of its activity. */
  private String allocators() {
    TextTable memory = new TextTable();
    memory.row("ALLOCATOR", "DEV", "LIVE", "CACHED", "FRAGMENTS", "RESERVED", "PEAK");
    TextTable calls = new TextTable();
    calls.row("ALLOCATOR", "HELD", "ALLOC/S", "FROM POOL", "CACHE HITS", "MOVED", "OOM", "LEAKS");
    for (PoolFigures each : now.values()) {
      String number = Long.toString(each.allocator());
      memory.row(
          number,
          Integer.toString(each.device()),
          bytes(each.live()),
          bytes(each.cached()),
          bytes(each.fragments()),
          bytes(each.reserved()),
          bytes(each.reservedPeak()));
      calls.row(
          number,
          Long.toString(each.allocations()),
          rateText(each),
          percent(each.servedFromPool(), each.made()),
          percent(each.cacheHits(), each.made()),
          Long.toString(each.pagesMoved()),
          Long.toString(each.outOfMemories()),
          Long.toString(each.leaks()));
    }
    return memory + "\n" + calls;
  }

  private String suspensions() {
    TextTable table = new TextTable();
    table.row("ALLOCATOR", "SUSPENDED");
    List<PoolFigures> suspended =
        now.values().stream().filter(each -> each.suspended() > 0).toList();
    suspended.forEach(each -> table.row(Long.toString(each.allocator()), bytes(each.suspended())));
    return suspended.isEmpty() ? "" : "\n" + table;
  }

  private String partTables() {
    StringBuilder text = new StringBuilder();
    for (PartFigures.Kind kind : PartFigures.Kind.values()) {
      List<PartFigures> all = parts.values().stream().filter(each -> each.kind() == kind).toList();
      text.append(all.isEmpty() ? "" : "\n" + kind.table(all));
    }
    return text.toString();
  }

  private String rateText(PoolFigures figures) {
    OptionalDouble rate = rate(figures, before.get(figures.allocator()));
    return rate.isPresent() ? String.format(Locale.ROOT, "%.0f", rate.getAsDouble()) : UNKNOWN;
  }

  /** Returns allocations per second; empty if unknown, such as after a reset of the statistics. */
  private static OptionalDouble rate(PoolFigures now, @Nullable PoolFigures before) {
    if (before == null || now.made() < before.made()) {
      return OptionalDouble.empty();
    }
    double seconds = Duration.between(before.time(), now.time()).toNanos() / 1e9;
    return seconds <= 0
        ? OptionalDouble.empty()
        : OptionalDouble.of((now.made() - before.made()) / seconds);
  }

  private static String percent(long part, long whole) {
    return whole == 0 ? UNKNOWN : String.format(Locale.ROOT, "%.1f%%", 100.0 * part / whole);
  }

  private List<TagFigures> byMemory() {
    List<TagFigures> most = new ArrayList<>(tags.values());
    most.sort(
        Comparator.comparingLong(TagFigures::live)
            .reversed()
            .thenComparing(TagFigures::tag)
            .thenComparing(TagFigures::allocator));
    return most;
  }

  private String tagTable() {
    List<TagFigures> most = byMemory();
    TextTable table = new TextTable().wrap(0, NAME_WIDTH);
    table.row("TAG", "ALLOCATOR", "LIVE", "PEAK", "ALLOCATIONS");
    for (TagFigures each : most.subList(0, Math.min(MOST_ROWS, most.size()))) {
      table.row(
          each.tag().replaceAll("\\p{Cntrl}", "?"),
          Long.toString(each.allocator()),
          bytes(each.live()),
          bytes(each.peak()),
          Long.toString(each.made()));
    }
    int more = most.size() - MOST_ROWS;
    return more > 0 ? table + "and " + more + " more\n" : table.toString();
  }

  private List<StreamFigures> streamsByMemory() {
    List<StreamFigures> most = new ArrayList<>(streams.values());
    most.sort(
        Comparator.comparingLong(StreamFigures::live)
            .thenComparingLong(StreamFigures::cached)
            .reversed()
            .thenComparing(StreamFigures::stream)
            .thenComparing(StreamFigures::allocator));
    return most;
  }

  private String streamTable() {
    List<StreamFigures> most = streamsByMemory();
    TextTable table = new TextTable().wrap(0, NAME_WIDTH);
    table.row("STREAM", "ALLOCATOR", "LIVE", "CACHED", "FRAGMENTS");
    for (StreamFigures each : most.subList(0, Math.min(MOST_ROWS, most.size()))) {
      table.row(
          each.stream().replaceAll("\\p{Cntrl}", "?"),
          Long.toString(each.allocator()),
          bytes(each.live()),
          bytes(each.cached()),
          bytes(each.fragments()));
    }
    int more = most.size() - MOST_ROWS;
    return more > 0 ? table + "and " + more + " more\n" : table.toString();
  }

  private static String bytes(long bytes) {
    return ByteSize.format(bytes);
  }
}
