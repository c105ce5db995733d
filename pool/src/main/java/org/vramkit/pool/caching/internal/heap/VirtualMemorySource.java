package org.vramkit.pool.caching.internal.heap;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.heap.Region.Chunk;
import org.vramkit.pool.caching.internal.heap.Region.Span;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.caching.internal.stats.ReservedMemory;
import org.vramkit.pool.support.OwnCalls;

/**
 * Virtual memory beneath a heap: addresses are plenty, chunks of memory come, move and go.
 *
 * <h2>Addresses</h2>
 *
 * A heap reserves several times as many addresses as the device has memory, and a private pool as
 * many as it comes to need. One part of each reservation is a region for small blocks, the rest one
 * for large blocks. Streams that are far behind with their work gather their blocks in parts of the
 * addresses of their own ({@link #partOf}): what they free serves no other stream for long, and is
 * contiguous there.
 *
 * <h2>Growth</h2>
 *
 * A growth takes the block where fewest bytes of memory are missing, and fills the holes beneath
 * it. First come free chunks from elsewhere, the largest first, as far as the {@link MoveBudget}
 * allows; the driver creates the rest. Chunks have to move, whatever that costs, where the limit,
 * the device or {@link SizeRules#boundOf} allows no more. The block and the chunks that move are
 * taken out of the indexes under the heap's lock; the driver is called without it. Whatever fails,
 * every chunk afterwards lies beneath a block, went back, or is kept without a place until the next
 * growth or trim.
 *
 * <h2>Chunks</h2>
 *
 * The driver takes as long for a chunk of 256 MiB as for one of 2 MiB, and about as long for a
 * move. Long chunks are cheap, but one of which a part is in use can neither move nor go back. So a
 * chunk is at most half of its block and 20 MiB, or an eighth of a larger block; and a smaller part
 * of all memory once most of that is reserved.
 */
final class VirtualMemorySource implements MemorySource {
  /** One part of a reservation is for small blocks. */
  private static final int SMALL_PARTS = 8;

  /** Parts of the addresses for streams that are far behind; more streams share them. */
  private static final int STREAM_PARTS = 16;

  private static final long LARGE_CHUNK = 20 * ByteSize.MIB;
  private static final int BLOCK_PARTS = 2;
  private static final int HUGE_BLOCK_PARTS = 8;

  /** A chunk is at most one such part of the memory while less than {@link #FULL} is reserved. */
  private static final int MEMORY_PARTS = 512;

  /** The fraction from there on. */
  private static final int FULL_MEMORY_PARTS = 2048;

  private static final double FULL = 0.75;

  /** A growth by more chunks than this looks first whether the device has room for them. */
  private static final int UNASKED_CHUNKS = 4;

  /** Holes that are looked at for a place to grow. */
  private static final int MOST_HOLES = 64;

  /** Addresses: a reservation, which goes back as a whole, or a hole beneath a block. */
  private record Range(long address, long size) {
    long end() {
      return address + size;
    }
  }

  /** A chunk that could not be unmapped: its addresses stay taken until that succeeds. */
  private record Stuck(Block addresses, Chunk chunk) {}

  private final Heap heap;
  private final ReservedMemory books;
  private final PoolObserver observer;
  private final Device device;
  private final List<Device> accessors;
  private final VirtualMemory memory;
  private final long page;
  private final long firstAddresses;
  private final long mostAddresses;

  // Guarded by the growth lock; regions by the heap's lock as well.
  private final List<Range> reservations = new ArrayList<>();
  private final List<Region> regions = new ArrayList<>();
  private long reservedAddresses;
  private int streamParts;

  /** Chunks that lie nowhere. */
  private final List<Chunk> unplaced = new ArrayList<>();

  private final List<Stuck> stuck = new ArrayList<>();

  /** Bytes of both. */
  private volatile long unplacedBytes;

