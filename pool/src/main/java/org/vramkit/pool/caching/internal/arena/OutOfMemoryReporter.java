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
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;

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
      StreamCache owner, long requested, long size, String tag, List<String> steps) {
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
    List<StreamStatistics> streams = pools.main.statistics.streams();
    return new OutOfMemoryReport(
        requested,
        size,
        "0x" + Long.toHexString(owner.stream.getHandle()),
        tag,
        info,
        heap.books.limit(),
        heap.books.reserved(),
        largestFree(),
        streams,
        pendingByStream,
        liveByTag,
        log,
        advice(size, info, streams));
  }

  /** What the device has; null if the driver fails, which must not hide all else. */
  private @Nullable MemoryInfo askDriver(List<String> log) {
    try {
      return device.getMemoryInfo();
    } catch (FatalDeviceException lost) {
      throw lost;
    } catch (GpuException e) {
      log.add("ask how much the device has free: " + e);
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

  private String advice(long size, @Nullable MemoryInfo info, List<StreamStatistics> streams) {
    long total = info == null ? device.getProperties().totalMemoryBytes() : info.totalBytes();
    long live = streams.stream().mapToLong(StreamStatistics::liveBytes).sum();
    long limit = heap.books.limit();
    long reserved = heap.books.reserved();
    if (size > total) {
      return "ask for less: the device has " + ByteSize.format(total) + " in all";
    }
    long wanted = heap.bytesToTake(size);
    if (heap.books.forbids(wanted)) {
      return "raise the limit of "
          + arena
          + ", which holds "
          + ByteSize.format(heap.books.held())
          + ", or free what it holds";
    }
    Arena keeper = pools.largestKeeper(arena);
    long kept = keeper == null ? 0 : keeper.statistics.freeBytes();
    if (kept >= Math.max(1, wanted)) {
      return "close or trim " + keeper + ", which keeps " + ByteSize.format(kept) + " for itself";
    }
    long over = reserved + wanted - limit;
    if (limit < total && over > 0) {
      return "raise the limit by " + ByteSize.format(over) + ", or free as much";
    }
    if (info == null) {
      return "free "
          + ByteSize.format(wanted)
          + ", or try again: the driver did not tell what the device has free";
    }
    long others = info.getUsedBytes() - reserved;
    // Where nothing of its own is free, memory comes as the driver gives it: by pages or segments.
    long ofDriver = reserved - live < size ? wanted - info.freeBytes() : 0;
    long missing = Math.max(live + others + size - total, ofDriver);
    if (missing > 0) {
      return "free "
          + ByteSize.format(missing)
          + (others > size ? "; other users of the device hold " + ByteSize.format(others) : "");
    }
    if (wanted <= info.freeBytes()) {
      return "enough is free, and the driver refused it all the same: another user of the device may"
          + " have held it a moment ago, or a fault was planned; try again, or let a"
          + " RetryingAllocator do so";
    }
    return "enough is free, but in pieces: free the blocks between them"
        + (!heap.isVirtual() ? ", or use a device with virtual memory" : "");
  }

  private static String words(@Nullable MemoryInfo info) {
    return info == null
        ? "what the device has free is unknown"
        : "the device has "
            + ByteSize.format(info.freeBytes())
            + " free of "
            + ByteSize.format(info.totalBytes());
  }

  /** Who holds most, in parentheses; nothing where nobody uses tags. */
  private static String tagsOf(OutOfMemoryReport report) {
    String tags =
        report.liveByTag().entrySet().stream()
            .filter(each -> !each.getKey().isEmpty())
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .limit(MOST_TAGS)
            .map(each -> each.getKey() + " " + ByteSize.format(each.getValue()))
            .collect(Collectors.joining(", "));
    return tags.isEmpty() ? "" : " (" + tags + ")";
  }

  AllocatorOutOfMemoryException exception(
      OutOfMemoryReport report, @Nullable DeviceOutOfMemoryException refusal) {
    long live = 0;
    long cached = 0;
    long free = 0;
    for (StreamStatistics stream : report.streams()) {
      live += stream.liveBytes();
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
            + ByteSize.format(live)
            + tagsOf(report)
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
