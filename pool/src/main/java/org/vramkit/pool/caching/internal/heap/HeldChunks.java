package org.vramkit.pool.caching.internal.heap;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.heap.Region.Chunk;
import org.vramkit.pool.caching.internal.option.SizeRules;

/**
 * The chunks of a heap that can neither move nor return to the driver, at one moment: a part of
 * each chunk belongs to a live block, or to a stream that must not be queried because of a capture.
 * All other memory of the heap can serve any request once the work that uses it is complete.
 *
 * <p>Computes which live blocks must be closed to get more memory. Leaves out blocks that a capture
 * would keep from being reused after their close.
 */
public final class HeldChunks {
  /**
   * Live blocks to close: all blocks in a range of addresses.
   *
   * @param bytes total size of the blocks
   * @param from address of the first block
   * @param to end of the last block
   */
  public record Closing(int count, long bytes, long from, long to) {}

  /**
   * A block of a region, or a hole.
   *
   * @param firstLive the number of live blocks before it in {@link HeldChunks#live}
   */
  private record Piece(Region region, long address, long end, Kind kind, int firstLive) {
    long size() {
      return end - address;
    }

    boolean isLive() {
      return kind == Kind.LIVE;
    }

    boolean isFree() {
      return kind == Kind.FREE || kind == Kind.HOLE;
    }
  }

  private enum Kind {
    LIVE,
    FREE,
    /** Addresses without memory. */
    HOLE,
    /**
     * Memory that stays unusable after a close, because it must not be waited for or its pool is
     * suspended.
     */
    STUCK
  }

  /** A held chunk, and the live blocks in it. */
  private static final class Held {
    final Chunk chunk;

    /** The positions of the first live block in {@link HeldChunks#live}, and after the last. */
    final int first;

    int end;
    long liveBytes;
    long leastLive = Long.MAX_VALUE;
    boolean stuck;

    Held(Chunk chunk, int first) {
      this.chunk = chunk;
      this.first = first;
    }
  }

  private final MemorySource source;
  private final boolean isVirtual;
  private final PendingBlocks pending;
  private final boolean captures;

  /** Closed blocks that wait for streams which must not be waited for. */
  private final Set<Block> heldUp;

  private final List<Piece> pieces = new ArrayList<>();
  private final List<Piece> live = new ArrayList<>();

  /** At each position, the bytes of all live blocks before it. */
  private final List<Long> liveBefore = new ArrayList<>(List.of(0L));

  private final List<Held> held = new ArrayList<>();
  private final List<Gap> gaps = new ArrayList<>();
  private long stuckLive;

  /**
   * Computes the chunks that are held now.
   *
   * @param pending closed blocks of the heap that other streams use
   * @param captures whether a capture may forbid queries of streams of the heap
   */
  public HeldChunks(Heap heap, PendingBlocks pending, boolean captures) {
    this.source = heap.source;
    this.isVirtual = heap.isVirtual();
    this.pending = pending;
    this.captures = captures;
    this.heldUp = captures ? pending.heldUp() : Set.of();
    heap.lock.lock();
    try {
      heap.regions().stream()
          .sorted(Comparator.comparingLong(region -> region.address))
          .forEach(this::add);
      findGaps();
    } finally {
      heap.lock.unlock();
    }
  }

  private void add(Region region) {
    // Pieces of different regions are no neighbours.
    pieces.add(new Piece(region, region.address, region.address, Kind.STUCK, live.size()));
    for (Block block = region.first; block != null; block = block.next) {
      Kind kind = kindOf(block);
      Piece piece = new Piece(region, block.address, block.end(), kind, live.size());
      pieces.add(piece);
      boolean isLive = block.isMemory() && block.state() == Block.State.LIVE;
      if (kind == Kind.LIVE) {
        liveBefore.add(liveBefore.get(live.size()) + block.size);
        live.add(piece);
      } else if (isLive && !block.suspended) {
        stuckLive += block.size;
      }
      if (kind == Kind.LIVE || (kind == Kind.STUCK && block.isMemory())) {
        hold(piece, isLive);
      }
    }
  }