  VirtualMemorySource(
      Heap heap, Device device, CachingAllocatorOptions options, long firstAddresses) {
    this.heap = heap;
    this.books = heap.books;
    this.observer = heap.books.observer;
    this.device = device;
    this.accessors = options.accessors();
    this.memory = device.getVirtualMemory();
    this.page = memory.getGranularity();
    this.firstAddresses = firstAddresses;
    this.mostAddresses =
        Heap.MOST_ADDRESSES * ByteSize.roundUp(device.getProperties().totalMemoryBytes(), page);
  }

  @Override
  public @Nullable Block bestFit(FreeIndex index, long size, boolean wasteful) {
    return index.bestFit(size);
  }

  @Override
  public @Nullable Block wholeFit(FreeIndex index, long size, boolean wasteful) {
    return null;
  }

  @Override
  public long addressIn(Block free, long size) {
    return free.address;
  }

  @Override
  public long takenOf(Block free, long size) {
    return size;
  }

  @Override
  public List<Region> regions() {
    return regions;
  }

  @Override
  public long unplacedBytes() {
    return unplacedBytes;
  }

  @Override
  public long bytesToTake(long size) {
    return Math.max(0, ByteSize.roundUp(size, page) - heap.releasableBytes());
  }

  @Override
  public long bytesFor(long size, long alignment) {
    return ByteSize.roundUp(size, page);
  }

  // ---- growth ----

  /** One growth: the block, and how its memory comes about. */
  private static final class Plan {
    /** The block taken, including all pages that need memory. */
    final Block block;

    /** The address of the allocation. */
    final long address;

    /** Addresses of chunks that are to move, which no index has meanwhile. */
    final List<Block> leaving = new ArrayList<>();

    /** Chunks that were mapped beneath the block. */
    final List<Chunk> laid = new ArrayList<>();

    /** Bytes that the driver has to create, at least. */
    long createdBytes;

    int moved;
    long movedBytes;
    int created;

    /**
     * How free its memory was: a growth that fails leaves it so, as no work was given any of it
     * meanwhile.
     */
    final Block.Place before;

    Plan(Block block, long address, Block.Place before) {
      this.block = block;
      this.address = address;
      this.before = before;
    }
  }

  @Override
  public @Nullable Block grow(StreamState owner, long size, long alignment) {
    DeviceOutOfMemoryException refusal = null;
    try {
      Block block = grow(owner, size, alignment, false);
      if (block != null) {
        return block;
      }
    } catch (DeviceOutOfMemoryException e) {
      refusal = e;
    }
    // Before a request is refused all that is free moves, into short chunks.
    Block block = grow(owner, size, alignment, true);
    if (block == null && refusal != null) {
      throw refusal;
    }
    return block;
  }

  private @Nullable Block grow(StreamState owner, long size, long alignment, boolean scarce) {
    releaseUnplaced();
    Plan plan = null;
    do {
      heap.lock.lock();
      try {
        Block ready = heap.fit(owner, size, alignment, true);
        if (ready == null && scarce) {
          ready = heap.fitOther(owner, size, alignment);
        }
        if (ready != null) {
          return ready;
        }
        Place place =
            bestPlace(new Place(owner, size, alignment, scarce ? wholeChunks() : List.of()));
        if (place.span != null) {
          plan = supply(place, scarce);
          if (plan == null) {
            return null;
          }
        }
      } finally {
        heap.lock.unlock();
      }
    } while (plan == null && reserve(size + alignment));
    return plan == null ? null : carryOut(plan, owner, size, scarce);
  }

  private Block carryOut(Plan plan, StreamState owner, long size, boolean scarce) {
    PoolObserver.Span span = observer.begin(PoolObserver.Work.GROW, owner.stream);
    long begin = heap.budget.now();
    long before = heap.reservedBytes();
    boolean grown = false;
    try {
      probe(plan, chunkBytes(size, scarce));
      lay(plan, chunkBytes(size, scarce));
      Block block = finish(plan, size);
      grown = true;
      heap.budget.grew(begin, plan.moved, plan.created);
      books.pagesMoved.add(plan.movedBytes / page);
      return block;
    } catch (RuntimeException | Error e) {
      Batch.after(e, () -> undo(plan));
      throw e;
    } finally {
      countUnplaced();
      long taken = Math.max(0, heap.reservedBytes() - before);
      span.end(taken, grown ? plan.movedBytes : 0);
    }
  }

