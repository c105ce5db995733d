package org.vramkit.pool.caching.internal.heap;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.heap.Region.Chunk;
import org.vramkit.pool.support.PoolDriverCalls;
import org.vramkit.pool.support.Streams;

/**
 * The suspended part of a heap: the chunks that were returned to the driver, and the blocks that
 * keep their addresses meanwhile.
 *
 * <p>A chunk is returned as a whole, with the live blocks and the free gaps on it. A gap is removed
 * from the free indexes. A block that is closed during the suspension becomes {@link
 * Block.Place#SUSPENDED}. It cannot become a hole, because a hole consists of whole pages. The end
 * of the suspension frees gaps and closed blocks: as memory if their chunk is mapped again, else as
 * holes.
 *
 * <p>Guarded by the lock of its owner, which lets suspensions and resumes run one at a time. Blocks
 * and chunks are guarded by the heap's locks.
 */
public final class SuspendedMemory {
  /** The offset of a piece that is not copied. */
  private static final long NOWHERE = -1;

  /**
   * The part of a block that lies on one chunk.
   *
   * @param offset offset of the piece in the backup; {@link #NOWHERE} if it is not copied
   */
  private record Piece(Block block, long from, long to, long offset) {
    /**
     * Returns whether a caller holds the block, or it is pending; otherwise it is cached or free.
     */
    boolean isUsed() {
      return block.place == Block.Place.TAKEN && block.requested > 0;
    }

    /** Returns whether the block is still owned and not pending. */
    boolean isOpen() {
      return block.place == Block.Place.TAKEN && !block.pending;
    }

    /** Returns whether the piece directly follows another one, on the device and in the backup. */
    boolean continues(Piece before) {
      return before.to == from && before.offset + before.to - before.from == offset;
    }
  }

  /** A chunk of the suspension: to be returned, returned, or mapped again. */
  public static final class Part {
    private final Region region;
    private final long address;
    private final long size;

    /** The pieces of blocks that had an owner when the chunk was chosen. */
    private final List<Piece> pieces = new ArrayList<>();

    private final List<Piece> gaps = new ArrayList<>();

    /** Gaps that work of the stream that freed them may still use. */
    private final List<Piece> unsettledGaps = new ArrayList<>();

    private Part(Region region, Chunk chunk) {
      this.region = region;
      this.address = chunk.address;
      this.size = chunk.size;
    }

    public long size() {
      return size;
    }

    private @Nullable Chunk chunk() {
      return region.chunkAt(address);
    }

    private List<Piece> listOf(Block.Place place) {
      return switch (place) {
        case TAKEN -> pieces;
        case UNSETTLED -> unsettledGaps;
        default -> gaps;
      };
    }

    /**
     * Returns whether a block that is still owned, possibly by the pending frees, lies partly or
     * wholly on the chunk.
     */
    private boolean isNeeded() {
      return pieces.stream().anyMatch(each -> each.block.place == Block.Place.TAKEN);
    }
  }

  private final Heap heap;
  private final VirtualMemorySource source;
  private final Device device;
  private final List<Part> parts = new ArrayList<>();
  private long backupBytes;

  private SuspendedMemory(Heap heap, VirtualMemorySource source, Device device) {
    this.heap = heap;
    this.source = source;
    this.device = device;
  }

  /** Creates the suspension of a heap, without chunks; null if the heap's memory is not virtual. */
  public static @Nullable SuspendedMemory of(Heap heap, Device device) {
    return heap.source instanceof VirtualMemorySource source
        ? new SuspendedMemory(heap, source, device)
        : null;
  }

  public long backupBytes() {
    return backupBytes;
  }

  // ---- the choice ----

  /**
   * Chooses all chunks. Called while no call of the pool is in progress and the thread caches are
   * empty. Work may still use free blocks; the caller waits for it before the chunks go.
   *
   * @return the streams with recorded uses of blocks on the chunks
   */
  public List<Stream> choose() {
    List<Stream> users = new ArrayList<>();
    backupBytes = 0;
    heap.growth.lock();
    heap.lock.lock();
    try {
      heap.regions().forEach(region -> partsOf(region).forEach(each -> take(each, users)));
    } finally {
      heap.lock.unlock();
      heap.growth.unlock();
    }
    return users;
  }