  private Kind kindOf(Block block) {
    if (block.suspended) {
      return Kind.STUCK;
    }
    if (!block.isMemory()) {
      return block.place == Block.Place.HOLE ? Kind.HOLE : Kind.STUCK;
    }
    boolean isUnqueryable =
        captures
            && block.place != Block.Place.SETTLED
            && block.hasOwner()
            && (block.owner().progress.isUnqueryable()
                || heldUp.contains(block)
                || block.uses().stream().anyMatch(pending::isUnqueryable));
    return isUnqueryable ? Kind.STUCK : block.state() == Block.State.LIVE ? Kind.LIVE : Kind.FREE;
  }

  private void hold(Piece piece, boolean isLive) {
    for (long at = piece.address; at < piece.end; ) {
      Chunk chunk = piece.region.chunkAt(at);
      if (chunk == null) {
        at = piece.region.pageFrom(at + 1);
        continue;
      }
      long end = Math.min(piece.end, chunk.end());
      if (held.isEmpty() || held.get(held.size() - 1).chunk != chunk) {
        held.add(new Held(chunk, piece.firstLive));
      }
      Held holding = held.get(held.size() - 1);
      holding.end = live.size();
      holding.stuck |= !piece.isLive();
      if (isLive) {
        holding.liveBytes += end - at;
        holding.leastLive = Math.min(holding.leastLive, end - at);
      }
      at = end;
    }
  }

  /**
   * Free addresses between two blocks that are not free.
   *
   * @param large whether the region is for large blocks
   * @param head bytes at the beginning on a held chunk
   * @param middle bytes between, to which other chunks can be mapped
   * @param tail bytes at the end on a held chunk
   */
  private record Gap(boolean large, long head, long middle, long tail) {
    long size() {
      return head + middle + tail;
    }

    /** Returns the bytes of chunks to map for a block that begins or ends the gap. */
    long missing(long bytes, long page) {
      return Math.min(middle, ByteSize.roundUp(Math.max(0, bytes - Math.max(head, tail)), page));
    }
  }

  private void findGaps() {
    Set<Chunk> chunks = held.stream().map(each -> each.chunk).collect(Collectors.toSet());
    for (int i = 0; i < pieces.size(); ) {
      Piece first = pieces.get(i++);
      Piece last = first;
      while (first.isFree() && i < pieces.size() && pieces.get(i).isFree()) {
        last = pieces.get(i++);
      }
      if (first.isFree()) {
        gaps.add(gap(first.region, first.address, last.end, chunks));
      }
    }
  }

  private static Gap gap(Region region, long from, long to, Set<Chunk> chunks) {
    Chunk first = region.chunkAt(from);
    Chunk last = region.chunkAt(to - 1);
    long head = first != null && chunks.contains(first) ? Math.min(to, first.end()) : from;
    long tail = last != null && chunks.contains(last) ? Math.max(head, last.address) : to;
    return new Gap(!region.small, head - from, tail - head, to - tail);
  }

  /** Returns the bytes of further chunks for a block, in the place that lacks fewest. */
  public long missingFor(long size, long alignment) {
    long least = bytesFor(size, alignment);
    if (alignment <= SizeRules.ALIGNMENT) {
      for (Gap each : gaps) {
        if (each.size() >= size) {
          least = Math.min(least, missingIn(each, size));
        }
      }
    }
    return least;
  }

  private long missingIn(Gap gap, long size) {
    boolean isOfSize = gap.large != SizeRules.isSmall(size);
    long missing = gap.missing(size, source.bytesFor(1, 1));
    boolean serves = missing == 0 ? isVirtual || isOfSize : isVirtual && isOfSize;
    return serves ? missing : Long.MAX_VALUE;
  }

  /** Returns the bytes of chunks that serve a request wherever they are mapped. */
  public long bytesFor(long size, long alignment) {
    return source.bytesFor(size, alignment);
  }

