package org.vramkit.sim;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.DriverPoolStatistics;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.check.Snapshot;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.BlockSpace;
import org.vramkit.sim.memory.PhysicalMemory;
import org.vramkit.sim.memory.PoolAddresses;
import org.vramkit.sim.memory.SlicedBytes;
import org.vramkit.sim.memory.SparseBytes;
import org.vramkit.sim.timeline.Point;

/**
 * The memory of a driver pool, as driver 580 manages it. Guarded by the backend's lock.
 *
 * <pre>
 *   places      0              32 MiB                        96 MiB
 *   chunks      |   32 MiB     |          64 MiB             |         grown, released whole
 *   ranges      |used|free|used|        free        |  used  |         cut and merged across chunks
 * </pre>
 *
 * <h2>Growth and release</h2>
 *
 * The pool grows by multiples of 32 MiB. A chunk without used bytes is released by a trim, by a
 * synchronization above the threshold, or when the device runs out of memory.
 *
 * <h2>Free ranges</h2>
 *
 * A range that was freed on a stream is <i>settled</i> once the host has synchronized with that
 * stream; that the stream has reached the free does not suffice. Only settled ranges may be
 * released. The freeing stream reuses a range at once, other streams as the reuse policies allow.
 * An allocation takes the smallest run of adjacent ranges that fits and that its stream may reuse.
 */
final class DriverPoolMemory implements Unsettled {
  private static final long GROWTH = 32L << 20;

  /** A reserved range of places without a block. */
  private static final class Free {
    final long start;
    long end;

    /** The address of the last owner; 0 without one. */
    final long lastAddress;

    /** The stream of the free; null once settled. */
    @Nullable StreamQueue freedOn;

    /** The number of the free in the order of its stream. */
    long number;

    Point freeAt = Point.START;
    @Nullable Snapshot freed;

    Free(long start, long end, long lastAddress) {
      this.start = start;
      this.end = end;
      this.lastAddress = lastAddress;
    }

    /** Returns the part from a place on. */
    Free from(long place) {
      Free rest = new Free(place, end, lastAddress);
      rest.freedOn = freedOn;
      rest.number = number;
      rest.freeAt = freeAt;
      rest.freed = freed;
      return rest;
    }
  }

  /** A live block, or one whose free has not been reached. */
  record Block(
      long address, long bytes, long start, long end, long lastAddress, PhysicalMemory physical) {}

  private record Chunk(long bytes, @Nullable SparseBytes content) {}

  private final DeviceCore device;
  private final Engine engine;
  private final long unit;
  private final long maximum;
  private final Set<Integer> accessors;
  private final TreeMap<Long, Chunk> chunks = new TreeMap<>();
  private final TreeMap<Long, Free> free = new TreeMap<>();

  /** Live blocks by address. */
  private final TreeMap<Long, Block> used = new TreeMap<>();

  /** The number of unsettled ranges of each stream. */
  private final Map<StreamQueue, Integer> unsettled = new HashMap<>();

  private final Set<DriverPoolReuse> reuse = EnumSet.allOf(DriverPoolReuse.class);
  private final PoolAddresses addresses;
  private long usedBytes;
  private long usedPeak;
  private long reserved;
  private long reservedPeak;
  private long threshold;
  private boolean closed;
  private boolean destroyed;

  /** True while an allocation waits for pending frees, which releases nothing. */
  private boolean allocating;

  /** Creates a pool of at most {@code maximum} bytes, in units; 0 for the device's memory. */
  DriverPoolMemory(DeviceCore device, long maximum, Set<Integer> accessors) {
    this.device = device;
    this.engine = device.engine;
    this.unit = device.exact ? BlockSpace.SLOT : GROWTH;
    this.maximum = maximum == 0 ? Long.MAX_VALUE : roundUp(maximum, unit);
    this.accessors = accessors;
    this.addresses = new PoolAddresses(engine.space, device.budget.total);
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
    if (size < 0 || size > Math.min(device.budget.total, maximum)) {
      return null;
    }
    Free first = find(size, stream);
    if (first == null && (grow(size, stream) || waitForFrees())) {
      first = find(size, stream);
      if (first == null && grow(size, stream)) {
        first = find(size, stream);
      }
    }
    return first == null ? null : take(first, size, bytes);
  }

