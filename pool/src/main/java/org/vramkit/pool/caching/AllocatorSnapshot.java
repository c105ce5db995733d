package org.vramkit.pool.caching;

import java.util.List;
import java.util.stream.Stream;
import org.vramkit.api.allocator.TagUsage;

/**
 * Every segment and block of a caching allocator at one moment, by address, and who holds them.
 *
 * @param segments pieces of memory without gaps; with virtual memory the runs of mapped pages
 * @param unplacedBytes pages that lie at no address, because the driver failed while they were
 *     taken or moved; the next change of pages uses them or gives them back
 * @param suspended blocks of allocations whose memory is away, as their pool is {@linkplain
 *     PrivatePool#suspend suspended}; they lie in no segment
 * @param tags usage by tag, by most live bytes, as {@link
 *     org.vramkit.api.allocator.AllocatorStatistics#tags} has it; so it also knows of what was
 *     closed before this moment
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

  /** Every block: those in segments, and then those whose memory is away. */
  public Stream<BlockView> blocks() {
    return Stream.concat(
        segments.stream().flatMap(segment -> segment.blocks().stream()), suspended.stream());
  }

  /** What a block is doing. */
  public enum BlockState {
    /** A user holds it. */
    LIVE,
    /** Closed, and waiting for another stream. */
    PENDING,
    /** In a cache, ready for a hit. */
    CACHED,
    /** Free, behind the caches. */
    FREE
  }

  /**
   * A piece of memory.
   *
   * @param address its first byte
   * @param size its bytes
   * @param small whether it serves requests up to 1 MiB alone
   * @param growable whether its pages come and go one by one
   * @param blocks what it consists of, without gaps
   * @param pool the private pool that it belongs to, by {@link PrivatePool#getId}; 0 for none
   */
  public record SegmentView(
      long address, long size, boolean small, boolean growable, List<BlockView> blocks, long pool) {

    /** Copies the list. */
    public SegmentView {
      blocks = List.copyOf(blocks);
    }
  }

  /**
   * A piece of a segment.
   *
   * @param address its first byte
   * @param size its bytes
   * @param requested what its user asked for; 0 when nobody holds it
   * @param state what it is doing
   * @param stream the stream it belongs to, by its handle in hexadecimal behind its name if it has
   *     one, as in {@code copies (0x5)}; {@code shared} for none
   * @param tag the tag of its allocation, or empty
   */
  public record BlockView(
      long address, long size, long requested, BlockState state, String stream, String tag) {}
}
