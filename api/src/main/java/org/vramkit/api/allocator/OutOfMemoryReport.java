package org.vramkit.api.allocator;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.MemoryInfo;

/**
 * The reason why an allocation failed, and the smallest change that would have helped.
 *
 * @param requestedBytes the requested size
 * @param blockBytes the size of the block, after rounding up
 * @param stream handle of the stream, in hexadecimal
 * @param tag the tag of the request; empty if it has none
 * @param device the driver's view of the device; null if the driver query failed, in which case the
 *     last step gives its error
 * @param limitBytes the allocator's own limit; {@link Long#MAX_VALUE} for none
 * @param reservedBytes bytes that the allocator has reserved from the driver
 * @param largestFreeBytes size of the largest free block
 * @param streams live, cached and free bytes of each stream; closed blocks that wait for other
 *     streams count as live
 * @param pending bytes of closed blocks that wait for a stream, by the stream's handle in
 *     hexadecimal
 * @param liveByTag live bytes by tag; untagged allocations under the empty name
 * @param requestedByOwner requested bytes of live allocations by owner, the innermost frame of the
 *     program in the stack of the allocation: {@code no frame of the program} if it has none,
 *     {@code no stack} for an allocation without a known stack; empty if no stack is known
 * @param steps the recovery steps in order, each with its result
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
    Map<String, Long> requestedByOwner,
    List<String> steps,
    String advice) {

  /** Copies the collections. */
  public OutOfMemoryReport {
    streams = List.copyOf(streams);
    pending = Map.copyOf(pending);
    liveByTag = Map.copyOf(liveByTag);
    requestedByOwner = Map.copyOf(requestedByOwner);
    steps = List.copyOf(steps);
  }

  /** Returns the bytes of live allocations. */
  public long liveBytes() {
    return liveByTag.values().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * Returns the bytes of closed blocks that wait for other streams. A block that waits for several
   * streams counts once.
   */
  public long pendingBytes() {
    long taken = streams.stream().mapToLong(StreamStatistics::liveBytes).sum();
    return Math.max(0, taken - liveBytes());
  }
}