  /** Looks through the holes for the place where fewest bytes are missing. Locked. */
  private Place bestPlace(Place best) {
    FreeIndex holes = heap.holes(SizeRules.isSmall(best.size));
    int search = heap.nextSearch();
    FreeIndex.Walk larger = holes.fits(best.size);
    for (int i = 0; i < MOST_HOLES && larger.hasNext(); i++) {
      best.offer(Span.around(larger.next(), best.owner, search));
    }
    FreeIndex.Walk smaller = holes.below(best.size);
    for (int i = 0; i < MOST_HOLES && smaller.hasNext(); i++) {
      best.offer(Span.around(smaller.next(), best.owner, search));
    }
    best.offerRest();
    return best;
  }

  /** The best place that was offered; none as long as the span is null. */
  private final class Place {
    private final StreamState owner;
    private final long size;
    private final long alignment;
    private final boolean apart;

    /** Free chunks that all have to move: those that the block lies on cannot. */
    private final List<Chunk> mustMove;

    private @Nullable Span elsewhere;
    private @Nullable Span span;
    private long address;
    private long missing;
    private long least = Long.MAX_VALUE;

    Place(StreamState owner, long size, long alignment, List<Chunk> mustMove) {
      this.owner = owner;
      this.size = size;
      this.alignment = alignment;
      this.mustMove = mustMove;
      this.apart = heap.isApart(owner) && !SizeRules.isSmall(size);
    }

    void offer(@Nullable Span offered) {
      if (offered == null || offered.size() < size) {
        return;
      }
      long from = offered.first().address;
      if (apart && offered.size() >= partBytes(offered.first().region) / 2) {
        offerApart(offered);
        return;
      }
      offer(offered, from);
      offer(offered, offered.end() - size);
    }

    /** Offers the end of the stream's own memory, and its own part of untouched addresses. */
    private void offerApart(Span offered) {
      long from = offered.first().address;
      if (offered.first().place == Block.Place.UNSETTLED) {
        offer(offered, from);
      }
      long part = partBytes(offered.first().region);
      long start = offered.first().region.address + partOf(owner) * part;
      long at = Math.max(from, start);
      if (at < start + part && at + size <= offered.end()) {
        offer(offered, at);
      } else {
        elsewhere = offered;
      }
    }

    /** Offers addresses of other streams where there are no others. */
    void offerRest() {
      if (span == null && elsewhere != null) {
        offer(elsewhere, elsewhere.first().address);
      }
    }

    private void offer(Span offered, long wanted) {
      long at = Heap.alignUp(wanted, alignment);
      if (at < offered.first().address || at + size > offered.end()) {
        return;
      }
      long lacking = offered.missing(at, at + size);
      long cost = lacking + unmovableBytes(offered.first().region, at);
      if (cost < least || (cost == least && span != null && offered.size() < span.size())) {
        least = cost;
        missing = lacking;
        address = at;
        span = offered;
      }
    }

    private long unmovableBytes(Region region, long at) {
      long bytes = 0;
      for (Chunk each : mustMove) {
        if (each.overlaps(region, at, at + size)) {
          bytes += each.size;
        }
      }
      return bytes;
    }

    Region region() {
      return requireNonNull(span).first().region;
    }

    /** Returns the start of the block, including all pages that need memory. */
    long from() {
      return blockAt(address).place == Block.Place.HOLE ? region().pageUpTo(address) : address;
    }

    /** Returns the end of the block. */
    long to() {
      long end = address + size;
      return blockAt(end - 1).place == Block.Place.HOLE ? region().pageFrom(end) : end;
    }