  /** Returns the chunks of a region, with the pieces of blocks on each. */
  private static List<Part> partsOf(Region region) {
    List<Part> found = new ArrayList<>();
    for (Block block = region.first; block != null; block = block.next) {
      for (long at = block.address; at < block.end() && block.isMemory(); ) {
        Chunk chunk = requireNonNull(region.chunkAt(at), "chunk");
        int last = found.size() - 1;
        if (last < 0 || found.get(last).address != chunk.address) {
          found.add(new Part(region, chunk));
          last++;
        }
        Piece piece = new Piece(block, at, Math.min(block.end(), chunk.end()), NOWHERE);
        found.get(last).listOf(block.place).add(piece);
        at = chunk.end();
      }
    }
    return found;
  }

  private void take(Part part, List<Stream> users) {
    part.gaps.replaceAll(this::takeGap);
    part.unsettledGaps.replaceAll(this::takeGap);
    part.pieces.replaceAll(
        each -> {
          each.block.suspended = true;
          each.block.uses().forEach(stream -> Streams.addTo(users, stream));
          if (!each.isUsed()) {
            return each;
          }
          long offset = backupBytes;
          backupBytes += each.to - each.from;
          return new Piece(each.block, each.from, each.to, offset);
        });
    parts.add(part);
  }

  private Piece takeGap(Piece free) {
    Block gap = heap.carve(free.block, free.from, free.to - free.from);
    gap.place = Block.Place.SUSPENDED;
    return new Piece(gap, free.from, free.to, NOWHERE);
  }

  // ---- copies ----

  /** Submits the copies of the open blocks on all chunks to the backup. */
  public void copyOut(PinnedBuffer backup, Stream stream) {
    copy(parts, each -> stream.copyToHost(backup, each.offset, each.from, each.to - each.from));
  }

  /** Submits the copies of the open blocks on a chunk from the backup. */
  public void copyIn(Part part, PinnedBuffer backup, Stream stream) {
    copy(
        List.of(part),
        each -> stream.copyToDevice(each.from, backup, each.offset, each.to - each.from));
  }

  private void copy(List<Part> some, Consumer<Piece> copy) {
    PoolDriverCalls.make(device, () -> copies(some).forEach(copy));
  }

  /** Returns the pieces to copy, with neighbours on a chunk joined. */
  private List<Piece> copies(List<Part> some) {
    List<Piece> copies = new ArrayList<>();
    heap.lock.lock();
    try {
      for (Part part : some) {
        int first = copies.size();
        for (Piece each : part.pieces) {
          int last = copies.size() - 1;
          if (each.offset == NOWHERE || !each.isOpen()) {
            continue;
          }
          if (last >= first && each.continues(copies.get(last))) {
            Piece before = copies.get(last);
            copies.set(last, new Piece(before.block, before.from, each.to, before.offset));
          } else {
            copies.add(each);
          }
        }
      }
    } finally {
      heap.lock.unlock();
    }
    return copies;
  }

  // ---- memory ----

  /** Returns the memory of the chunks to the driver. Called when none of it is being copied. */
  public void takeAway() {
    heap.growth.lock();
    try {
      List<Chunk> neighbours = new ArrayList<>();
      for (Part each : parts) {
        Chunk chunk = each.chunk();
        if (chunk == null) {
          continue;
        }
        int last = neighbours.size() - 1;
        if (last >= 0 && neighbours.get(last).end() != each.address) {
          unmap(neighbours);
          neighbours.clear();
        }
        neighbours.add(chunk);
      }
      unmap(neighbours);
      source.releaseUnplaced();
    } finally {
      heap.growth.unlock();
    }
  }

  private void unmap(List<Chunk> neighbours) {
    if (!neighbours.isEmpty()) {
      long bytes = neighbours.stream().mapToLong(each -> each.size).sum();
      device.getMemoryObserver().suspended(neighbours.get(0).address, bytes);
      source.unmapChunks(neighbours);
      heap.stats.add(Figure.SUSPENDED, bytes);
    }
  }

