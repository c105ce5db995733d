package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;
import org.vramkit.api.allocator.AllocatorStatistics;
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
    row("memory", "now", "peak", "added", "removed");
    stat("requested by users", figures.requested(), ByteSize::format);
    stat("in live blocks", figures.allocated(), ByteSize::format);
    stat("in live and pending blocks", figures.active(), ByteSize::format);
    stat("reserved from the driver", figures.reserved(), ByteSize::format);
    now("  free, in caches", ByteSize.format(figures.cachedBytes()));
    now("  free, in the heap", ByteSize.format(figures.fragmentBytes()));
    if (figures.suspendedBytes() > 0) {
      now("suspended", ByteSize.format(figures.suspendedBytes()));
    }
    text.append('\n');
    row("count", "now", "peak", "added", "removed");
    stat("allocations", figures.allocations(), Long::toString);
    stat("segments or pages", figures.segments(), Long::toString);
    now("free blocks", Long.toString(figures.freeBlocks()));
    text.append('\n');
    pair(
        "served from the pool",
        figures.servedFromPool(),
        "memory taken or moved",
        figures.misses());
    pair("driver allocations", figures.driverAllocations(), "driver frees", figures.driverFrees());
    pair("pages moved", figures.pagesMoved(), "waits on the host", figures.synchronizations());
    pair("out of memory", figures.outOfMemories(), "saved by recovery", figures.retries());
    pair("leaks", figures.leaks(), "stolen across streams", figures.steals());
    tags(figures.tags());
    streams(figures.streams());
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

  private void stat(String name, Stat stat, LongFunction<String> format) {
    row(
        name,
        format.apply(stat.current()),
        format.apply(stat.peak()),
        format.apply(stat.added()),
        format.apply(stat.removed()));
  }

  private void now(String name, String value) {
    row(name, value, "", "", "");
  }

  private void row(String name, String a, String b, String c, String d) {
    line(String.format(Locale.ROOT, "%s%13s%13s%13s%13s", fit(name, NAME), a, b, c, d));
  }

  private void pair(String name, long value, String other, long second) {
    line(
        String.format(
            Locale.ROOT, "%s%12d  %s%13d", fit(name, NAME), value, fit(other, 25), second));
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