    Block blockAt(long at) {
      Block block = requireNonNull(span).first();
      while (block.end() <= at) {
        block = requireNonNull(block.next);
      }
      return block;
    }

    boolean overlaps(Chunk chunk) {
      return chunk.overlaps(region(), from(), to());
    }
  }

  private static long partBytes(Region region) {
    return region.size / (2 * STREAM_PARTS);
  }

  /** Which part of the addresses is a stream's own; the first part belongs to no stream. */
  private int partOf(StreamState owner) {
    if (owner.addressPart == 0) {
      owner.addressPart = 1 + streamParts++ % STREAM_PARTS;
    }
    return owner.addressPart;
  }

  /** Takes the block, and what is to move to it; null if there is too little memory. Locked. */
  private @Nullable Plan supply(Place place, boolean scarce) {
    long missing = place.missing;
    long allowed = Math.max(0, books.limit() - books.reserved());
    long movable = heap.releasableBytes();
    if (missing - movable > allowed) {
      return null;
    }
    long below = Math.max(0, SizeRules.boundOf(heap.livePeak.getAsLong()) - books.reserved());
    long mustMove = scarce ? missing : missing - Math.min(allowed, below);
    boolean any = missing > 0 && movable > 0;
    int mayMove = !any ? 0 : scarce ? Integer.MAX_VALUE : heap.budget.affordableMoves();
    Set<Chunk> chosen =
        any && (mayMove > 0 || mustMove > 0) ? choose(place, mayMove, mustMove) : Set.of();
    long created = missing - bytesOf(chosen);
    if (created > allowed) {
      return null;
    }
    long from = place.from();
    Block first = place.blockAt(from);
    Block.Place before = before(first, place.to());
    Block block = heap.carve(first, from, place.to() - from, place.owner);
    Plan plan = new Plan(block, place.address, before);
    plan.createdBytes = created;
    takeAddresses(chosen, plan.leaving);
    return plan;
  }

  private static long bytesOf(Set<Chunk> chunks) {
    long bytes = 0;
    for (Chunk each : chunks) {
      bytes += each.size;
    }
    return bytes;
  }

  /** How free the memory of a span is: settled if all of it is. Locked. */
  private static Block.Place before(Block first, long end) {
    for (Block each = first; each != null && each.address < end; each = each.next) {
      if (each.place == Block.Place.UNSETTLED) {
        return Block.Place.UNSETTLED;
      }
    }
    return Block.Place.SETTLED;
  }

  /**
   * Chooses free chunks from elsewhere, the largest first.
   *
   * @param mayMove how many, as far as time goes
   * @param mustMove bytes that have to move, whatever it costs
   */
  private Set<Chunk> choose(Place place, int mayMove, long mustMove) {
    List<Chunk> free = new ArrayList<>(place.mustMove.isEmpty() ? wholeChunks() : place.mustMove);
    free.sort((one, other) -> Long.compare(other.size, one.size));
    Set<Chunk> chosen = new HashSet<>();
    long moving = 0;
    Chunk larger = null;
    for (Chunk each : free) {
      if (moving >= place.missing || (chosen.size() >= mayMove && moving >= mustMove)) {
        break;
      }
      if (place.overlaps(each)) {
        continue;
      }
      if (each.size <= place.missing - moving) {
        chosen.add(each);
        moving += each.size;
      } else {
        larger = each;
      }
    }
    if (larger != null && moving < mustMove) {
      // Too long for the hole: it goes back to the driver, and a shorter one comes.
      chosen.add(larger);
    }
    return chosen;
  }

  /** Chunks that lie wholly in settled blocks. Locked. */
  private List<Chunk> wholeChunks() {
    List<Chunk> chunks = new ArrayList<>();
    for (FreeIndex index : List.of(heap.settled(true), heap.settled(false))) {
      FreeIndex.Walk large = index.fits(page);
      while (large.hasNext()) {
        Block block = large.next();
        Chunk chunk = firstInside(block, block.address);
        while (chunk != null) {
          chunks.add(chunk);
          chunk = firstInside(block, chunk.end());
        }
      }
    }
    return chunks;
  }

