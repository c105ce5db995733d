package org.vramkit.sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.DriverPoolStatistics;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.check.Snapshot;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.BlockSpace;
import org.vramkit.sim.memory.PhysicalMemory;
import org.vramkit.sim.memory.PoolAddresses;
import org.vramkit.sim.memory.SlicedBytes;
import org.vramkit.sim.memory.SparseBytes;

/**
 * The memory of a driver pool, as driver 580 manages it. Guarded by the backend's lock.
 *
 * <pre>
 *   places      0              32 MiB           64 MiB           96 MiB
 *   units       |   reserved   |    released    |    reserved    |            as far as addresses go
 *   ranges      |used|free|used|              free               |used| free
 * </pre>
 *
 * <h2>Places and units</h2>
 *
 * A block takes a range of places, of which the units of 32 MiB that it needs are reserved then. A
 * unit without used bytes is released by a trim, by a synchronization above the threshold, when the
 * device runs out of memory, and when another unit is needed.
 *
 * <h2>Free ranges</h2>
 *
 * A range that was freed on a stream is <i>settled</i> once the host has synchronized with that
 * stream; that the stream has reached the free does not suffice. Only settled ranges may be
 * released, and neighbours that are settled are one range. An allocation takes the smallest range
 * that fits, and of those the oldest: of what its stream has freed; else of what is settled and
 * reserved; else of what the reuse policies allow; else of all that is settled.
 */
final class DriverPoolMemory implements Unsettled {
  private static final long GROWTH = 32L << 20;

  /** A pool has more places than the device has memory, because it leaves holes. */
  private static final int PLACES = 2;

  /** A live block, or one whose free has not been reached. */
  record Block(
      long address, long bytes, long start, long end, long lastAddress, PhysicalMemory physical) {}

  private final DeviceCore device;
  private final Engine engine;
  private final long unit;
  private final long maximum;

  /** The end of the places. */
  private final long places;

  private final Set<Integer> accessors;
  private final TreeMap<Long, PoolUnits.Chunk> chunks = new TreeMap<>();
  private final TreeMap<Long, FreePlaces> free = new TreeMap<>();

  /** Live blocks by address. */
  private final TreeMap<Long, Block> used = new TreeMap<>();

  /** The number of unsettled ranges of each stream. */
  private final Map<StreamQueue, Integer> unsettled = new HashMap<>();

  private final Set<DriverPoolReuse> reuse = EnumSet.allOf(DriverPoolReuse.class);
  private final PoolAddresses addresses;

  /** Start of the units that an allocation is about to use, which nothing releases. */
  private long growingStart;

  private long growingEnd;

  private long ages;
  private long usedBytes;
  private long usedPeak;
  private long reserved;
  private long reservedPeak;
  private long threshold;
  private boolean closed;
  private boolean destroyed;

  /** Creates a pool of at most {@code maximum} bytes, in units; 0 for the device's memory. */
  DriverPoolMemory(DeviceCore device, long maximum, Set<Integer> accessors) {
    this.device = device;
    this.engine = device.engine;
    this.unit = device.exact ? BlockSpace.SLOT : GROWTH;
    this.maximum = maximum == 0 ? Long.MAX_VALUE : roundUp(maximum, unit);
    this.accessors = accessors;
    this.places = PLACES * roundUp(device.budget.total, GROWTH);
    this.addresses = new PoolAddresses(engine.space, places);
  }

  /** Returns the ordinal of the pool's device. */
  int ordinal() {
    return device.ordinal;
  }

  void setReuse(DriverPoolReuse way, boolean enabled) {
    if (enabled) {
      reuse.add(way);
    } else {
      reuse.remove(way);
    }
  }

  // ---- allocation ----

  /** Allocates a block for a stream; returns null if there is too little memory. */
  @Nullable Block allocate(long bytes, StreamQueue stream) {
    long size = roundUp(bytes, BlockSpace.SLOT);
    if (size < 0 || size > device.budget.total) {
      device.giveUpUnused();
      return null;
    }
    stream.uses(this);
    if (free.isEmpty() && used.isEmpty()) {
      settle(new FreePlaces(0, places, 0));
    }
    FreePlaces first = reusable(size, stream);
    if (first == null) {
      first = grow(size, stream);
    }
    return first == null ? null : take(first, size, bytes);
  }

  /** Returns places that need no more memory; null if there are none. */
  private @Nullable FreePlaces reusable(long size, StreamQueue stream) {
    FreePlaces own = find(size, range -> range.freedOn == stream);
    if (own != null) {
      return own;
    }
    FreePlaces settled = find(size, range -> range.freedOn == null && isReserved(range));
    return settled != null ? settled : findOfStreams(size, range -> mayReuse(range, stream));
  }

