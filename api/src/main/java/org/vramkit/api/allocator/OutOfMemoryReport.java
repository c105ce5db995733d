package org.vramkit.api.allocator;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.MemoryInfo;

/**
 * Why an allocation failed, and the smallest change that would have helped.
 *
 * @param requestedBytes what was asked for
 * @param blockBytes what it rounds up to
 * @param stream handle of the stream, in hexadecimal
 * @param tag the tag of the request; empty without one
 * @param device the driver's view of the device; null where the driver failed to tell, and then the
 *     last step says why
 * @param limitBytes the allocator's own limit; {@link Long#MAX_VALUE} for none
 * @param reservedBytes what the allocator has taken from the driver
 * @param largestFreeBytes its largest free block
 * @param streams live, cached and free bytes by stream; pending ones count as live
 * @param pending bytes that wait for each stream, by its handle in hexadecimal
 * @param liveByTag bytes held by users, by tag; untagged ones under the empty name
 * @param steps what was tried, in order, with what each step gained
 * @param advice the smallest change that would have helped
 */
public record OutOfMemoryReport(
    long requestedBytes,
    long blockBytes,
    String stream,
    String tag,
    @Nullable MemoryInfo device,
    long limitBytes,
    long reservedBytes,
    long largestFreeBytes,
    List<StreamStatistics> streams,
    Map<String, Long> pending,
    Map<String, Long> liveByTag,
    List<String> steps,
    String advice) {

  /** Copies the collections. */
  public OutOfMemoryReport {
    streams = List.copyOf(streams);
    pending = Map.copyOf(pending);
    liveByTag = Map.copyOf(liveByTag);
    steps = List.copyOf(steps);
  }

  /** Bytes of blocks that users hold. */
  public long liveBytes() {
    return liveByTag.values().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * Bytes of blocks that users have closed and that wait for other streams; each counts once,
   * however many streams it waits for.
   */
  public long pendingBytes() {
    long taken = streams.stream().mapToLong(StreamStatistics::liveBytes).sum();
    return Math.max(0, taken - liveBytes());
  }
}