  /** Returns the first range of the best run for a stream; null if none fits. */
  private @Nullable Free find(long size, StreamQueue stream) {
    Free best = null;
    long smallest = Long.MAX_VALUE;
    Free first = null;
    long end = -1;
    for (Free range : free.values()) {
      boolean usable = mayReuse(range, stream);
      if (first != null && (!usable || range.start != end)) {
        if (end - first.start >= size && end - first.start < smallest) {
          best = first;
          smallest = end - first.start;
        }
        first = null;
      }
      if (usable) {
        first = first == null ? range : first;
        end = range.end;
      }
    }
    return first != null && end - first.start >= size && end - first.start < smallest
        ? first
        : best;
  }

  private boolean mayReuse(Free range, StreamQueue stream) {
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

  private @Nullable Block take(Free first, long size, long bytes) {
    long start = first.start;
    long end = start + size;
    for (Map.Entry<Long, Free> each = free.ceilingEntry(start);
        each != null && each.getKey() < end;
        each = free.ceilingEntry(start)) {
      Free range = each.getValue();
      remove(range);
      if (range.end > end) {
        add(range.from(end));
      }
    }
    long address = addresses.allocate(start, size);
    if (address < 0) {
      settle(new Free(start, end, first.lastAddress));
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
      Map.Entry<Long, Chunk> entry = Objects.requireNonNull(chunks.floorEntry(at), "chunk");
      long stop = Math.min(end, entry.getKey() + entry.getValue().bytes);
      SparseBytes store = Objects.requireNonNull(entry.getValue().content, "content");
      parts.add(new SlicedBytes.Part(store, at - entry.getKey(), stop - at));
      at = stop;
    }
    return new SlicedBytes(parts);
  }

  /** Returns the bytes at the end of the last chunk that a stream may use. */
  private long tail(StreamQueue stream) {
    long top = top();
    long start = top;
    for (Free range : free.descendingMap().values()) {
      if (range.end != start || !mayReuse(range, stream)) {
        break;
      }
      start = range.start;
    }
    return top - start;
  }

  long reservedBytes() {
    return reserved;
  }

  private long top() {
    Map.Entry<Long, Chunk> last = chunks.lastEntry();
    return last == null ? 0 : last.getKey() + last.getValue().bytes;
  }

  /** Grows by what is missing behind the free end of the last chunk, or by a chunk elsewhere. */
  private boolean grow(long size, StreamQueue stream) {
    long wanted = roundUp(size - tail(stream), unit);
    if (reserved + wanted > maximum) {
      // The free end may go as well, and then takes part in the growth.
      releaseUnused(Math.max(0, maximum - roundUp(size, unit)));
      long left = roundUp(maximum - reserved, BlockSpace.SLOT);
      wanted = Math.min(roundUp(size - tail(stream), unit), left);
    }
    if (wanted + tail(stream) < size || !device.reserve(wanted)) {
      return false;
    }
    long start = tail(stream) > 0 ? top() : gap(wanted);
    long seed = engine.seed + device.newHandle();
    chunks.put(start, new Chunk(wanted, engine.bytes ? new SparseBytes(wanted, seed) : null));
    settle(new Free(start, start + wanted, 0));
    reserved += wanted;
    reservedPeak = Math.max(reservedPeak, reserved);
    return true;
  }

  /** Returns the first place where a chunk fits. */
  private long gap(long bytes) {
    long start = 0;
    for (Map.Entry<Long, Chunk> chunk : chunks.entrySet()) {
      if (chunk.getKey() - start >= bytes) {
        break;
      }
      start = chunk.getKey() + chunk.getValue().bytes;
    }
    return start;
  }

  /**
   * Waits for pending frees, as the driver does when memory runs out, and settles them if the pool
   * may make one stream wait for another; returns whether it did.
   */
  private boolean waitForFrees() {
    if (unsettled.isEmpty()) {
      return false;
    }
    boolean internal = reuse.contains(DriverPoolReuse.INTERNAL_DEPENDENCIES);
    allocating = true;
    for (StreamQueue stream : List.copyOf(unsettled.keySet())) {
      StreamQueue.Queued queued = stream.queued();
      queued.finishByDriver(DriverFunction.MEM_ALLOC_ASYNC);
      if (internal) {
        stream.settle(queued.frees());
      }
    }
    allocating = false;
    return internal;
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
    Block block = remove(address);
    usedBytes -= block.bytes;
    Free range = new Free(block.start, block.end, address);
    range.freedOn = stream;
    range.number = stream.freed(this);
    range.freeAt = stream.tail();
    range.freed = stream.clock.snapshot();
    add(range);
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
    settle(new Free(block.start, block.end, address));
    releaseAboveThreshold();
    endIfUnused();
  }

  private Block remove(long address) {
    return Objects.requireNonNull(used.remove(address), "block");
  }

  private void add(Free range) {
    free.put(range.start, range);
    if (range.freedOn != null) {
      unsettled.merge(range.freedOn, 1, Integer::sum);
    }
  }

  private void remove(Free range) {
    free.remove(range.start);
    if (range.freedOn != null) {
      unsettled.computeIfPresent(range.freedOn, (stream, count) -> count == 1 ? null : count - 1);
    }
  }

  /** Adds a range that any stream may use, and merges it with its neighbours. */
  private void settle(Free range) {
    Map.Entry<Long, Free> before = free.lowerEntry(range.start);
    Free merged = range;
    if (before != null
        && before.getValue().freedOn == null
        && before.getValue().end == range.start) {
      merged = before.getValue();
      merged.end = range.end;
    }
    Free after = free.get(range.end);
    if (after != null && after.freedOn == null) {
      free.remove(after.start);
      merged.end = after.end;
    }
    free.put(merged.start, merged);
  }

  // ---- synchronization and release ----

  @Override
  public boolean settle(StreamQueue stream, long first) {
    if (unsettled.containsKey(stream)) {
      for (Free range : List.copyOf(free.values())) {
        if (range.freedOn == stream && range.number <= first) {
          remove(range);
          settle(new Free(range.start, range.end, range.lastAddress));
        }
      }
      if (!allocating) {
        // The stream may be another device's, whose waits say nothing to this device's other pools.
        releaseAboveThreshold();
      }
      endIfUnused();
    }
    return unsettled.containsKey(stream);
  }

  /** Sets the reserved bytes above which synchronizations release free chunks. */
  void setThreshold(long bytes) {
    threshold = bytes;
  }

  void releaseAboveThreshold() {
    if (reserved > threshold) {
      releaseChunks(threshold, 0);
    }
  }

  /** Releases settled chunks while at least {@code keepBytes} remain reserved. */
  void releaseUnused(long keepBytes) {
    releaseChunks(keepBytes, keepBytes);
  }

  /** Releases settled chunks while more than {@code above} and at least {@code keep} remain. */
  private void releaseChunks(long above, long keep) {
    for (long start : List.copyOf(chunks.descendingKeySet())) {
      if (reserved <= above) {
        return;
      }
      long bytes = Objects.requireNonNull(chunks.get(start), "chunk").bytes;
      Map.Entry<Long, Free> entry = free.floorEntry(start);
      Free range = entry == null ? null : entry.getValue();
      if (range != null
          && range.freedOn == null
          && range.end >= start + bytes
          && reserved - bytes >= keep) {
        release(start, bytes, range);
      }
    }
  }

  private void release(long start, long bytes, Free range) {
    free.remove(range.start);
    if (range.start < start) {
      free.put(range.start, new Free(range.start, start, range.lastAddress));
    }
    if (range.end > start + bytes) {
      free.put(start + bytes, range.from(start + bytes));
    }
    chunks.remove(start);
    reserved -= bytes;
    device.budget.release(bytes);
  }

  /** Releases what it can, because the device runs out of memory. */
  void giveUp() {
    releaseUnused(0);
    giveUpIfClosed();
  }

  /** Lets a closed pool release what its streams have reached. */
  void giveUpIfClosed() {
    if (closed) {
      for (Free range : List.copyOf(free.values())) {
        if (range.freedOn != null && engine.timeline.isReached(range.freeAt)) {
          remove(range);
          settle(new Free(range.start, range.end, range.lastAddress));
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
