package org.vramkit.pool.caching;

import java.util.List;
import java.util.stream.Stream;
import org.vramkit.api.allocator.TagUsage;

/**
 * A snapshot of every segment and block of a caching allocator, in the order of addresses.
 *
 * @param segments ranges of memory without gaps; with virtual memory, runs of mapped chunks
 * @param unplacedBytes bytes of chunks that are not mapped, because the driver failed to map them;
 *     the next growth uses or returns them
 * @param suspended blocks of allocations without memory, because their pool is {@linkplain
 *     PrivatePool#suspend suspended}; they lie in no segment
 * @param tags usage by tag, the tag with most live bytes first, as in {@link
 *     org.vramkit.api.allocator.AllocatorStatistics#tags}
 */
public record AllocatorSnapshot(
    List<SegmentView> segments,
    long unplacedBytes,
    List<BlockView> suspended,
    List<TagUsage> tags) {

  /** Copies the lists. */
  public AllocatorSnapshot {
    segments = List.copyOf(segments);
    suspended = List.copyOf(suspended);
    tags = List.copyOf(tags);
  }

  /**
   * Returns every block: first the blocks in segments, then the {@linkplain #suspended suspended}
   * blocks.
   */
  public Stream<BlockView> blocks() {
    return Stream.concat(
        segments.stream().flatMap(segment -> segment.blocks().stream()), suspended.stream());
  }

  /** The state of a block. */
  public enum BlockState {
    /** Allocated and not closed. */
    LIVE,
    /** Closed, and waiting for other streams. */
    PENDING,
    /** In a thread cache, ready for a hit. */
    CACHED,
    /** Free in the heap. */
    FREE
  }

  /**
   * A segment.
   *
   * @param address address of the first byte
   * @param size size in bytes
   * @param small whether it serves only requests up to 1 MiB
   * @param growable whether its chunks are mapped one by one
   * @param blocks its blocks, without gaps
   * @param pool the {@linkplain PrivatePool#getId id} of its private pool; 0 for none
   */
  public record SegmentView(
      long address, long size, boolean small, boolean growable, List<BlockView> blocks, long pool) {

    /** Copies the list. */
    public SegmentView {
      blocks = List.copyOf(blocks);
    }
  }

  /**
   * A block.
   *
   * @param address address of the first byte
   * @param size size in bytes
   * @param requested requested bytes; 0 unless live
   * @param state its state
   * @param stream its stream: the handle in hexadecimal, after the name if it has one, as in {@code
   *     copies (0x5)}; {@code shared} for none
   * @param tag the tag of its allocation, or empty
   * @param stack the stack of its allocation, the nearest frame first, if leak detection tracks it
   *     with one; otherwise empty. A history may have it
   */
  public record BlockView(
      long address,
      long size,
      long requested,
      BlockState state,
      String stream,
      String tag,
      List<StackTraceElement> stack) {

    /** Copies the list. */
    public BlockView {
      stack = List.copyOf(stack);
    }
  }
}
