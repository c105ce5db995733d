package org.vramkit.pool.caching.internal.heap;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.heap.Region.Chunk;
import org.vramkit.pool.support.OwnCalls;
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
public final class Suspension {
  /** Bytes of the chunks that are unmapped or mapped together, while others are copied. */
  private static final long GROUP_BYTES = 256 * ByteSize.MIB;

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

    boolean isSettled() {
      return block.place == Block.Place.SETTLED;
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

    /** True if a resume has mapped new memory, so that the bytes are in the backup alone. */
    private boolean renewed;

    private Part(Region region, Chunk chunk) {
      this.region = region;
      this.address = chunk.address;
      this.size = chunk.size;
    }

    /** Returns the bytes of the chunk. */
    public long size() {
      return size;
    }

    private @Nullable Chunk chunk() {
      return region.chunkAt(address);
    }

    /**
     * Returns whether a block that is still owned, possibly by the pending frees, lies partly or
     * wholly on the chunk.
     */
    private boolean isNeeded() {
      return pieces.stream().anyMatch(each -> each.block.place == Block.Place.TAKEN);
    }

    /** Returns the pieces to copy, with neighbours joined. */
    private List<Piece> copies() {
      List<Piece> copies = new ArrayList<>();
      for (Piece each : pieces) {
        int last = copies.size() - 1;
        if (each.offset == NOWHERE || !each.isOpen()) {
          continue;
        }
        if (last >= 0 && each.continues(copies.get(last))) {
          Piece before = copies.remove(last);
          copies.add(new Piece(before.block, before.from, each.to, before.offset));
        } else {
          copies.add(each);
        }
      }
      return copies;
    }
  }

  private final Heap heap;
  private final VirtualMemorySource source;
  private final Device device;
  private final List<Part> parts = new ArrayList<>();
  private long backupBytes;

  private Suspension(Heap heap, VirtualMemorySource source, Device device) {
    this.heap = heap;
    this.source = source;
    this.device = device;
  }

  /** Creates the suspension of a heap, without chunks; null if the heap's memory is not virtual. */
  public static @Nullable Suspension of(Heap heap, Device device) {
    return heap.source instanceof VirtualMemorySource source
        ? new Suspension(heap, source, device)
        : null;
  }

  /** Returns the bytes of the backup. */
  public long backupBytes() {
    return backupBytes;
  }

  // ---- the choice ----

