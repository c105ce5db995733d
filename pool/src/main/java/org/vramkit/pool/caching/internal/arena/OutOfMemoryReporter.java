package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.allocator.OutOfMemoryReport;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.support.Streams;

/**
 * Says why an allocation failed: what was wanted, who holds what, what would have helped. The
 * figures are those of all pools, because the limit and the device are too.
 */
final class OutOfMemoryReporter {
  /** Named in the message; the report has all. */
  private static final int MOST_TAGS = 3;

  private final Arena arena;
  private final Device device;
  private final Heap heap;
  private final PoolRegistry pools;

  /** Reports for a pool that runs out of memory. */
  OutOfMemoryReporter(Arena arena, PoolRegistry pools) {
    this.arena = arena;
    this.device = pools.device();
    this.heap = arena.heap;
    this.pools = pools;
  }

  OutOfMemoryReport report(
      StreamCache owner,
      long requested,
      long size,
      long alignment,
      String tag,
      List<String> steps) {
    Map<String, Long> liveByTag = new HashMap<>();
    Map<String, Long> pendingByStream = new HashMap<>();
    for (Arena each : pools.members()) {
      addLive(each.heap, liveByTag);
      each.pending
          .bytesByStream()
          .forEach((stream, bytes) -> pendingByStream.merge(stream, bytes, Long::sum));
    }
    List<String> log = new ArrayList<>(steps);
    MemoryInfo info = askDriver(log);
    return new OutOfMemoryReport(
        requested,
        size,
        Streams.nameOf(owner.stream),
        tag,
        info,
        heap.books.limit(),
        heap.books.reserved(),
        largestFree(),
        pools.main.statistics.streams(),
        pendingByStream,
        liveByTag,
        log,
        new OutOfMemoryAdvice(arena, pools, size, alignment, info).find());
  }

  /** Returns the device's memory; null if the driver fails, which must not hide the rest. */
  private @Nullable MemoryInfo askDriver(List<String> log) {
    try {
      return device.getMemoryInfo();
    } catch (FatalDeviceException lost) {
      throw lost;
    } catch (GpuException e) {
      log.add("query the device's free memory: " + e);
      return null;
    }
  }

  private static void addLive(Heap heap, Map<String, Long> liveByTag) {
    heap.eachBlock(
        block -> {
          if (block.state() == Block.State.LIVE) {
            liveByTag.merge(block.tag(), block.size, Long::sum);
          }
        });
  }

  /** Of what this pool may use. */
  private long largestFree() {
    long[] largest = {0};
    heap.eachBlock(
        block -> {
          if (block.place != Block.Place.TAKEN) {
            largest[0] = Math.max(largest[0], block.size);
          }
        });
    return largest[0];
  }

  private static String words(@Nullable MemoryInfo info) {
    return info == null
        ? "the device's free memory is unknown"
        : "the device has "
            + ByteSize.format(info.freeBytes())
            + " free of "
            + ByteSize.format(info.totalBytes());
  }

  /** The tags that hold most, in parentheses; empty where no memory has a tag. */
  private static String tagsOf(OutOfMemoryReport report) {
    List<Map.Entry<String, Long>> tags =
        report.liveByTag().entrySet().stream()
            .filter(each -> !each.getKey().isEmpty())
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .toList();
    if (tags.isEmpty()) {
      return "";
    }
    List<Map.Entry<String, Long>> named = tags.subList(0, Math.min(MOST_TAGS, tags.size()));
    List<Map.Entry<String, Long>> omitted = tags.subList(named.size(), tags.size());
    long rest = omitted.stream().mapToLong(Map.Entry::getValue).sum();
    return named.stream()
        .map(each -> each.getKey() + " " + ByteSize.format(each.getValue()))
        .collect(
            Collectors.joining(
                ", ",
                " (",
                omitted.isEmpty()
                    ? ")"
                    : ", and "
                        + Count.of(omitted.size(), "more tag")
                        + " with "
                        + ByteSize.format(rest)
                        + ")"));
  }

  AllocatorOutOfMemoryException exception(
      OutOfMemoryReport report, @Nullable DeviceOutOfMemoryException refusal) {
    long cached = 0;
    long free = 0;
    for (StreamStatistics stream : report.streams()) {
      cached += stream.cachedBytes();
      free += stream.fragmentBytes();
    }
    String limit =
        report.limitBytes() < device.getProperties().totalMemoryBytes()
            ? ", limit " + ByteSize.format(report.limitBytes())
            : "";
    String message =
        "out of memory on device "
            + device.getOrdinal()
            + (arena.id == 0 ? "" : " in private pool " + arena.id)
            + ": asked for "
            + ByteSize.format(report.requestedBytes())
            + (report.tag().isEmpty() ? "" : " for " + report.tag())
            + " on stream "
            + report.stream()
            + "; "
            + words(report.device())
            + limit
            + "; reserved "
            + ByteSize.format(report.reservedBytes())
            + " = live "
            + ByteSize.format(report.liveBytes())
            + tagsOf(report)
            + " + pending "
            + ByteSize.format(report.pendingBytes())
            + " + cached "
            + ByteSize.format(cached)
            + " + free "
            + ByteSize.format(free)
            + " (largest "
            + ByteSize.format(report.largestFreeBytes())
            + "); to do: "
            + report.advice();
    return new AllocatorOutOfMemoryException(
        message, report, refusal == null ? DriverStatus.NONE : refusal.getStatus(), refusal);
  }
}
