package org.vramkit.api.allocator;

/**
 * The memory of one tag, in bytes of blocks. What carries no tag is the rest of the whole.
 *
 * <p>The peak is never too low. It is exact where one thread at a time uses the tag, on one stream.
 * Else it may be too high, by at most 8 MiB for each stream and thread that used it; and it is no
 * higher than the peaks of each of these together.
 *
 * @param tag its name
 * @param liveBytes what users hold
 * @param peakBytes the most that they held at once since peaks were reset
 * @param allocations how often memory was allocated under it
 * @param allocatedBytes how much that was in all
 */
public record TagUsage(
    String tag, long liveBytes, long peakBytes, long allocations, long allocatedBytes) {
  /** The name of all tags beyond those that are counted each by itself. */
  public static final String OTHERS = "(others)";
}