  /**
   * Chooses the chunks to return. Called while no call of the pool is in progress and the thread
   * caches are empty.
   *
   * @param tags tags of blocks whose memory may be returned; null for all
   * @return the streams with recorded uses of blocks on the chunks
   */
  public List<Stream> choose(@Nullable Set<String> tags) {
    List<Stream> users = new ArrayList<>();
    backupBytes = 0;
    heap.growth.lock();
    heap.lock.lock();
    try {
      for (Region region : heap.regions()) {
        whole(partsOf(region), tags).forEach(each -> take(each, users));
      }
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
        boolean owned = block.place == Block.Place.TAKEN;
        (owned ? found.get(last).pieces : found.get(last).gaps).add(piece);
        at = chunk.end();
      }
    }
    return found;
  }

  /**
   * Returns the chunks that may be returned. A block on several chunks is suspended as a whole or
   * not at all.
   */
  private static List<Part> whole(List<Part> all, @Nullable Set<String> tags) {
    Set<Block> staying = newSet();
    List<Part> going = all;
    boolean changed;
    do {
      List<Part> left =
          going.stream()
              .filter(
                  part ->
                      mayGo(part, tags)
                          && part.pieces.stream().noneMatch(each -> staying.contains(each.block)))
              .toList();
      changed = left.size() < going.size();
      Set<Part> gone = Set.copyOf(left);
      going.stream()
          .filter(part -> !gone.contains(part))
          .forEach(part -> part.pieces.forEach(each -> staying.add(each.block)));
      going = left;
    } while (changed);
    return going;
  }

  private static Set<Block> newSet() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  /**
   * Returns whether a chunk has no unsettled or pending block and, unless {@code tags} is null, has
   * at least one live block and no live block without one of the tags.
   */
  private static boolean mayGo(Part part, @Nullable Set<String> tags) {
    return part.gaps.stream().allMatch(Piece::isSettled)
        && part.pieces.stream().noneMatch(each -> each.block.pending)
        && (tags == null
            || (part.pieces.stream().anyMatch(Piece::isUsed)
                && part.pieces.stream()
                    .allMatch(each -> !each.isUsed() || tags.contains(each.block.tag()))));
  }

  private void take(Part part, List<Stream> users) {
    part.gaps.replaceAll(
        each -> {
          Block gap = heap.carve(each.block, each.from, each.to - each.from);
          gap.place = Block.Place.SUSPENDED;
          return new Piece(gap, each.from, each.to, NOWHERE);
        });
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

  /** Returns the chunks in groups, in the order of addresses. */
  public List<List<Part>> groups() {
    return groups(parts);
  }

  private static List<List<Part>> groups(List<Part> parts) {
    List<List<Part>> groups = new ArrayList<>();
    long bytes = GROUP_BYTES;
    for (Part each : parts) {
      if (bytes >= GROUP_BYTES) {
        groups.add(new ArrayList<>());
        bytes = 0;
      }
      groups.get(groups.size() - 1).add(each);
      bytes += each.size;
    }
    return groups;
  }

  // ---- suspending ----

  /** Submits the copies of chunks to the backup, for blocks that are open. */
  public void copyOut(List<Part> group, PinnedBuffer backup, Stream stream) {
    OwnCalls.make(
        device,
        () ->
            copiesOf(group)
                .forEach(
                    each ->
                        stream.copyToHost(backup, each.offset, each.from, each.to - each.from)));
  }

  private List<Piece> copiesOf(List<Part> group) {
    heap.lock.lock();
    try {
      return group.stream().flatMap(each -> each.copies().stream()).toList();
    } finally {
      heap.lock.unlock();
    }
  }

  /** Returns chunks to the driver. Called once their copies are complete. */
  public void takeAway(List<Part> group) {
    heap.growth.lock();
    try {
      List<Chunk> neighbours = new ArrayList<>();
      for (Part each : group) {
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

  /**
   * Returns the memory that a failed resume has mapped, which may be inaccessible and may lack its
   * bytes. Called when no copy is in progress.
   *
   * @param needed whether to return the memory of blocks that are still owned, too
   */
  public void takeRenewedAway(boolean needed) {
    List<Part> renewed;
    heap.lock.lock();
    try {
      renewed =
          parts.stream().filter(each -> each.renewed && (needed || !each.isNeeded())).toList();
    } finally {
      heap.lock.unlock();
    }
    takeAway(renewed);
  }

  private void unmap(List<Chunk> neighbours) {
    if (!neighbours.isEmpty()) {
      long bytes = neighbours.stream().mapToLong(each -> each.size).sum();
      device.getMemoryObserver().suspended(neighbours.get(0).address, bytes);
      source.unmapChunks(neighbours);
      heap.stats.changeSuspended(bytes);
    }
  }

  // ---- resuming ----

  /**
   * Returns the chunks with blocks that are still owned, including pending ones. They must be
   * mapped again. In groups.
   */
  public List<List<Part>> needed() {
    heap.lock.lock();
    try {
      return groups(parts.stream().filter(Part::isNeeded).toList());
    } finally {
      heap.lock.unlock();
    }
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
    if (!heap.stats.allows(part.size)) {
      throw new DeviceOutOfMemoryException(
          "the limit leaves room for %s, but a chunk needs %s"
              .formatted(
                  ByteSize.format(Math.max(0, heap.stats.limit() - heap.stats.reserved())),
                  ByteSize.format(part.size)),
          part.size,
          DriverStatus.NONE,
          null);
    }
    part.renewed = true;
    source.mapNew(part.region, part.address, part.size);
    heap.stats.changeSuspended(-part.size);
  }

  /** Submits the copies of chunks with new memory from the backup, for blocks that are open. */
  public void copyIn(List<Part> group, PinnedBuffer backup, Stream stream) {
    List<Part> renewed = group.stream().filter(each -> each.renewed).toList();
    OwnCalls.make(
        device,
        () ->
            copiesOf(renewed)
                .forEach(
                    each ->
                        stream.copyToDevice(each.from, backup, each.offset, each.to - each.from)));
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
    Block freed;
    heap.growth.lock();
    heap.lock.lock();
    try {
      List<Part> ended = parts.stream().filter(which).toList();
      parts.removeAll(ended);
      Set<Block> staying = newSet();
      parts.forEach(part -> part.pieces.forEach(each -> staying.add(each.block)));
      freed = end(ended, staying);
    } finally {
      heap.lock.unlock();
      heap.growth.unlock();
    }
    heap.free(freed);
  }

  /**
   * Ends the suspension of chunks. Returns the closed blocks that have memory, linked by {@code
   * nextCached}.
   */
  private @Nullable Block end(List<Part> ended, Set<Block> staying) {
    Block freed = null;
    for (Part part : ended) {
      boolean isReturned = part.chunk() == null;
      heap.stats.changeSuspended(isReturned ? -part.size : 0);
      Block.Place place = isReturned ? Block.Place.HOLE : Block.Place.SETTLED;
      part.gaps.forEach(each -> heap.insertMerged(each.block, place));
    }
    for (Part part : ended) {
      for (Piece each : part.pieces) {
        // Another piece of the block may have ended its suspension already.
        if (each.block.suspended && !staying.contains(each.block)) {
          each.block.suspended = false;
          freed = each.block.place == Block.Place.SUSPENDED ? release(each.block, freed) : freed;
        }
      }
    }
    return freed;
  }

  /**
   * Turns the parts of a closed block that have no memory into holes, and links the other parts.
   */
  private @Nullable Block release(Block closed, @Nullable Block others) {
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