  private static @Nullable Chunk firstInside(Block block, long from) {
    return from < block.end() ? block.region.firstInside(from, block.end()) : null;
  }

  /** Takes the addresses of chunks out of the settled blocks around them, in order. Locked. */
  private void takeAddresses(Set<Chunk> chosen, List<Block> taken) {
    if (chosen.isEmpty()) {
      return;
    }
    for (FreeIndex index : List.of(heap.settled(true), heap.settled(false))) {
      for (Block block : index.copy()) {
        Block rest = block;
        Chunk chunk = firstInside(rest, rest.address);
        while (rest != null && chunk != null) {
          long end = chunk.end();
          if (chosen.contains(chunk)) {
            Block addresses = heap.carve(rest, chunk.address, chunk.size);
            taken.add(addresses);
            rest = addresses.next;
          }
          chunk = rest != null && rest.place == Block.Place.SETTLED ? firstInside(rest, end) : null;
        }
      }
    }
    taken.sort(Comparator.comparingLong((Block each) -> each.address));
  }

  /** The most bytes of a chunk for a block. */
  private long chunkBytes(long size, boolean scarce) {
    long most = heap.mostReserved();
    boolean full = scarce || (double) (books.reserved() + size) > FULL * most;
    long ofMemory = most / (full ? FULL_MEMORY_PARTS : MEMORY_PARTS);
    long ofBlock = Math.max(Math.min(LARGE_CHUNK, size / BLOCK_PARTS), size / HUGE_BLOCK_PARTS);
    return Math.max(page, Math.min(ofBlock, ofMemory) / page * page);
  }

  // ---- driver calls, under the growth lock alone ----

  /**
   * Asks the driver for all that a growth by many chunks needs at once, if the device seems to have
   * less: else it would give what it has, and other programs starve until all of it goes back.
   */
  private void probe(Plan plan, long chunkBytes) {
    long created = plan.createdBytes;
    if (created > UNASKED_CHUNKS * chunkBytes && created > heap.freeBytes()) {
      memory.release(memory.create(created));
    }
  }

  /**
   * Unmaps what moves, creates what is missing, and maps both beneath the block: in its longest
   * hole first, because that one fits the longest chunks.
   */
  private void lay(Plan plan, long chunkBytes) {
    unmap(plan.leaving);
    for (Range hole : holesOf(plan.block)) {
      for (long at = hole.address; at < hole.end(); ) {
        at = lay(plan, nextChunk(plan, hole.end() - at, chunkBytes), at);
      }
      grantAccess(hole.address, hole.size);
    }
    releaseUnplaced();
  }

  /** The parts of a block without memory, the longest first. */
  private static List<Range> holesOf(Block block) {
    List<Range> holes = new ArrayList<>();
    for (long at = block.address; at < block.end(); ) {
      long end = block.region.endOfRun(at, block.end());
      if (block.region.chunkAt(at) == null) {
        holes.add(new Range(at, end - at));
      }
      at = end;
    }
    holes.sort((one, other) -> Long.compare(other.size(), one.size()));
    return holes;
  }

  /**
   * A chunk without a place that is short enough, or a new one, which has no place yet. Before the
   * driver creates one, those that are too long go back: it may have no other memory.
   */
  private Chunk nextChunk(Plan plan, long room, long chunkBytes) {
    for (Chunk each : unplaced) {
      if (each.size <= room) {
        plan.moved++;
        plan.movedBytes += each.size;
        return each;
      }
    }
    releaseUnplaced();
    long bytes = Math.min(room, chunkBytes);
    Chunk chunk = new Chunk(bytes, memory.create(bytes));
    unplaced.add(chunk);
    heap.taken(chunk);
    plan.created++;
    return chunk;
  }

