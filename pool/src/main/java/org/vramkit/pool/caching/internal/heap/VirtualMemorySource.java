package org.vramkit.pool.caching.internal.heap;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.heap.Region.Chunk;
import org.vramkit.pool.caching.internal.heap.Region.Span;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.Option;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.support.PoolDriverCalls;

/**
 * Provides virtual memory: reserves far more addresses than memory, and maps, moves and releases
 * chunks.
 *
 * <h2>Addresses</h2>
 *
 * The default pool reserves several times as many addresses as the device has memory; a private
 * pool reserves more as it grows. One part of each reservation is a region for small blocks, the
 * rest is a region for large blocks. Each stream that is far behind with its work has a part of the
 * addresses ({@link #partOf}), where its blocks are placed. Its freed blocks cannot serve other
 * streams for long, and are contiguous there.
 *
 * <h2>Growth</h2>
 *
 * A growth places the block where fewest bytes of memory are missing, and fills its holes. Free
 * chunks from elsewhere move there, the largest first, as far as the {@link MoveBudget} allows; the
 * driver creates the rest. If the limit, the device or {@link MemoryLimit#growthBound} allows no
 * new memory, chunks move regardless of the budget. The block and the moving chunks are taken out
 * of the indexes under the heap's lock; the driver is called without that lock. After a failure
 * every chunk is mapped beneath a block, has returned to the driver, or is kept unmapped until the
 * next growth or trim.
 *
 * <h2>Chunks</h2>
 *
 * The driver creates or moves a chunk of 256 MiB in the same time as one of 2 MiB. Large chunks are
 * therefore cheap, but a chunk that is partly in use can neither move nor return. A chunk is at
 * most half of its block and at most 20 MiB; an eighth of its block may exceed that. It is also at
 * most 1/512 of the memory, or 1/2048 once half of the memory is reserved.
 *
 * <h2>Strides</h2>
 *
 * The more memory a program has, the more it is about to need. A growth that needs new memory
 * therefore also takes what follows its block, up to a stride: 1/32 of the memory that the heap has
 * beyond 256 MiB, at most 20 MiB, as one chunk if chunks may be as long. It takes no more than the
 * limit and {@link MemoryLimit#growthBound} allow, and nothing where memory is scarce. On seven
 * recorded programs the first pass calls the driver a quarter less, and reserves 0.4 % more.
 */
final class VirtualMemorySource implements MemorySource {
  /** One in {@value} parts of a reservation is for small blocks. */
  private static final int SMALL_PARTS = 8;

  /** The number of address parts for streams that are far behind; more streams share them. */
  private static final int STREAM_PARTS = 16;

  private static final long LARGE_CHUNK = 20 * ByteSize.MIB;
  private static final int BLOCK_PARTS = 2;
  private static final int HUGE_BLOCK_PARTS = 8;

  /** The largest chunk is 1/{@value} of the memory, until half of the memory is reserved. */
  private static final int MEMORY_PARTS = 512;

  /** The largest chunk is then 1/{@value} of the memory. */
  private static final int HALF_FULL_MEMORY_PARTS = 2048;

  /** A stride is 1/{@value} of the memory that is reserved beyond {@link #BEFORE_STRIDES}. */
  private static final int STRIDE_PARTS = 32;

  private static final long BEFORE_STRIDES = 256 * ByteSize.MIB;

  /** A growth by more new chunks than this first queries the free memory of the device. */
  private static final int UNPROBED_CHUNKS = 4;

  /** How many holes a search for a place examines that are larger, and that are smaller. */
  private static final int MOST_HOLES = 64;

  /** A range of addresses: a reservation, or a hole in a block. */
  private record Range(long address, long size) {
    long end() {
      return address + size;
    }
  }

  /** A chunk of a failed growth, and its addresses, which are unusable until it is unmapped. */
  private record Stuck(Block addresses, Chunk chunk) {}

  /** A chunk that lies wholly in a settled block, and so may move or return. */
  private record FreeChunk(Block block, Chunk chunk) {}

  private final Heap heap;
  private final MemoryLimit limit;
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

  /** All chunks, for the close of a broken heap. */
  private final Set<Chunk> chunks = new LinkedHashSet<>();

  /** Chunks that are mapped nowhere. */
  private final List<Chunk> unplaced = new ArrayList<>();

  private final List<Stuck> stuck = new ArrayList<>();

