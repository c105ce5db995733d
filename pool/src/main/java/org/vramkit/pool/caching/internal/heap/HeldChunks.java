package org.vramkit.pool.caching.internal.heap;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
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

  /** A block of a region, or a hole. */
  private record Piece(Region region, long address, long end, Kind kind) {
    long size() {
      return end - address;
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

    /** The positions of the first and the last live block in {@link HeldChunks#live}. */
    final int first;

    int last;
    long liveBytes;
    long leastLive = Long.MAX_VALUE;
    boolean stuck;

    Held(Chunk chunk, int first) {
      this.chunk = chunk;
      this.first = first;
      this.last = first - 1;
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
    } finally {
      heap.lock.unlock();
    }
  }

  private void add(Region region) {
    for (Block block = region.first; block != null; block = block.next) {
      Kind kind = kindOf(block);
      Piece piece = new Piece(region, block.address, block.end(), kind);
      pieces.add(piece);
      boolean isLive = block.isMemory() && block.state() == Block.State.LIVE;
      if (kind == Kind.LIVE) {
        liveBefore.add(liveBefore.get(live.size()) + block.size);
        live.add(piece);
      } else if (isLive && !block.suspended) {
        stuckLive += block.size;
      }
      if (kind == Kind.LIVE || (kind == Kind.STUCK && block.isMemory())) {
        hold(region, block, kind, isLive);
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

  private void hold(Region region, Block block, Kind kind, boolean isLive) {
    for (long at = block.address; at < block.end(); ) {
      Chunk chunk = region.chunkAt(at);
      if (chunk == null) {
        at = region.pageFrom(at + 1);
        continue;
      }
      long end = Math.min(block.end(), chunk.end());
      Held holding = heldOf(chunk);
      if (isLive) {
        holding.liveBytes += end - at;
        holding.leastLive = Math.min(holding.leastLive, end - at);
      }
      if (kind == Kind.LIVE) {
        holding.last = live.size() - 1;
      } else {
        holding.stuck = true;
      }
      at = end;
    }
  }

  private Held heldOf(Chunk chunk) {
    Held last = held.isEmpty() ? null : held.get(held.size() - 1);
    if (last == null || last.chunk != chunk) {
      last = new Held(chunk, Math.max(0, live.size() - 1));
      held.add(last);
    }
    return last;
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

    /** Returns the largest block for which {@code room} bytes of chunks to map suffice. */
    long most(long room) {
      return room >= middle ? size() : Math.max(head, tail) + room;
    }
  }

  private List<Gap> gaps() {
    Set<Chunk> chunks = Collections.newSetFromMap(new IdentityHashMap<>());
    held.forEach(each -> chunks.add(each.chunk));
    List<Gap> gaps = new ArrayList<>();
    for (int i = 0; i < pieces.size(); ) {
      int from = i++;
      Piece first = pieces.get(from);
      if (first.kind == Kind.LIVE || first.kind == Kind.STUCK) {
        continue;
      }
      while (i < pieces.size()
          && pieces.get(i).region == first.region
          && (pieces.get(i).kind == Kind.FREE || pieces.get(i).kind == Kind.HOLE)) {
        i++;
      }
      gaps.add(gap(first.region, first.address, pieces.get(i - 1).end, chunks));
    }
    return gaps;
  }

  private static Gap gap(Region region, long from, long to, Set<Chunk> chunks) {
    Chunk first = region.chunkAt(from);
    Chunk last = region.chunkAt(to - 1);
    long head = first != null && chunks.contains(first) ? Math.min(to, first.end()) : from;
    long tail = last != null && chunks.contains(last) ? Math.max(head, last.address) : to;
    return new Gap(!region.small, head - from, tail - head, to - tail);
  }

  /** Returns the bytes of chunks to map for a block, in the place that lacks fewest. */
  public long missingFor(long size, long alignment) {
    long least = bytesFor(size, alignment);
    if (isVirtual && alignment <= SizeRules.ALIGNMENT) {
      long page = source.bytesFor(1, 1);
      for (Gap each : gaps()) {
        if (each.large != SizeRules.isSmall(size) && each.size() >= size) {
          least = Math.min(least, each.missing(size, page));
        }
      }
    }
    return least;
  }

  /**
   * Returns the largest block, of up to {@code wished} bytes, for which {@code room} bytes of
   * further chunks suffice; not positive if there is none.
   */
  public long mostFor(long room, long wished) {
    long page = source.bytesFor(1, 1);
    long whole = Math.max(0, room) / page * page;
    long most = whole;
    for (Gap each : gaps()) {
      long held = Math.min(each.most(0), wished);
      boolean isUsable = isVirtual || each.large != SizeRules.isSmall(held);
      most = isUsable ? Math.max(most, held) : most;
      most = isVirtual && each.large && whole > 0 ? Math.max(most, each.most(whole)) : most;
    }
    return Math.min(most, wished);
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
    Closing best = null;
    int from = 0;
    long bytes = 0;
    for (int to = 0; to < held.size(); to++) {
      if (held.get(to).stuck) {
        from = to + 1;
        bytes = 0;
        continue;
      }
      bytes += held.get(to).chunk.size;
      while (bytes - held.get(from).chunk.size >= wanted) {
        bytes -= held.get(from++).chunk.size;
      }
      if (bytes >= wanted) {
        best = cheaper(best, closing(held.get(from).first, held.get(to).last));
      }
    }
    return best;
  }

  /**
   * Returns the neighbouring live blocks with the fewest bytes whose close makes room for a block
   * in mapped memory; null if there are none.
   */
  public @Nullable Closing roomFor(long size, long alignment) {
    long wanted = alignment > SizeRules.ALIGNMENT ? size + alignment : size;
    Closing best = null;
    int from = 0;
    int firstLive = 0;
    int nextLive = 0;
    long bytes = 0;
    for (int to = 0; to < pieces.size(); to++) {
      Piece last = pieces.get(to);
      bytes += last.size();
      nextLive += last.kind == Kind.LIVE ? 1 : 0;
      if (!serves(last, size)) {
        from = to + 1;
        firstLive = nextLive;
        bytes = 0;
        continue;
      }
      while (pieces.get(from).region != last.region || bytes - pieces.get(from).size() >= wanted) {
        bytes -= pieces.get(from).size();
        firstLive += pieces.get(from++).kind == Kind.LIVE ? 1 : 0;
      }
      if (bytes >= wanted && nextLive > firstLive) {
        best = cheaper(best, closing(firstLive, nextLive - 1));
      }
    }
    return best;
  }

  private boolean serves(Piece piece, long size) {
    boolean hasMemory = piece.kind == Kind.LIVE || piece.kind == Kind.FREE;
    return hasMemory && (isVirtual || piece.region.small == SizeRules.isSmall(size));
  }

  private Closing closing(int first, int last) {
    return new Closing(
        last - first + 1,
        liveBefore.get(last + 1) - liveBefore.get(first),
        live.get(first).address,
        live.get(last).end);
  }

  private static Closing cheaper(@Nullable Closing one, Closing other) {
    return one == null || other.bytes < one.bytes ? other : one;
  }
}