  /** Maps a chunk; returns where it ends. */
  private long lay(Plan plan, Chunk chunk, long address) {
    memory.map(address, chunk.size, chunk.handle);
    unplaced.remove(chunk);
    observer.mapped(address, chunk.size, chunk.address != 0);
    chunk.address = address;
    plan.laid.add(chunk);
    return chunk.end();
  }

  /** Lets the device and its accessors use what is mapped. */
  void grantAccess(long address, long bytes) {
    memory.setAccess(address, bytes, device);
    for (Device accessor : accessors) {
      memory.setAccess(address, bytes, accessor);
    }
  }

  /**
   * Unmaps chunks, neighbours by one call, and leaves holes. Those that were unmapped are off the
   * list, and have no place.
   *
   * @param leaving their addresses, in order, which no index has
   */
  private void unmap(List<Block> leaving) {
    while (!leaving.isEmpty()) {
      int count = 1;
      while (count < leaving.size() && leaving.get(count).previous == leaving.get(count - 1)) {
        count++;
      }
      List<Block> neighbours = leaving.subList(0, count);
      long from = neighbours.get(0).address;
      long bytes = neighbours.get(count - 1).end() - from;
      OwnCalls.make(device, () -> memory.unmap(from, bytes));
      observer.unmapped(from, bytes);
      heap.lock.lock();
      try {
        for (Block each : neighbours) {
          Chunk chunk = chunkAt(each);
          each.region.lift(chunk);
          unplaced.add(chunk);
          heap.insertMerged(each, Block.Place.HOLE);
        }
      } finally {
        heap.lock.unlock();
      }
      neighbours.clear();
    }
  }

  private static Chunk chunkAt(Block block) {
    Chunk chunk = block.region.chunkAt(block.address);
    if (chunk == null) {
      throw new IllegalStateException(
          "no memory lies at 0x" + Long.toHexString(block.address) + ", which is to move");
    }
    return chunk;
  }

  /** Shows the memory of a block that has grown, and frees what it does not need of its pages. */
  private Block finish(Plan plan, long size) {
    heap.lock.lock();
    try {
      Block block = plan.block;
      for (Chunk each : plan.laid) {
        block.region.lay(each, each.address);
      }
      if (block.address < plan.address) {
        Block front = block;
        block = heap.splitTaken(front, plan.address - front.address);
        heap.insertMerged(front, Block.Place.SETTLED);
      }
      if (block.end() > plan.address + size) {
        heap.insertMerged(heap.split(block, size), Block.Place.SETTLED);
      }
      heap.noteNeed();
      return block;
    } finally {
      heap.lock.unlock();
    }
  }

  // ---- failures ----

  /**
   * Frees the block of a growth that failed. Chunks that are not where they were go back to the
   * driver.
   */
  private void undo(Plan plan) {
    List<Chunk> failed = new ArrayList<>();
    try {
      Batch.forEach(plan.laid, each -> unmapAgain(each, failed));
    } finally {
      heap.lock.lock();
      try {
        undoLocked(plan, failed);
      } finally {
        heap.lock.unlock();
      }
    }
    releaseUnplaced();
  }

  private void unmapAgain(Chunk chunk, List<Chunk> failed) {
    failed.add(chunk);
    OwnCalls.make(device, () -> memory.unmap(chunk.address, chunk.size));
    observer.unmapped(chunk.address, chunk.size);
    failed.remove(chunk);
    unplaced.add(chunk);
  }

  private void undoLocked(Plan plan, List<Chunk> failed) {
    for (Block each : plan.leaving) {
      heap.insertMerged(each, Block.Place.SETTLED);
    }
    plan.leaving.clear();
    Region region = plan.block.region;
    for (Block rest = plan.block; rest != null; ) {
      Chunk mapped = mappedAt(rest.address, failed);
      long end = mapped != null ? mapped.end() : endOfPiece(region, rest, failed);
      Block next = end < rest.end() ? heap.split(rest, end - rest.address) : null;
      if (mapped != null) {
        rest.place = Block.Place.STUCK;
        stuck.add(new Stuck(rest, mapped));
      } else {
        boolean hole = region.chunkAt(rest.address) == null;
        heap.insertMerged(rest, hole ? Block.Place.HOLE : plan.before);
      }
      rest = next;
    }
  }

