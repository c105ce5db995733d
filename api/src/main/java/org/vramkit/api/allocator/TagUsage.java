package org.vramkit.api.allocator;

/**
 * The memory of one tag, in bytes of blocks. Untagged memory has no entry.
 *
 * <p>The peak is never too low. It is exact if one thread at a time uses the tag on one stream.
 * Otherwise it may be too high by at most 8 MiB for each stream and thread that used the tag, and
 * never exceeds the sum of their peaks.
 *
 * @param tag the tag
 * @param liveBytes bytes of live blocks
 * @param peakBytes maximum of {@code liveBytes} since peaks were reset
 * @param allocations number of allocations under the tag
 * @param allocatedBytes total bytes of those allocations
 */
public record TagUsage(
    String tag, long liveBytes, long peakBytes, long allocations, long allocatedBytes) {
  /** The name under which the tags without an entry of their own are summed up. */
  public static final String OTHERS = "(others)";
}