  private boolean isReserved(FreePlaces range) {
    return range.end < places && PoolUnits.missing(chunks, range.start, range.end).isEmpty();
  }

  /** Returns places whose units it reserves; if it cannot, those of a pending free or null. */
  private @Nullable FreePlaces grow(long size, StreamQueue stream) {
    FreePlaces found = find(size, range -> range.freedOn == null);
    if (found == null) {
      return null;
    }
    long start = found.start & -unit;
    long end = roundUp(found.start + size, unit);
    long wanted = PoolUnits.bytesOf(PoolUnits.missing(chunks, start, end));
    growingStart = start;
    growingEnd = end;
    // Units elsewhere serve again here.
    release(Math.max(0, reserved - wanted), 0, 0, places);
    boolean grown = reserved + wanted <= maximum && reserve(start, end);
    if (!grown && (reserved < maximum || wanted <= maximum)) {
      // The driver goes as far as it can before it gives up.
      device.giveUpUnused();
      reserveUpTo(maximum - reserved, start, end);
    }
    growingStart = 0;
    growingEnd = 0;
    if (grown) {
      return found;
    }
    FreePlaces pending = pending(size, stream);
    long most = reserved;
    releaseAboveThreshold();
    engine.costsMore(engine.costs.getPoolTrimNanos(most - reserved));
    return pending;
  }

  /** Returns places that another stream has freed, for which a stream waits; null for none. */
  private @Nullable FreePlaces pending(long size, StreamQueue stream) {
    if (!reuse.contains(DriverPoolReuse.INTERNAL_DEPENDENCIES)) {
      return null;
    }
    FreePlaces found = findOfStreams(size, range -> true);
    if (found != null) {
      stream.startAfter(found.freeAt);
    }
    return found;
  }