  private static @Nullable Chunk mappedAt(long address, List<Chunk> chunks) {
    for (Chunk each : chunks) {
      if (each.address == address) {
        return each;
      }
    }
    return null;
  }

  /** Returns the end of a piece of a block that has memory throughout, or none. */
  private static long endOfPiece(Region region, Block rest, List<Chunk> failed) {
    boolean hole = region.chunkAt(rest.address) == null;
    long at = rest.address;
    while (at < rest.end()
        && (region.chunkAt(at) == null) == hole
        && (!hole || mappedAt(at, failed) == null)) {
      at = region.pageFrom(at + 1);
    }
    return Math.min(at, rest.end());
  }

  /** Unmaps what could not be unmapped before, and gives chunks back that have no place. */
  void releaseUnplaced() {
    try {
      while (!stuck.isEmpty()) {
        Stuck first = stuck.get(0);
        OwnCalls.make(device, () -> memory.unmap(first.chunk.address, first.chunk.size));
        observer.unmapped(first.chunk.address, first.chunk.size);
        stuck.remove(0);
        unplaced.add(first.chunk);
        heap.lock.lock();
        try {
          heap.insertMerged(first.addresses, Block.Place.HOLE);
        } finally {
          heap.lock.unlock();
        }
      }
      while (!unplaced.isEmpty()) {
        Chunk last = unplaced.get(unplaced.size() - 1);
        memory.release(last.handle);
        unplaced.remove(last);
        heap.givenBack(last, 0);
      }
    } finally {
      countUnplaced();
    }
  }

  private void countUnplaced() {
    long bytes = 0;
    for (Chunk each : unplaced) {
      bytes += each.size;
    }
    for (Stuck each : stuck) {
      bytes += each.chunk.size;
    }
    unplacedBytes = bytes;
  }

  // ---- giving back ----

  @Override
  public long release(long wantedBytes, boolean beyond) {
    PoolObserver.Span span = observer.begin(PoolObserver.Work.TRIM, null);
    long before = heap.reservedBytes();
    try {
      releaseUnplaced();
      List<Block> leaving = takeHighest(wantedBytes - (before - heap.reservedBytes()), beyond);
      try {
        unmap(leaving);
      } finally {
        settleAgain(leaving);
      }
      releaseUnplaced();
    } finally {
      countUnplaced();
      span.end(before - heap.reservedBytes(), 0);
    }
    return before - heap.reservedBytes();
  }

  /** Takes the addresses of the highest free chunks. */
  private List<Block> takeHighest(long wantedBytes, boolean beyond) {
    List<Block> taken = new ArrayList<>();
    heap.lock.lock();
    try {
      List<Chunk> free = wantedBytes > 0 ? wholeChunks() : new ArrayList<>();
      free.sort(Comparator.comparingLong((Chunk each) -> each.address).reversed());
      Set<Chunk> chosen = new HashSet<>();
      long left = wantedBytes;
      Chunk larger = null;
      for (Chunk each : free) {
        if (each.size <= left) {
          chosen.add(each);
          left -= each.size;
        } else if (larger == null || each.size < larger.size) {
          larger = each;
        }
      }
      if (left > 0 && beyond && larger != null) {
        chosen.add(larger);
      }
      takeAddresses(chosen, taken);
    } finally {
      heap.lock.unlock();
    }
    return taken;
  }