  /**
   * Returns the chunks with blocks that are still owned, including pending ones. They must be
   * mapped again.
   */
  public List<Part> needed() {
    return heap.lock.read(() -> parts.stream().filter(Part::isNeeded).toList());
  }

  /** Returns the bytes of the chunks that must be mapped again. */
  public long neededBytes() {
    return needed().stream().mapToLong(Part::size).sum();
  }

  /** Returns the bytes of the chunks that must be mapped again and are not yet. */
  public long unmappedBytes() {
    return needed().stream().filter(each -> each.chunk() == null).mapToLong(Part::size).sum();
  }

  /**
   * Maps memory at the addresses of a chunk, unless it is mapped already, and makes it accessible.
   * If this fails, memory may be mapped nevertheless, until {@link #takeAway} returns it.
   *
   * @throws DeviceOutOfMemoryException if the limit or the device has too little
   */
  public void bringBack(Part part) {
    heap.growth.lock();
    try {
      if (part.chunk() == null) {
        map(part);
      }
      source.grantAccess(part.address, part.size);
    } finally {
      heap.growth.unlock();
    }
  }

  private void map(Part part) {
    if (!heap.limit.allows(part.size)) {
      throw new DeviceOutOfMemoryException(
          "the limit leaves room for %s, but a chunk needs %s"
              .formatted(
                  ByteSize.format(Math.max(0, heap.limit.bytes() - heap.limit.reserved())),
                  ByteSize.format(part.size)),
          part.size,
          DriverStatus.NONE,
          null);
    }
    source.mapNew(part.region, part.address, part.size);
    heap.stats.add(Figure.SUSPENDED, -part.size);
  }

  // ---- the end ----

  /** Ends the suspension of the chunks that are mapped; returns whether this ended all of it. */
  public boolean endWherePresent() {
    end(each -> each.chunk() != null);
    return parts.isEmpty();
  }

  /** Ends the suspension. Addresses of chunks that are not mapped become holes. */
  public void end() {
    end(each -> true);
  }

  private void end(Predicate<Part> which) {
    Block freed = null;
    heap.growth.lock();
    heap.lock.lock();
    try {
      List<Part> ended = parts.stream().filter(which).toList();
      parts.removeIf(which);
      for (Part part : ended) {
        boolean isReturned = part.chunk() == null;
        heap.stats.add(Figure.SUSPENDED, isReturned ? -part.size : 0);
        Block.Place place = isReturned ? Block.Place.HOLE : Block.Place.SETTLED;
        part.gaps.forEach(each -> heap.insertMerged(each.block, place));
        for (Piece each : part.unsettledGaps) {
          freed = release(each.block, freed);
        }
      }
      Set<Block> staying = blocksOf(parts);
      for (Block block : blocksOf(ended)) {
        if (!staying.contains(block)) {
          block.suspended = false;
          freed = block.place == Block.Place.SUSPENDED ? release(block, freed) : freed;
        }
      }
    } finally {
      heap.lock.unlock();
      heap.growth.unlock();
    }
    heap.free(freed);
  }

  private static Set<Block> blocksOf(List<Part> parts) {
    Set<Block> blocks = new LinkedHashSet<>();
    parts.forEach(part -> part.pieces.forEach(each -> blocks.add(each.block)));
    return blocks;
  }

  /**
   * Turns the parts of a closed block that have no memory into holes, and links the other parts.
   */
  private @Nullable Block release(Block closed, @Nullable Block others) {
    assert closed.place == Block.Place.SUSPENDED && !closed.suspended;
    Block freed = others;
    for (Block rest = closed; rest != null; ) {
      boolean present = rest.region.chunkAt(rest.address) != null;
      long at = rest.region.endOfRun(rest.address, rest.end());
      Block next = at < rest.end() ? heap.splitTaken(rest, at - rest.address) : null;
      if (present) {
        rest.place = Block.Place.TAKEN;
        rest.nextCached = freed;
        freed = rest;
      } else {
        heap.insertMerged(rest, Block.Place.HOLE);
      }
      rest = next;
    }
    return freed;
  }
}