  /** Returns the best range of the oldest stream that has freed one of a test; null if none has. */
  private @Nullable FreePlaces findOfStreams(long size, Predicate<FreePlaces> usable) {
    List<StreamQueue> streams = new ArrayList<>(unsettled.keySet());
    streams.sort(Comparator.comparingLong(each -> each.handle));
    for (StreamQueue each : streams) {
      FreePlaces found = find(size, range -> range.freedOn == each && usable.test(range));
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** Returns the smallest range that fits, of those the oldest; null if none of a test fits. */
  private @Nullable FreePlaces find(long size, Predicate<FreePlaces> usable) {
    FreePlaces best = null;
    for (FreePlaces range : free.values()) {
      if (range.bytes() >= size
          && (best == null
              || range.bytes() < best.bytes()
              || (range.bytes() == best.bytes() && range.age < best.age))
          && usable.test(range)) {
        best = range;
      }
    }
    return best;
  }

  private boolean mayReuse(FreePlaces range, StreamQueue stream) {
    StreamQueue by = range.freedOn;
    if (by == null || by == stream) {
      return true;
    }
    Snapshot point = range.freed;
    boolean ordered = point != null && stream.clock.comesAfter(point);
    boolean reached = engine.timeline.isReached(range.freeAt);
    // No policy forbids what has happened before the work of the stream.
    return (ordered && (reached || reuse.contains(DriverPoolReuse.FOLLOW_EVENT_DEPENDENCIES)))
        || (reached && reuse.contains(DriverPoolReuse.OPPORTUNISTIC));
  }

  private @Nullable Block take(FreePlaces first, long size, long bytes) {
    long start = first.start;
    long end = start + size;
    remove(first);
    if (first.end > end) {
      add(first.with(end, first.end, first.lastAddress));
    }
    long address = addresses.allocate(start, size);
    if (address < 0) {
      settle(new FreePlaces(start, end, first.lastAddress));
      return null;
    }
    Block block =
        new Block(
            address,
            bytes,
            start,
            end,
            first.lastAddress,
            new PhysicalMemory(device.ordinal, size, engine.bytes ? content(start, end) : null));
    used.put(address, block);
    usedBytes += bytes;
    usedPeak = Math.max(usedPeak, usedBytes);
    engine.space.add(Region.pooled(device.ordinal, address, bytes, block.physical, accessors));
    return block;
  }

  private SlicedBytes content(long start, long end) {
    List<SlicedBytes.Part> parts = new ArrayList<>(1);
    for (long at = start; at < end; ) {
      PoolUnits.Chunk chunk = Objects.requireNonNull(chunks.floorEntry(at), "chunk").getValue();
      long stop = Math.min(end, chunk.end());
      SparseBytes store = Objects.requireNonNull(chunk.content(), "content");
      parts.add(new SlicedBytes.Part(store, chunk.offset() + at - chunk.start(), stop - at));
      at = stop;
    }
    return new SlicedBytes(parts);
  }

  long reservedBytes() {
    return reserved;
  }

  /** Reserves what is missing of units; returns false if there is too little memory. */
  private boolean reserve(long start, long end) {
    List<PoolUnits.Places> missing = PoolUnits.missing(chunks, start, end);
    long bytes = PoolUnits.bytesOf(missing);
    if (!device.reserve(bytes)) {
      return false;
    }
    engine.costsMore(engine.costs.getPoolGrowthNanos(bytes));
    missing.forEach(each -> add(each.start(), each.end()));
    return true;
  }

  /** Reserves as much of the units as it can, up to a number of bytes. */
  private void reserveUpTo(long most, long start, long end) {
    long left = most;
    for (PoolUnits.Places each : PoolUnits.missing(chunks, start, end)) {
      long free = Math.max(0, device.budget.getFree()) & -unit;
      long bytes = Math.min(each.end() - each.start(), Math.min(left, free));
      if (bytes > 0 && device.reserve(bytes)) {
        engine.costsMore(engine.costs.getPoolGrowthNanos(bytes));
        add(each.start(), each.start() + bytes);
        left -= bytes;
      }
    }
  }

  private void add(long start, long end) {
    long bytes = end - start;
    long seed = engine.seed + device.newHandle();
    SparseBytes content = engine.bytes ? new SparseBytes(bytes, seed) : null;
    chunks.put(start, new PoolUnits.Chunk(start, end, content, 0));
    reserved += bytes;
    reservedPeak = Math.max(reservedPeak, reserved);
  }

  // ---- free ----

  @Nullable Block at(long address) {
    return used.get(address);
  }

  boolean has(long address) {
    Map.Entry<Long, Block> entry = used.floorEntry(address);
    return entry != null && address < entry.getKey() + entry.getValue().bytes;
  }

  /** Returns the size of the block at an address. */
  long sizeOf(long address) {
    return Objects.requireNonNull(used.get(address), "block").bytes;
  }

  /** Notes that the driver has destroyed the pool. */
  void destroyed() {
    destroyed = true;
  }

  /** Refuses to free memory of a destroyed pool, as the CUDA backends do before any driver call. */
  void requireOpen(long address) {
    if (destroyed) {
      throw new InvalidArgumentException(
          "cannot free 0x%x: its pool was closed before; free memory before its pool"
              .formatted(address));
    }
  }

  /** Frees a block in stream order, after the work that the stream has now. */
  void free(long address, StreamQueue stream) {
    stream.uses(this);
    Block block = remove(address);
    usedBytes -= block.bytes;
    FreePlaces range = new FreePlaces(block.start, block.end, address);
    range.freedOn = stream;
    range.number = stream.freed(this);
    range.freeAt = stream.tail();
    range.freed = stream.clock.snapshot();
    addFreed(range);
    Region region = Objects.requireNonNull(engine.space.containing(address), "region");
    engine.space.retire(region);
    // The addresses stay valid for the work that was queued before the free.
    engine.timeline.whenReached(stream.lane, range.freeAt, () -> leave(region, block));
  }

  private void leave(Region region, Block block) {
    engine.space.removeRetired(region);
    addresses.free(block.address, block.end - block.start);
  }

  /**
   * Frees a block at once; the host asserts that all work on it is done. The driver goes on to
   * count its bytes as used.
   */
  void free(long address) {
    Block block = remove(address);
    engine.space.remove(address);
    addresses.free(address, block.end - block.start);
    settle(new FreePlaces(block.start, block.end, address));
    releaseAboveThreshold(block.start & -unit, roundUp(block.end, unit));
    endIfUnused();
  }

  private Block remove(long address) {
    return Objects.requireNonNull(used.remove(address), "block");
  }

  private void add(FreePlaces range) {
    range.age = ++ages;
    free.put(range.start, range);
    if (range.freedOn != null) {
      unsettled.merge(range.freedOn, 1, Integer::sum);
    }
  }

  private void remove(FreePlaces range) {
    free.remove(range.start);
    if (range.freedOn != null) {
      unsettled.computeIfPresent(range.freedOn, (stream, count) -> count == 1 ? null : count - 1);
    }
  }

  /**
   * Adds a range that a stream has freed last, and merges its neighbours of that stream with it.
   */
  private void addFreed(FreePlaces range) {
    long start = range.start;
    long end = range.end;
    long last = range.lastAddress;
    Map.Entry<Long, FreePlaces> before = free.lowerEntry(start);
    if (before != null
        && before.getValue().end == start
        && before.getValue().freedOn == range.freedOn) {
      start = before.getValue().start;
      last = before.getValue().lastAddress;
      remove(before.getValue());
    }
    FreePlaces after = free.get(end);
    if (after != null && after.freedOn == range.freedOn) {
      end = after.end;
      remove(after);
    }
    add(range.with(start, end, last));
  }

  /** Adds a range that any stream may use, and merges it with its neighbours. */
  private void settle(FreePlaces range) {
    Map.Entry<Long, FreePlaces> before = free.lowerEntry(range.start);
    FreePlaces merged = range;
    if (before != null
        && before.getValue().freedOn == null
        && before.getValue().end == range.start) {
      merged = before.getValue();
      merged.end = range.end;
    }
    FreePlaces after = free.get(range.end);
    if (after != null && after.freedOn == null) {
      free.remove(after.start);
      merged.end = after.end;
    }
    merged.age = ++ages;
    free.put(merged.start, merged);
  }

  // ---- synchronization and release ----

  @Override
  public boolean settle(StreamQueue stream, long first) {
    if (unsettled.containsKey(stream)) {
      for (FreePlaces range : List.copyOf(free.values())) {
        if (range.freedOn == stream && range.number <= first) {
          remove(range);
          settle(new FreePlaces(range.start, range.end, range.lastAddress));
        }
      }
      // The stream may be another device's, whose waits say nothing to this device's other pools.
      releaseAboveThreshold();
      endIfUnused();
    }
    return unsettled.containsKey(stream);
  }

  /** Sets the reserved bytes above which synchronizations release free chunks. */
  void setThreshold(long bytes) {
    threshold = bytes;
  }

  private void releaseAboveThreshold() {
    releaseAboveThreshold(0, places);
  }

  /** Releases units of these places above the threshold. */
  private void releaseAboveThreshold(long start, long end) {
    if (reserved > threshold) {
      release(threshold, 0, start, end);
    }
  }

  @Override
  public boolean releaseUnused() {
    releaseAboveThreshold();
    return !closed;
  }

  /** Releases settled memory while at least {@code keepBytes} remain reserved. */
  void releaseUnused(long keepBytes) {
    release(keepBytes, keepBytes, 0, places);
  }

  /**
   * Releases settled units between places, the last ones first, while more than {@code above} and
   * at least {@code keep} bytes remain.
   */
  private void release(long above, long keep, long start, long end) {
    if (reserved > above) {
      List<PoolUnits.Places> settled = PoolUnits.settled(chunks, free.values(), unit);
      for (int i = settled.size() - 1; i >= 0 && reserved > above; i--) {
        PoolUnits.Places each = settled.get(i);
        drop(
            Math.max(each.start(), Math.max(start, growingEnd)),
            Math.min(each.end(), end),
            above,
            keep);
        drop(
            Math.max(each.start(), start),
            Math.min(each.end(), Math.min(end, growingStart)),
            above,
            keep);
      }
    }
  }

  /** Releases units before a place, as far as these limits allow. */
  private void drop(long start, long end, long above, long keep) {
    long most = Math.min(roundUp(reserved - above, unit), (reserved - keep) & -unit);
    long bytes = Math.min(end - start, most);
    if (bytes > 0) {
      drop(end - bytes, end);
    }
  }

  private void drop(long start, long end) {
    PoolUnits.Chunk chunk = Objects.requireNonNull(chunks.floorEntry(start), "chunk").getValue();
    chunks.remove(chunk.start());
    if (chunk.start() < start) {
      chunks.put(chunk.start(), chunk.part(chunk.start(), start));
    }
    if (chunk.end() > end) {
      chunks.put(end, chunk.part(end, chunk.end()));
    }
    reserved -= end - start;
    device.budget.release(end - start);
  }

  /** Releases what it can, because the device runs out of memory. */
  void giveUp() {
    releaseUnused(0);
    giveUpIfClosed();
  }

  /** Lets a closed pool release what its streams have reached. */
  void giveUpIfClosed() {
    if (closed) {
      for (FreePlaces range : List.copyOf(free.values())) {
        if (range.freedOn != null && engine.timeline.isReached(range.freeAt)) {
          remove(range);
          settle(new FreePlaces(range.start, range.end, range.lastAddress));
        }
      }
      endIfUnused();
    }
  }

  /**
   * Closes the pool, which releases what its streams have reached, and keeps the rest until that is
   * settled. The device keeps the pool as long.
   */
  void close() {
    closed = true;
    giveUpIfClosed();
  }

  private void endIfUnused() {
    if (closed) {
      releaseUnused(0);
      if (chunks.isEmpty()) {
        addresses.close();
        device.pools.remove(this);
      }
    }
  }

  DriverPoolStatistics getStatistics() {
    return new DriverPoolStatistics(usedBytes, usedPeak, reserved, reservedPeak);
  }

  private static long roundUp(long bytes, long to) {
    return (bytes + to - 1) & -to;
  }
}