  /** Addresses that could not be unmapped are free memory again. */
  private void settleAgain(List<Block> addresses) {
    if (addresses.isEmpty()) {
      return;
    }
    heap.lock.lock();
    try {
      addresses.forEach(each -> heap.insertMerged(each, Block.Place.SETTLED));
    } finally {
      heap.lock.unlock();
    }
  }

  // ---- suspensions ----

  /**
   * Unmaps neighbouring chunks, whatever blocks lie above them. They have no place then, until
   * {@link #releaseUnplaced} gives them back.
   */
  void lift(List<Chunk> neighbours) {
    long from = neighbours.get(0).address;
    long bytes = neighbours.get(neighbours.size() - 1).end() - from;
    OwnCalls.make(device, () -> memory.unmap(from, bytes));
    observer.unmapped(from, bytes);
    heap.lock.lock();
    try {
      for (Chunk each : neighbours) {
        unplaced.add(each);
        requireNonNull(each.region).lift(each);
      }
    } finally {
      heap.lock.unlock();
      countUnplaced();
    }
  }

  /**
   * Lays new memory beneath addresses of blocks whose memory was {@link #lift lifted}. It is not
   * accessible yet.
   */
  void layAgain(Region region, long address, long bytes) {
    Chunk chunk = new Chunk(bytes, memory.create(bytes));
    unplaced.add(chunk);
    heap.taken(chunk);
    try {
      memory.map(address, bytes, chunk.handle);
    } catch (RuntimeException | Error e) {
      Batch.after(e, this::releaseUnplaced);
      throw e;
    }
    heap.lock.lock();
    try {
      region.lay(chunk, address);
      unplaced.remove(chunk);
    } finally {
      heap.lock.unlock();
    }
    observer.mapped(address, bytes, false);
  }

  // ---- addresses ----

  /** Reserves addresses for a block; false if there are none. */
  private boolean reserve(long size) {
    long least =
        ByteSize.roundUp(SMALL_PARTS * size / (SMALL_PARTS - 1) + page, page * SMALL_PARTS);
    long most = mostAddresses - reservedAddresses;
    if (least > most) {
      return false;
    }
    long wanted = Math.max(Math.max(firstAddresses, reservedAddresses), 2 * least);
    long bytes = Math.min(most, ByteSize.roundUp(wanted, page * SMALL_PARTS)) / page * page;
    while (true) {
      try {
        // One page more, where nothing is ever mapped: no other range begins right behind.
        add(new Range(memory.reserve(bytes + page), bytes));
        return true;
      } catch (DeviceOutOfMemoryException refusal) {
        if (bytes == least) {
          throw refusal;
        }
        bytes = least;
      }
    }
  }

  private void add(Range reservation) {
    long small = reservation.size / SMALL_PARTS / page * page;
    heap.lock.lock();
    try {
      reservations.add(reservation);
      reservedAddresses += reservation.size;
      add(new Region(reservation.address, small, true, page));
      add(new Region(reservation.address + small, reservation.size - small, false, page));
    } finally {
      heap.lock.unlock();
    }
  }

  private void add(Region region) {
    regions.add(region);
    heap.insertMerged(region.first, Block.Place.HOLE);
  }

  @Override
  public void close() {
    heap.lock.lock();
    try {
      // Where the driver fails to take addresses back, those that it took are no blocks any more.
      regions.forEach(each -> heap.remove(each.first));
      regions.clear();
    } finally {
      heap.lock.unlock();
    }
    while (!reservations.isEmpty()) {
      Range last = reservations.get(reservations.size() - 1);
      memory.unreserve(last.address, last.size + page);
      reservations.remove(last);
    }
  }

  @Override
  public void abandon() {
    Set<Chunk> laid = new LinkedHashSet<>();
    regions.forEach(each -> each.addChunks(laid));
    regions.clear();
    Batch.run(
        () ->
            Batch.forEach(
                laid,
                each -> {
                  OwnCalls.make(device, () -> memory.unmap(each.address, each.size));
                  unplaced.add(each);
                }),
        this::releaseUnplaced,
        this::close);
  }
}