  /** Bytes of the unplaced and the stuck chunks. */
  private volatile long unplacedBytes;

  VirtualMemorySource(
      Heap heap, Device device, CachingAllocatorOptions options, long firstAddresses) {
    this.heap = heap;
    this.limit = heap.limit;
    this.observer = heap.observer;
    this.device = device;
    this.accessors = new ArrayList<>(options.get(Option.ACCESSIBLE_FROM));
    accessors.add(0, device);
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

  /** A growth in progress: its block, and the chunks that move and are created. */
  private static final class Plan {
    /** The block taken, including all pages that need memory. */
    final Block block;

    final long address;

    /** The addresses of chunks to move, as blocks that are in no index. */
    final List<Block> leaving;

    /** Chunks that have been mapped beneath the block. */
    final List<Chunk> mapped = new ArrayList<>();

    /** The least bytes that the driver must create. */
    final long createdBytes;

    int moved;
    long movedBytes;
    int created;

    /** The place of the block's memory before the growth, which a failed growth restores. */
    final Block.Place before;

    Plan(Block block, long address, Block.Place before, List<Block> leaving, long createdBytes) {
      this.block = block;
      this.address = address;
      this.before = before;
      this.leaving = leaving;
      this.createdBytes = createdBytes;
    }

    @Nullable Chunk mappedAt(long at) {
      return mapped.stream().filter(each -> each.address == at).findFirst().orElse(null);
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
    // Before a request is refused, all free chunks may move, and new chunks are short.
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
            bestPlace(new Place(owner, size, alignment, scarce ? freeChunks() : List.of()));
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
      long chunkBytes = chunkBytes(size, scarce);
      probe(plan, chunkBytes);
      mapChunks(plan, chunkBytes);
      Block block = finish(plan, size);
      grown = true;
      heap.budget.grew(begin, plan.moved, plan.created);
      heap.stats.add(Figure.PAGES_MOVED, plan.movedBytes / page);
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

  /** Finds the place where fewest bytes are missing. Called under the heap's lock. */
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

  /** The best of the places offered so far; there is none while {@code span} is null. */
  private final class Place {
    private final StreamState owner;
    private final long size;
    private final long alignment;
    private final boolean apart;

    /** Free chunks that must all move, which a chunk beneath the block cannot. */
    private final List<FreeChunk> mustMove;

    private @Nullable Span elsewhere;
    private @Nullable Span span;
    private long address;
    private long missing;
    private long least = Long.MAX_VALUE;

    Place(StreamState owner, long size, long alignment, List<FreeChunk> mustMove) {
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

    /**
     * Offers the start of a span that begins with unsettled memory of the stream, and the stream's
     * part of the addresses.
     */
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

    /** Offers addresses outside the stream's part, if no other place was found. */
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
      for (FreeChunk each : mustMove) {
        bytes += each.chunk.overlaps(region, at, at + size) ? each.chunk.size : 0;
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

    long to() {
      long end = address + size;
      return blockAt(end - 1).place == Block.Place.HOLE ? region().pageFrom(end) : end;
    }

    /** Returns the end of a block with some of the hole behind it. */
    long extended(long end, long bytes) {
      Block last = blockAt(end - 1);
      return bytes < page || last.place != Block.Place.HOLE
          ? end
          : Math.min(last.end(), end + bytes / page * page);
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

  /** Returns the number of the stream's part of the addresses; part 0 belongs to no stream. */
  private int partOf(StreamState owner) {
    if (owner.addressPart == 0) {
      owner.addressPart = 1 + streamParts++ % STREAM_PARTS;
    }
    return owner.addressPart;
  }

  /**
   * Takes the block and the chunks that move to it; null if the limit allows too little memory.
   * Called under the heap's lock.
   */
  private @Nullable Plan supply(Place place, boolean scarce) {
    long missing = place.missing;
    long allowed = Math.max(0, limit.bytes() - limit.reserved());
    if (missing > allowed && missing - heap.releasableBytes() > allowed) {
      return null;
    }
    long below = Math.max(0, limit.growthBound() - limit.reserved());
    long mustMove = scarce ? missing : missing - Math.min(allowed, below);
    int mayMove = scarce ? Integer.MAX_VALUE : heap.budget.affordableMoves();
    boolean moves = missing > 0 && (mayMove > 0 || mustMove > 0);
    List<FreeChunk> chosen = moves ? choose(place, mayMove, mustMove) : List.of();
    long created = missing - bytesOf(chosen);
    if (created > allowed) {
      return null;
    }
    List<Block> leaving = takeAddresses(chosen);
    long from = place.from();
    long end = place.to();
    if (created > 0 && !scarce) {
      end = place.extended(end, Math.min(stride(), Math.min(allowed, below)) - created);
    }
    Block first = place.blockAt(from);
    Block.Place before = before(first, end);
    Block block = heap.carve(first, from, end - from, place.owner);
    return new Plan(block, place.address, before, leaving, created);
  }

  private static long bytesOf(List<FreeChunk> chunks) {
    long bytes = 0;
    for (FreeChunk each : chunks) {
      bytes += each.chunk.size;
    }
    return bytes;
  }

  /** Returns SETTLED if all memory of a span is, else UNSETTLED. Called under the heap's lock. */
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
   * @param mayMove number of chunks that may move within the budget
   * @param mustMove bytes that must move regardless of the budget
   */
  private List<FreeChunk> choose(Place place, int mayMove, long mustMove) {
    List<FreeChunk> free = place.mustMove.isEmpty() ? freeChunks() : place.mustMove;
    free.sort((one, other) -> Long.compare(other.chunk.size, one.chunk.size));
    List<FreeChunk> chosen = new ArrayList<>();
    long moving = 0;
    FreeChunk larger = null;
    for (FreeChunk each : free) {
      if (moving >= place.missing || (chosen.size() >= mayMove && moving >= mustMove)) {
        break;
      }
      if (place.overlaps(each.chunk)) {
        continue;
      }
      if (each.chunk.size <= place.missing - moving) {
        chosen.add(each);
        moving += each.chunk.size;
      } else {
        larger = each;
      }
    }
    if (larger != null && moving < mustMove) {
      // Longer than the missing bytes: it returns to the driver, which creates a shorter chunk.
      chosen.add(larger);
    }
    return chosen;
  }

  /** Returns the chunks that lie wholly in settled blocks. Called under the heap's lock. */
  private List<FreeChunk> freeChunks() {
    List<FreeChunk> chunks = new ArrayList<>();
    for (FreeIndex index : List.of(heap.settled(true), heap.settled(false))) {
      FreeIndex.Walk large = index.fits(page);
      while (large.hasNext()) {
        Block block = large.next();
        Chunk chunk = firstInside(block, block.address);
        while (chunk != null) {
          chunks.add(new FreeChunk(block, chunk));
          chunk = firstInside(block, chunk.end());
        }
      }
    }
    return chunks;
  }

  private static @Nullable Chunk firstInside(Block block, long from) {
    return from < block.end() ? block.region.firstInside(from, block.end()) : null;
  }

  /**
   * Takes the addresses of chunks out of settled blocks, in their order. Called under the heap's
   * lock.
   */
  private List<Block> takeAddresses(List<FreeChunk> chosen) {
    List<Block> taken = new ArrayList<>();
    if (!chosen.isEmpty()) {
      chosen.sort(Comparator.comparingLong(each -> each.chunk.address));
    }
    Block whole = null;
    Block last = null;
    for (FreeChunk each : chosen) {
      // A block with thousands of chunks is not walked again from its start for each.
      Block first = last != null && each.block == whole ? last : each.block;
      whole = each.block;
      last = heap.carve(first, each.chunk.address, each.chunk.size);
      taken.add(last);
    }
    return taken;
  }

  /** Returns the largest size of a new chunk for a block. */
  private long chunkBytes(long size, boolean scarce) {
    long most = heap.mostReserved();
    boolean halfFull = scarce || limit.reserved() + size > most / 2;
    long ofMemory = most / (halfFull ? HALF_FULL_MEMORY_PARTS : MEMORY_PARTS);
    long ofBlock = Math.max(Math.min(LARGE_CHUNK, size / BLOCK_PARTS), size / HUGE_BLOCK_PARTS);
    long ofStride = scarce ? 0 : stride();
    return Math.max(page, Math.min(Math.max(ofBlock, ofStride), ofMemory) / page * page);
  }

  /** Returns the bytes that a growth takes at least; 0 for no more than its block. */
  private long stride() {
    long beyond = Math.max(0, heap.reservedBytes() - BEFORE_STRIDES);
    return Math.min(LARGE_CHUNK, beyond / STRIDE_PARTS) / page * page;
  }

  // ---- driver calls, under the growth lock alone ----

  /**
   * Creates a growth by many chunks as one chunk first, and releases it, if the device seems to
   * have too little memory. Otherwise a growth could take all free memory from other programs
   * before it fails.
   */
  private void probe(Plan plan, long chunkBytes) {
    long created = plan.createdBytes;
    if (created > UNPROBED_CHUNKS * chunkBytes && created > heap.freeBytes()) {
      memory.release(memory.create(created));
    }
  }

  /**
   * Unmaps the moving chunks, creates the missing ones, and maps both beneath the block. The
   * longest hole is filled first, because it has room for the longest chunks.
   */
  private void mapChunks(Plan plan, long chunkBytes) {
    long begin = heap.budget.now();
    int moving = plan.leaving.size();
    unmap(plan.leaving);
    heap.budget.unmapped(begin, moving);
    for (Range hole : holesOf(plan.block)) {
      for (long at = hole.address; at < hole.end(); ) {
        at = map(plan, nextChunk(plan, hole.end() - at, chunkBytes), at);
      }
      grantAccess(hole.address, hole.size);
    }
    releaseUnplaced();
  }

  /** Returns the parts of a block without memory, the longest first. */
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
   * Returns an unplaced chunk that is short enough for a hole, or a new unplaced chunk. Before the
   * driver creates one, longer unplaced chunks are released, because it may have no other memory.
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
    plan.created++;
    return create(bytes);
  }

  private Chunk create(long bytes) {
    Chunk chunk = new Chunk(bytes, memory.create(bytes));
    chunks.add(chunk);
    unplaced.add(chunk);
    heap.taken(chunk);
    return chunk;
  }

  /** Maps a chunk; returns its end. */
  private long map(Plan plan, Chunk chunk, long address) {
    memory.map(address, chunk.size, chunk.handle);
    unplaced.remove(chunk);
    observer.mapped(address, chunk.size, chunk.address != 0);
    chunk.address = address;
    chunk.mapped = true;
    plan.mapped.add(chunk);
    return chunk.end();
  }

  /** Makes mapped memory accessible to this device and those that the options name. */
  void grantAccess(long address, long bytes) {
    if (accessors.size() == 1) {
      memory.setAccess(address, bytes, device);
    } else {
      memory.setAccess(address, bytes, accessors);
    }
  }

  /**
   * Unmaps chunks, neighbours by one driver call, and moves them from {@code leaving} to the
   * unplaced ones. Their addresses become holes.
   *
   * @param leaving addresses of the chunks, in order, as blocks in no index
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
      PoolDriverCalls.make(device, () -> memory.unmap(from, bytes));
      observer.unmapped(from, bytes);
      heap.lock.lock();
      try {
        for (Block each : neighbours) {
          Chunk chunk = requireNonNull(each.region.chunkAt(each.address), "chunk");
          each.region.chunkUnmapped(chunk);
          chunk.mapped = false;
          unplaced.add(chunk);
          heap.insertMerged(each, Block.Place.HOLE);
        }
      } finally {
        heap.lock.unlock();
      }
      neighbours.clear();
    }
  }

  /** Records the mapped chunks of a grown block, and frees the rest of its pages. */
  private Block finish(Plan plan, long size) {
    heap.lock.lock();
    try {
      Block block = plan.block;
      assert plan.address >= block.address && plan.address + size <= block.end();
      for (Chunk each : plan.mapped) {
        block.region.chunkMapped(each, each.address);
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
   * Frees the block of a failed growth. The chunks mapped beneath it are stuck until they have
   * returned to the driver.
   */
  private void undo(Plan plan) {
    heap.lock.lock();
    try {
      freeBlocks(plan);
    } finally {
      heap.lock.unlock();
    }
    releaseUnplaced();
  }

  private void freeBlocks(Plan plan) {
    settleAgain(plan.leaving);
    Region region = plan.block.region;
    for (Block rest = plan.block; rest != null; ) {
      Chunk mapped = plan.mappedAt(rest.address);
      // A hole is filled from its start, so the rest of it is empty.
      long end = mapped != null ? mapped.end() : region.endOfRun(rest.address, rest.end());
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

  /** Unmaps the stuck chunks, and releases all unplaced ones. */
  void releaseUnplaced() {
    try {
      while (!stuck.isEmpty()) {
        Stuck first = stuck.get(0);
        unmap(first.chunk);
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
        release(last);
        unplaced.remove(unplaced.size() - 1);
      }
    } finally {
      countUnplaced();
    }
  }

  private void unmap(Chunk chunk) {
    PoolDriverCalls.make(device, () -> memory.unmap(chunk.address, chunk.size));
    chunk.mapped = false;
    observer.unmapped(chunk.address, chunk.size);
  }

  private void release(Chunk chunk) {
    memory.release(chunk.handle);
    chunks.remove(chunk);
    heap.givenBack(chunk, 0);
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

  /** Takes the addresses of free chunks, the highest first, out of the indexes. */
  private List<Block> takeHighest(long wantedBytes, boolean beyond) {
    heap.lock.lock();
    try {
      List<FreeChunk> free = wantedBytes > 0 ? freeChunks() : new ArrayList<>();
      free.sort(Comparator.comparingLong((FreeChunk each) -> each.chunk.address).reversed());
      List<FreeChunk> chosen = new ArrayList<>();
      long left = wantedBytes;
      FreeChunk larger = null;
      for (FreeChunk each : free) {
        if (each.chunk.size <= left) {
          chosen.add(each);
          left -= each.chunk.size;
        } else if (larger == null || each.chunk.size < larger.chunk.size) {
          larger = each;
        }
      }
      if (left > 0 && beyond && larger != null) {
        chosen.add(larger);
      }
      return takeAddresses(chosen);
    } finally {
      heap.lock.unlock();
    }
  }

  /** Returns chunks that were not unmapped to the settled blocks. */
  private void settleAgain(List<Block> addresses) {
    heap.lock.lock();
    try {
      addresses.forEach(each -> heap.insertMerged(each, Block.Place.SETTLED));
    } finally {
      heap.lock.unlock();
    }
  }

  // ---- suspensions ----

  /**
   * Unmaps neighbouring chunks, whatever blocks lie on them. They are unplaced until {@link
   * #releaseUnplaced} releases them.
   */
  void unmapChunks(List<Chunk> neighbours) {
    long from = neighbours.get(0).address;
    long bytes = neighbours.get(neighbours.size() - 1).end() - from;
    PoolDriverCalls.make(device, () -> memory.unmap(from, bytes));
    observer.unmapped(from, bytes);
    heap.lock.lock();
    try {
      for (Chunk each : neighbours) {
        unplaced.add(each);
        requireNonNull(each.region).chunkUnmapped(each);
        each.mapped = false;
      }
    } finally {
      heap.lock.unlock();
      countUnplaced();
    }
  }

  /** Maps a new chunk where {@link #unmapChunks} has unmapped one. It is not accessible yet. */
  void mapNew(Region region, long address, long bytes) {
    Chunk chunk = create(bytes);
    try {
      memory.map(address, bytes, chunk.handle);
      chunk.address = address;
      chunk.mapped = true;
    } catch (RuntimeException | Error e) {
      Batch.after(e, this::releaseUnplaced);
      throw e;
    }
    heap.lock.lock();
    try {
      region.chunkMapped(chunk, address);
      unplaced.remove(chunk);
    } finally {
      heap.lock.unlock();
    }
    observer.mapped(address, bytes, false);
  }

  // ---- addresses ----

  /** Reserves addresses for a block; returns false if the heap may not reserve as many. */
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
        // One page more, where nothing is ever mapped, so that no other range follows directly.
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
      // No block may remain, even if the driver fails to take some addresses back.
      regions.forEach(each -> heap.remove(each.first));
      regions.clear();
    } finally {
      heap.lock.unlock();
    }
    unreserve();
  }

  private void unreserve() {
    while (!reservations.isEmpty()) {
      Range last = reservations.get(reservations.size() - 1);
      memory.unreserve(last.address, last.size + page);
      reservations.remove(last);
    }
  }

  @Override
  public void abandon() {
    regions.clear();
    unplaced.clear();
    stuck.clear();
    heap.stats.add(Figure.SUSPENDED, -heap.stats.current(Figure.SUSPENDED));
    Batch.run(() -> Batch.forEach(List.copyOf(chunks), this::abandon), this::unreserve);
  }

  private void abandon(Chunk chunk) {
    if (chunk.mapped) {
      unmap(chunk);
    }
    release(chunk);
  }
}
