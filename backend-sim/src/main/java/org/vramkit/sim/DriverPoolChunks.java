package org.vramkit.sim;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.DriverPoolStatistics;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.check.Snapshot;
import org.vramkit.sim.memory.PhysicalMemory;
import org.vramkit.sim.timeline.Point;

/**
 * The memory of a driver pool, in whole chunks: decides which free chunk is reused, and which are
 * released. All reuse policies are enabled at first. Guarded by the backend's lock.
 */
final class DriverPoolChunks {
  static final class Chunk {
    final long bytes;
    final PhysicalMemory physical;

    /** Address of the first byte, a new one for each owner. */
    long address;

    /** The address of the last owner; 0 without one. */
    long lastAddress;

    private @Nullable StreamQueue freedOn;
    private Point freeAt;
    private @Nullable Snapshot freed;

    Chunk(long bytes, PhysicalMemory physical, Point freeAt) {
      this.freeAt = freeAt;
      this.bytes = bytes;
      this.physical = physical;
    }
  }

  private final DeviceCore device;
  private final Engine engine;
  private final long maximum;
  private final NavigableMap<Long, Chunk> used = new TreeMap<>();
  private final List<Chunk> free = new ArrayList<>();
  private final Set<DriverPoolReuse> reuse = EnumSet.allOf(DriverPoolReuse.class);
  private long usedBytes;
  private long usedPeak;
  private long reserved;
  private long reservedPeak;
  private long threshold;
  private boolean closed;

  /** Creates a pool of at most {@code maximum} bytes; 0 for the device's memory. */
  DriverPoolChunks(DeviceCore device, long maximum) {
    this.device = device;
    this.engine = device.engine;
    this.maximum = maximum == 0 ? Long.MAX_VALUE : maximum;
  }

  void setReuse(DriverPoolReuse way, boolean enabled) {
    if (enabled) {
      reuse.add(way);
    } else {
      reuse.remove(way);
    }
  }

  /**
   * Returns a chunk for a stream at a new address: a free one, which the stream waits for if
   * necessary, or new memory; null if there is too little.
   */
  @Nullable Chunk allocate(long bytes, StreamQueue stream) {
    Chunk chunk = reusable(bytes, stream);
    if (chunk == null) {
      chunk = grow(bytes);
    }
    if (chunk != null) {
      chunk.lastAddress = chunk.address;
      chunk.address = engine.space.deviceArena.allocate(chunk.bytes, SimDeviceMemory.ALIGNMENT);
      used.put(chunk.address, chunk);
      usedBytes += chunk.bytes;
      usedPeak = Math.max(usedPeak, usedBytes);
    }
    return chunk;
  }

  /**
   * Returns the smallest free chunk that fits closely and that the stream may reuse, and makes the
   * stream wait if necessary.
   */
  private @Nullable Chunk reusable(long bytes, StreamQueue stream) {
    Chunk best = null;
    for (Chunk chunk : free) {
      if (chunk.bytes >= bytes
          && chunk.bytes - bytes <= Math.max(SimDeviceMemory.ALIGNMENT, bytes / 8)
          && (best == null || chunk.bytes < best.bytes)
          && mayReuse(chunk, stream)) {
        best = chunk;
      }
    }
    if (best != null) {
      free.remove(best);
      if (best.freedOn != stream) {
        // No program may rely on this wait: which chunk is free depends on timing.
        stream.startAfter(best.freeAt);
      }
    }
    return best;
  }

  private boolean mayReuse(Chunk chunk, StreamQueue stream) {
    Snapshot point = chunk.freed;
    return chunk.freedOn == stream
        || point == null
        || (reuse.contains(DriverPoolReuse.FOLLOW_EVENT_DEPENDENCIES)
            && stream.clock.comesAfter(point))
        || (reuse.contains(DriverPoolReuse.OPPORTUNISTIC)
            && engine.timeline.isReached(chunk.freeAt))
        || reuse.contains(DriverPoolReuse.INTERNAL_DEPENDENCIES);
  }

  private @Nullable Chunk grow(long bytes) {
    if (bytes > device.budget.total || bytes > maximum) {
      return null;
    }
    long rounded = ByteSize.roundUp(bytes, SimDeviceMemory.ALIGNMENT);
    releaseUnused(Math.max(0, maximum - rounded));
    if (reserved + rounded > maximum) {
      return null;
    }
    if (!device.budget.reserve(rounded)) {
      device.pools.forEach(pool -> pool.releaseUnused(0));
      if (!device.budget.reserve(rounded)) {
        return null;
      }
    }
    reserved += rounded;
    reservedPeak = Math.max(reservedPeak, reserved);
    return new Chunk(
        rounded, SimDeviceMemory.physical(device, rounded, device.newHandle()), Point.START);
  }

  @Nullable Chunk at(long address) {
    return used.get(address);
  }

  boolean has(long address) {
    Map.Entry<Long, Chunk> entry = used.floorEntry(address);
    return entry != null && address < entry.getKey() + entry.getValue().bytes;
  }

  /** Returns the size of the chunk at an address. */
  long sizeOf(long address) {
    return Objects.requireNonNull(used.get(address), "chunk").bytes;
  }

  /** Frees a chunk in stream order, after the work that the stream has now. */
  void free(long address, StreamQueue stream) {
    Chunk chunk = remove(address);
    chunk.freedOn = stream;
    chunk.freeAt = stream.tail();
    chunk.freed = stream.clock.snapshot();
    Runnable removal = () -> removeAddresses(address, chunk.bytes);
    if (engine.bytes) {
      // The addresses stay valid for the work that was queued before the free.
      engine.timeline.whenReached(stream.lane, chunk.freeAt, removal);
    } else {
      removal.run();
    }
    keep(chunk);
  }

  /** Frees a chunk at once; the host asserts that all work on it is done. */
  void free(long address) {
    Chunk chunk = remove(address);
    chunk.freedOn = null;
    chunk.freeAt = Point.START;
    chunk.freed = null;
    removeAddresses(address, chunk.bytes);
    keep(chunk);
  }

  private Chunk remove(long address) {
    Chunk chunk = Objects.requireNonNull(used.remove(address), "chunk");
    usedBytes -= chunk.bytes;
    return chunk;
  }

  private void removeAddresses(long address, long bytes) {
    engine.space.remove(address);
    engine.space.deviceArena.free(address, bytes);
  }

  private void keep(Chunk chunk) {
    free.add(chunk);
    if (closed) {
      close();
    }
  }

  /** Sets the reserved bytes down to which synchronizations release free chunks. */
  void setThreshold(long bytes) {
    threshold = bytes;
  }

  void releaseAboveThreshold() {
    releaseUnused(threshold);
  }

  /** Releases free chunks whose work is done, until at most {@code keepBytes} are reserved. */
  void releaseUnused(long keepBytes) {
    for (int i = free.size() - 1; i >= 0 && reserved > keepBytes; i--) {
      if (engine.timeline.isReached(free.get(i).freeAt)) {
        release(i);
      }
    }
  }

  /**
   * Closes the pool and releases all free chunks, even if work on them is not done. The device
   * keeps the pool until its last chunk is freed.
   */
  void close() {
    closed = true;
    for (int i = free.size() - 1; i >= 0; i--) {
      release(i);
    }
    if (used.isEmpty()) {
      device.pools.remove(this);
    }
  }

  private void release(int index) {
    Chunk chunk = free.remove(index);
    reserved -= chunk.bytes;
    device.budget.release(chunk.bytes);
  }

  DriverPoolStatistics getStatistics() {
    return new DriverPoolStatistics(usedBytes, usedPeak, reserved, reservedPeak);
  }
}
