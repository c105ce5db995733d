package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.allocator.Metric.Kind;
import org.vramkit.api.allocator.Metric.Unit;
import org.vramkit.api.allocator.Stat;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.device.Device;
import org.vramkit.api.units.ByteSize;

/** Formats the statistics of an allocator as a table of 80 columns. */
final class AllocatorSummary {
  /** Maximum number of tags and of streams listed. */
  private static final int LISTED = 5;

  private static final int NAME = 28;

  private final StringBuilder text = new StringBuilder(2048);

  private AllocatorSummary() {}

  static String of(Device device, long limit, AllocatorStatistics figures) {
    AllocatorSummary summary = new AllocatorSummary();
    summary.all(device, limit, figures);
    return summary.text.toString();
  }

  private void all(Device device, long limit, AllocatorStatistics figures) {
    String name = device.getProperties().name();
    text.append(
        fit("device " + device.getOrdinal() + ", " + name, 52)
            + (limit == Long.MAX_VALUE ? "no limit" : "limit " + ByteSize.format(limit))
            + "\n\n");
    table("memory", Unit.BYTES, figures);
    table("count", Unit.COUNT, figures);
    counters(figures);
    tags(figures.tags());
    streams(figures.streams());
  }

  /** Adds the figures of a unit that rise and fall; of a level, only the current value is known. */
  private void table(String title, Unit unit, AllocatorStatistics statistics) {
    row(title, "now", "peak", "added", "removed");
    for (Figure each : Figure.values()) {
      if (each.getUnit() == unit && each.getKind() != Kind.COUNTER) {
        Stat stat = statistics.get(each);
        boolean known = each.getKind() == Kind.GAUGE;
        row(
            each.getName(),
            format(unit, stat.current()),
            known ? format(unit, stat.peak()) : "",
            known ? format(unit, stat.added()) : "",
            known ? format(unit, stat.removed()) : "");
      }
    }
    text.append('\n');
  }

  /** Adds the other figures, two in a row. */
  private void counters(AllocatorStatistics statistics) {
    String left = "";
    for (Figure each : Figure.values()) {
      if (each.getKind() == Kind.COUNTER || each.getUnit() == Unit.NANOSECONDS) {
        String value = format(each.getUnit(), statistics.get(each).current());
        String cell = String.format(Locale.ROOT, "%s%13s", fit(each.getName(), 25), value);
        if (left.isEmpty()) {
          left = cell;
        } else {
          line(left + "  " + cell);
          left = "";
        }
      }
    }
    line(left);
  }

  private static String format(Unit unit, long value) {
    return switch (unit) {
      case BYTES -> ByteSize.format(value);
      case COUNT -> Long.toString(value);
      case NANOSECONDS -> String.format(Locale.ROOT, "%.2f ms", value / 1e6);
    };
  }

  private void tags(List<TagUsage> tags) {
    if (!tags.isEmpty()) {
      text.append('\n');
      row("tag", "live", "peak", "allocations", "");
      for (TagUsage each : tags.subList(0, Math.min(LISTED, tags.size()))) {
        row(
            each.tag(),
            ByteSize.format(each.liveBytes()),
            ByteSize.format(each.peakBytes()),
            Long.toString(each.allocations()),
            "");
      }
      more(tags.size());
    }
  }

  private void streams(List<StreamStatistics> all) {
    List<StreamStatistics> most = new ArrayList<>(all);
    most.sort(Comparator.comparingLong(StreamStatistics::liveBytes).reversed());
    text.append('\n');
    row("stream", "live", "cached", "fragments", "");
    for (StreamStatistics each : most.subList(0, Math.min(LISTED, most.size()))) {
      row(
          each.stream(),
          ByteSize.format(each.liveBytes()),
          ByteSize.format(each.cachedBytes()),
          ByteSize.format(each.fragmentBytes()),
          "");
    }
    more(most.size());
  }

  private void more(int count) {
    if (count > LISTED) {
      text.append("and ").append(count - LISTED).append(" more\n");
    }
  }

  private void row(String name, String a, String b, String c, String d) {
    line(String.format(Locale.ROOT, "%s%13s%13s%13s%13s", fit(name, NAME), a, b, c, d));
  }

  private void line(String line) {
    text.append(line.stripTrailing()).append('\n');
  }

  /** Pads or truncates a name. */
  private static String fit(String name, int width) {
    String shown = name.replaceAll("\\p{Cntrl}", "?");
    String cut = shown.length() < width ? shown : shown.substring(0, width - 2) + "~";
    return String.format(Locale.ROOT, "%-" + width + "s", cut);
  }
}
