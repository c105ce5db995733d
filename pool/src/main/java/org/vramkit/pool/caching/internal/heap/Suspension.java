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
 * The part of a heap without memory while its pool is suspended: the chunks that were returned to
 * the driver, and the blocks that keep their addresses.
 *
 * <p>A chunk is returned as a whole, with its live blocks and its free gaps. A gap is removed from
 * the indexes. A block that is closed meanwhile stays in place, as {@link Block.Place#AWAY},
 * because addresses without memory must be whole pages before they can be a hole. The end of the
 * suspension frees gaps and closed blocks, as memory if the chunk is mapped again, else as a hole.
 *
 * <p>The owner's lock guards this object, so suspensions and resumes run one at a time. Blocks and
 * chunks are guarded as everywhere in the heap.
 */
public final class Suspension {
  /** Bytes of the chunks that go or come at once, while others are copied. */
  private static final long GROUP_BYTES = 256 * ByteSize.MIB;

  /** The offset of blocks that are not copied. */
  private static final long NOWHERE = -1;

  /**
   * The part of a block that lies in a chunk.
   *
   * @param offset of its bytes in the backup
   */
  private record Piece(Block block, long from, long to, long offset) {
    /** Returns whether a user has it; else it is free, or on its way to the heap. */
    boolean isUsed() {
      return block.place == Block.Place.TAKEN && block.requested > 0;
    }

    /** Returns whether it is not closed, as far as can be seen. */
    boolean isOpen() {
      return block.place == Block.Place.TAKEN && !block.pending;
    }

    boolean isSettled() {
      return block.place == Block.Place.SETTLED;
    }

    /** Returns whether it follows another one, on the device and in the backup. */
    boolean continues(Piece before) {
      return before.to == from && before.offset + before.to - before.from == offset;
    }
  }

  /** A chunk that goes, is gone, or is back. */
  public static final class Part {
    private final Region region;
    private final long address;
    private final long size;

    /** The pieces of blocks that had an owner. */
    private final List<Piece> pieces = new ArrayList<>();

    private final List<Piece> gaps = new ArrayList<>();

    private Part(Region region, Chunk chunk) {
      this.region = region;
      this.address = chunk.address;
      this.size = chunk.size;
    }

    /** Bytes of the chunk. */
    public long size() {
      return size;
    }

    private @Nullable Chunk chunk() {
      return region.chunkAt(address);
    }

    /** Returns whether an open block has some of its addresses. */
    private boolean isNeeded() {
      return pieces.stream().anyMatch(each -> each.block.place == Block.Place.TAKEN);
    }

    /** Returns the parts to copy, neighbours as one. */
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
  private volatile long goneBytes;

  private Suspension(Heap heap, VirtualMemorySource source, Device device) {
    this.heap = heap;
    this.source = source;
    this.device = device;
  }

  /** Nothing is away yet; null for a heap whose memory cannot go without its addresses. */
  public static @Nullable Suspension of(Heap heap, Device device) {
    return heap.source instanceof VirtualMemorySource source
        ? new Suspension(heap, source, device)
        : null;
  }

  /** Bytes that the driver has back. */
  public long goneBytes() {
    return goneBytes;
  }

  /** Bytes of all that is copied. */
  public long backupBytes() {
    return backupBytes;
  }

  // ---- the choice ----

  /**
   * Chooses the chunks that go. While no call is under way, and with all that is free in the heap.
   *
   * @param tags of blocks that may go; null for all
   * @return streams that were recorded as users of blocks in the chunks
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

  /** The chunks of a region with what lies above them. */
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

  /** Those that may go; a block that lies in several goes as a whole or stays as a whole. */
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

  /** Keeps chunks on which work may still run: unsettled free memory, closed blocks in use. */
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
          gap.place = Block.Place.AWAY;
          return new Piece(gap, each.from, each.to, NOWHERE);
        });
    part.pieces.replaceAll(
        each -> {
          each.block.away = true;
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

  /** The chunks, a few at a time in the order of their addresses. */
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

  // ---- going ----

  /** Submits the copies of chunks to the backup. */
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

  /** Gives chunks back to the driver; their copies are complete. */
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
          lift(neighbours);
          neighbours.clear();
        }
        neighbours.add(chunk);
      }
      lift(neighbours);
      source.releaseUnplaced();
    } finally {
      heap.growth.unlock();
    }
  }

  private void lift(List<Chunk> neighbours) {
    if (!neighbours.isEmpty()) {
      long bytes = neighbours.stream().mapToLong(each -> each.size).sum();
      device.getMemoryObserver().suspended(neighbours.get(0).address, bytes);
      source.lift(neighbours);
      changeGone(bytes);
    }
  }

  private void changeGone(long change) {
    long before = goneBytes;
    goneBytes = before + change;
  }

  // ---- coming back ----

  /** The chunks that have to come back, because some of their blocks are open. */
  public List<List<Part>> needed() {
    heap.lock.lock();
    try {
      return groups(parts.stream().filter(Part::isNeeded).toList());
    } finally {
      heap.lock.unlock();
    }
  }

  /**
   * Lays memory beneath the addresses of a chunk, unless it is there, and makes it accessible.
   * Where this fails it may be there nevertheless, until it is {@link #takeAway taken away} again.
   *
   * @throws DeviceOutOfMemoryException if the limit or the device has too little
   */
  public void bringBack(Part part) {
    heap.growth.lock();
    try {
      if (part.chunk() == null) {
        lay(part);
      }
      source.grantAccess(part.address, part.size);
    } finally {
      heap.growth.unlock();
    }
  }

  private void lay(Part part) {
    if (!heap.books.allows(part.size)) {
      throw new DeviceOutOfMemoryException(
          "the limit leaves room for %s, but a chunk needs %s"
              .formatted(
                  ByteSize.format(Math.max(0, heap.books.limit() - heap.books.reserved())),
                  ByteSize.format(part.size)),
          part.size,
          DriverStatus.NONE,
          null);
    }
    source.layAgain(part.region, part.address, part.size);
    changeGone(-part.size);
  }

  /** Submits the copies of chunks from the backup, for blocks that are open. */
  public void copyIn(List<Part> group, PinnedBuffer backup, Stream stream) {
    OwnCalls.make(
        device,
        () ->
            copiesOf(group)
                .forEach(
                    each ->
                        stream.copyToDevice(each.from, backup, each.offset, each.to - each.from)));
  }

  // ---- the end ----

  /** Ends it for the chunks that are still there; false if others are gone. */
  public boolean endWherePresent() {
    end(each -> each.chunk() != null);
    return parts.isEmpty();
  }

  /** Ends the suspension: returned memory that no block needs becomes a hole. */
  public void end() {
    end(each -> true);
    goneBytes = 0;
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

  /** Returns blocks that were closed meanwhile and have memory, linked by {@code nextCached}. */
  private @Nullable Block end(List<Part> ended, Set<Block> staying) {
    Block freed = null;
    for (Part part : ended) {
      Block.Place place = part.chunk() == null ? Block.Place.HOLE : Block.Place.SETTLED;
      part.gaps.forEach(each -> heap.insertMerged(each.block, place));
    }
    for (Part part : ended) {
      for (Piece each : part.pieces) {
        // Its other parts may have been dealt with before.
        if (each.block.away && !staying.contains(each.block)) {
          each.block.away = false;
          freed = each.block.place == Block.Place.AWAY ? release(each.block, freed) : freed;
        }
      }
    }
    return freed;
  }

  /** Turns the parts of a closed block without memory into holes, and links the other parts. */
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
