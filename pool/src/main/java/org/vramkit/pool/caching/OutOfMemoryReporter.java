package org.vramkit.pool.caching;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.allocator.OutOfMemoryReport;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.units.ByteSize;

/** Says why an allocation failed: what was wanted, who holds what, what would have helped. */
final class OutOfMemoryReporter {
  private final Device device;
  private final BlockHeap heap;
  private final PendingFrees pending;
  private final StatisticsReader statistics;

  OutOfMemoryReporter(
      Device device, BlockHeap heap, PendingFrees pending, StatisticsReader statistics) {
    this.device = device;
    this.heap = heap;
    this.pending = pending;
    this.statistics = statistics;
  }

  OutOfMemoryReport report(StreamHeap owner, long requested, long size, List<String> steps) {
    Map<String, Long> liveByTag = new HashMap<>();
    long[] largestFree = {0};
    heap.lock.lock();
    try {
      for (Segment segment : heap.segments()) {
        for (Block block = segment.first; block != null; block = block.next) {
          if (block.state() == Block.State.LIVE) {
            liveByTag.merge(block.tag, block.size, Long::sum);
          } else if (block.place != Block.Place.TAKEN) {
            largestFree[0] = Math.max(largestFree[0], heap.mappedBytes(block));
          }
        }
      }
    } finally {
      heap.lock.unlock();
    }
    MemoryInfo info = device.getMemoryInfo();
    List<StreamStatistics> streams = statistics.streams();
    return new OutOfMemoryReport(
        requested,
        size,
        "0x" + Long.toHexString(owner.stream.getHandle()),
        info,
        heap.books.limit(),
        heap.books.reserved(),
        largestFree[0],
        streams,
        pending.bytesByStream(),
        liveByTag,
        steps,
        advice(owner, size, info, streams));
  }

  private String advice(
      StreamHeap owner, long size, MemoryInfo info, List<StreamStatistics> streams) {
    long live = streams.stream().mapToLong(StreamStatistics::liveBytes).sum();
    long limit = heap.books.limit();
    long reserved = heap.books.reserved();
    if (size > info.totalBytes()) {
      return "ask for less: the device has " + ByteSize.format(info.totalBytes()) + " in all";
    }
    long over = reserved + heap.bytesToTake(owner, size) - limit;
    if (limit < info.totalBytes() && over > 0) {
      return "raise the limit by " + ByteSize.format(over) + ", or free as much";
    }
    long others = info.getUsedBytes() - reserved;
    long missing = live + others + size - info.totalBytes();
    if (missing > 0) {
      return "free "
          + ByteSize.format(missing)
          + (others > size ? "; other users of the device hold " + ByteSize.format(others) : "");
    }
    return "enough is free, but in pieces: free the blocks between them"
        + (heap instanceof SegmentHeap ? ", or use a device with virtual memory" : "");
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
        report.limitBytes() < report.device().totalBytes()
            ? ", limit " + ByteSize.format(report.limitBytes())
            : "";
    String message =
        "out of memory on device "
            + device.getOrdinal()
            + ": asked for "
            + ByteSize.format(report.requestedBytes())
            + " on stream "
            + report.stream()
            + "; the device has "
            + ByteSize.format(report.device().freeBytes())
            + " free of "
            + ByteSize.format(report.device().totalBytes())
            + limit
            + "; reserved "
            + ByteSize.format(report.reservedBytes())
            + " = live "
            + ByteSize.format(live)
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