  /** Returns the bytes of all held chunks. */
  public long bytes() {
    return held.stream().mapToLong(each -> each.chunk.size).sum();
  }

  /** Returns the bytes of all live blocks. */
  public long liveBytes() {
    return liveBefore.get(live.size()) + stuckLive;
  }

  /** Returns the bytes of the chunks that would still be held if every live block were closed. */
  public long stuckBytes() {
    return held.stream().filter(each -> each.stuck).mapToLong(each -> each.chunk.size).sum();
  }

  /** Returns the bytes of the chunks without a live block, which are held by captures alone. */
  public long capturedBytes() {
    return held.stream()
        .filter(each -> each.liveBytes == 0)
        .mapToLong(each -> each.chunk.size)
        .sum();
  }

  /**
   * Returns how many bytes of arbitrary live blocks must be closed until {@code wanted} bytes of
   * chunks are no longer held. A chunk is held while any of its blocks is live.
   *
   * @return {@link Long#MAX_VALUE} if closing all blocks is not enough
   */
  public long anyToClose(long wanted) {
    if (bytes() - stuckBytes() < wanted) {
      return Long.MAX_VALUE;
    }
    long idle = 0;
    for (Held each : held) {
      if (each.liveBytes > 0) {
        idle += each.stuck ? each.liveBytes : each.liveBytes - each.leastLive;
      }
    }
    return Math.min(wanted + idle, liveBytes());
  }

  /**
   * Returns the neighbouring live blocks with the fewest bytes whose close frees {@code wanted}
   * bytes of chunks; null if there are none.
   */
  public @Nullable Closing cheapestToClose(long wanted) {
    return cheapest(
        held.stream().map(each -> new Unit(each.chunk.size, !each.stuck, each.first, each.end)),
        wanted);
  }

  /**
   * Returns the neighbouring live blocks with the fewest bytes whose close makes room for a block
   * in mapped memory; null if there are none.
   */
  public @Nullable Closing roomFor(long size, long alignment) {
    return cheapest(
        pieces.stream()
            .map(
                each ->
                    new Unit(
                        each.size(),
                        serves(each, size),
                        each.firstLive,
                        each.firstLive + (each.isLive() ? 1 : 0))),
        alignment > SizeRules.ALIGNMENT ? size + alignment : size);
  }

  /**
   * A held chunk or a block, as a part of the memory that a close frees.
   *
   * @param firstLive position of its first live block, up to {@code endLive}
   */
  private record Unit(long bytes, boolean isUsable, int firstLive, int endLive) {}

  /** Finds the neighbouring units of {@code wanted} bytes with the fewest live bytes. */
  private @Nullable Closing cheapest(Stream<Unit> all, long wanted) {
    List<Unit> units = all.toList();
    Closing best = null;
    int from = 0;
    long bytes = 0;
    for (int to = 0; to < units.size(); to++) {
      Unit last = units.get(to);
      if (!last.isUsable) {
        from = to + 1;
        bytes = 0;
        continue;
      }
      bytes += last.bytes;
      while (bytes - units.get(from).bytes >= wanted) {
        bytes -= units.get(from++).bytes;
      }
      int first = units.get(from).firstLive;
      if (bytes >= wanted && last.endLive > first) {
        best = cheaper(best, closing(first, last.endLive));
      }
    }
    return best;
  }

  private boolean serves(Piece piece, long size) {
    boolean hasMemory = piece.isLive() || piece.kind == Kind.FREE;
    return hasMemory && (isVirtual || piece.region.small == SizeRules.isSmall(size));
  }

  private Closing closing(int first, int end) {
    return new Closing(
        end - first,
        liveBefore.get(end) - liveBefore.get(first),
        live.get(first).address,
        live.get(end - 1).end);
  }

  private static Closing cheaper(@Nullable Closing one, Closing other) {
    return one == null || other.bytes < one.bytes ? other : one;
  }
}
