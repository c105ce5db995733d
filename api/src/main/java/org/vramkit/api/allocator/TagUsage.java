package org.vramkit.api.allocator;

/**
 * The memory of one tag. Sizes are those of blocks, after rounding up. Untagged memory has no
 * entry.
 *
 * <p>The peak is never too low. It is exact if only one thread at a time uses the tag, on one
 * stream. Otherwise the peak may be too high by at most 8 MiB for each stream and thread that used
 * the tag, but never exceeds the sum of the peaks of those streams and threads.
 *
 * @param tag the tag
 * @param liveBytes bytes of live blocks
 * @param peakBytes maximum of {@code liveBytes} since peaks were reset
 * @param allocations number of allocations under the tag
 * @param allocatedBytes total bytes of those allocations
 */
public record TagUsage(
    String tag, long liveBytes, long peakBytes, long allocations, long allocatedBytes) {
  /** The name of the entry that sums up all tags without their own entry. */
  public static final String OTHERS = "(others)";
}
