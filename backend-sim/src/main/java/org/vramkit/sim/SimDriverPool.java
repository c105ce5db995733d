package org.vramkit.sim;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.DriverPoolStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.check.Snapshot;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.memory.PhysicalMemory;
import org.vramkit.sim.memory.Region;
import org.vramkit.sim.memory.RegionKind;
import org.vramkit.sim.program.OperandKind;
import org.vramkit.sim.program.StepDraft;
import org.vramkit.sim.program.StepKind;
import org.vramkit.sim.timeline.Point;

/**
 * A pool of the driver. Keeps freed chunks whole and hands one out again when it is at most an
 * eighth larger than asked for; the real driver splits and merges, so its figures differ in detail.
 * All three ways of reuse are on at first, as in the driver, and the release threshold is 0.
 */
final class SimDriverPool implements DriverPool {
  /** Memory that the pool has taken, and since when it is free. */
  private static final class Chunk {
    final long bytes;
    final PhysicalMemory physical;

    /** Another one for each owner. */
    long address;

    /** Where the last owner had it; 0 without one. */
    long lastAddress;

    @Nullable StreamQueue freedOn;
    Point freeAt;
    @Nullable Snapshot freed;

    Chunk(long bytes, PhysicalMemory physical, Point freeAt) {
      this.freeAt = freeAt;
      this.bytes = bytes;
      this.physical = physical;
    }
  }

  private final SimDevice device;
  private final Engine engine;
  private final long handle;
  private final long maximum;
  private final Map<Long, Chunk> used = new HashMap<>();
  private final List<Chunk> free = new ArrayList<>();
  private final Set<DriverPoolReuse> reuse = EnumSet.allOf(DriverPoolReuse.class);
  private long threshold;
  private long usedBytes;
  private long usedPeak;
  private long reserved;
  private long reservedPeak;
  private boolean closed;

  SimDriverPool(SimDevice device, long handle, long maximum) {
    this.device = device;
    this.engine = device.engine;
    this.handle = handle;
    this.maximum = maximum;
  }

  long getHandle() {
    return handle;
  }

  private StepDraft of(StepDraft step) {
    return step.device(device.getOrdinal()).uses(OperandKind.POOL, device.getOrdinal(), handle);
  }

  @Override
  public SimDevice getDevice() {
    return device;
  }

  private DriverFunction allocation() {
    return handle == 0 ? DriverFunction.MEM_ALLOC_ASYNC : DriverFunction.MEM_ALLOC_FROM_POOL_ASYNC;
  }

  private void requireOpen() {
    if (closed) {
      engine.checker.getMisuse().closed("driver pool 0x" + Long.toHexString(handle));
      throw new ClosedException("driver pool 0x" + Long.toHexString(handle) + " is closed");
    }
  }

  @Override
  public long allocate(long bytes, Stream onStream) {
    Objects.requireNonNull(onStream, "stream");
    return device.recording.make(
        StepKind.POOL_ALLOCATE,
        step -> SimStream.note(of(step), onStream).value(bytes),
        () -> {
          requireOpen();
          SimStream stream = device.ours(onStream);
          stream.requireOpen();
          if (bytes <= 0) {
            throw engine.invalid(allocation(), "cannot allocate " + bytes + " bytes");
          }
          engine.call(allocation(), bytes);
          stream.followDefaultStream();
          Chunk chunk = reusable(bytes, stream);
          if (chunk == null) {
            chunk = take(bytes);
          }
          chunk.lastAddress = chunk.address;
          chunk.address =
              engine.space.getDeviceArena().take(chunk.bytes, SimDeviceMemory.ALIGNMENT);
          used.put(chunk.address, chunk);
          usedBytes += chunk.bytes;
          usedPeak = Math.max(usedPeak, usedBytes);
          engine.space.add(
              Region.backed(
                  RegionKind.POOL,
                  device.getOrdinal(),
                  chunk.address,
                  // The whole chunk: work of its last owner may be queued that touches more.
                  chunk.bytes,
                  chunk.physical,
                  0,
                  List.of()));
          engine
              .checker
              .getMemory()
              .allocated(
                  "stream-ordered allocation",
                  device.getOrdinal(),
                  chunk.address,
                  bytes,
                  stream.clock(),
                  chunk.lastAddress);
          engine.holdings.hold(LeakKind.POOL_ALLOCATION, device.getOrdinal(), chunk.address, bytes);
          return chunk.address;
        },
        Long::longValue);
  }

  /** The smallest free chunk that fits closely and may be had by the stream; made to wait if so. */
  private @Nullable Chunk reusable(long bytes, SimStream stream) {
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
      if (best.freedOn != stream.queue()) {
        // No user may rely on that: whether a chunk is there to be reused depends on what ran when.
        stream.queue().startAfter(best.freeAt);
      }
    }
    return best;
  }

  private boolean mayReuse(Chunk chunk, SimStream stream) {
    Snapshot point = chunk.freed;
    return chunk.freedOn == stream.queue()
        || point == null
        || (reuse.contains(DriverPoolReuse.FOLLOW_EVENT_DEPENDENCIES)
            && stream.clock().comesAfter(point))
        || (reuse.contains(DriverPoolReuse.OPPORTUNISTIC)
            && engine.timeline.isReached(chunk.freeAt))
        || reuse.contains(DriverPoolReuse.INTERNAL_DEPENDENCIES);
  }

  private Chunk take(long bytes) {
    if (bytes > engineTotal() || (maximum > 0 && bytes > maximum)) {
      throw engine.outOfMemory(allocation(), bytes);
    }
    long rounded = ByteSize.roundUp(bytes, SimDeviceMemory.ALIGNMENT);
    if (maximum > 0 && reserved + rounded > maximum) {
      release(Math.max(0, maximum - rounded));
    }
    if (maximum > 0 && reserved + rounded > maximum) {
      throw engine.outOfMemory(allocation(), bytes);
    }
    if (!device.budget.take(rounded)) {
      device.pools().forEach(pool -> pool.release(0));
      if (!device.budget.take(rounded)) {
        throw engine.outOfMemory(allocation(), bytes);
      }
    }
    reserved += rounded;
    reservedPeak = Math.max(reservedPeak, reserved);
    return new Chunk(
        rounded,
        SimDeviceMemory.physical(device, rounded, device.newHandle()),
        engine.timeline.start());
  }

  private long engineTotal() {
    return device.budget.getTotal();
  }

  @Override
  public void free(long address, Stream onStream) {
    Objects.requireNonNull(onStream, "stream");
    device.recording.perform(
        StepKind.POOL_FREE,
        step -> SimStream.note(of(step), onStream).writes(address, 0),
        () -> {
          SimStream stream = device.ours(onStream);
          stream.requireOpen();
          Chunk chunk = used.get(address);
          if (chunk == null) {
            engine
                .checker
                .getMemory()
                .wronglyFreed(
                    device.getOrdinal(), address, stream.clock(), engine.regionOf(address));
            throw engine.invalid(
                DriverFunction.MEM_FREE_ASYNC,
                "cannot free 0x" + Long.toHexString(address) + ": not allocated from this pool");
          }
          engine.call(DriverFunction.MEM_FREE_ASYNC, chunk.bytes);
          stream.followDefaultStream();
          engine.checker.getMemory().freedInOrder(address, stream.clock());
          used.remove(address);
          usedBytes -= chunk.bytes;
          engine.holdings.letGo(LeakKind.POOL_ALLOCATION, address);
          chunk.freedOn = stream.queue();
          chunk.freeAt = stream.queue().tail();
          chunk.freed = stream.clock().snapshot();
          removeRegion(chunk, stream);
          free.add(chunk);
          if (closed) {
            release(0);
            forgetIfOver();
          }
        });
  }

  /** The addresses stay valid for the work that was queued before the free. */
  private void removeRegion(Chunk chunk, SimStream stream) {
    Region region = engine.space.startingAt(chunk.address);
    if (region == null) {
      return;
    }
    Runnable removal =
        () -> {
          engine.space.remove(region);
          engine.space.getDeviceArena().giveBack(region.getStart(), chunk.bytes);
        };
    if (engine.bytes) {
      engine.timeline.whenReached(stream.queue().lane(), stream.queue().tail(), removal);
    } else {
      removal.run();
    }
  }

  /** Gives chunks that are free and done with back until at most so much is held. */
  private void release(long keepBytes) {
    for (int i = free.size() - 1; i >= 0 && reserved > keepBytes; i--) {
      Chunk chunk = free.get(i);
      if (closed || engine.timeline.isReached(chunk.freeAt)) {
        free.remove(i);
        reserved -= chunk.bytes;
        device.budget.giveBack(chunk.bytes);
      }
    }
  }

  /** A closed pool goes on until the last of its memory is given back. */
  private void forgetIfOver() {
    if (used.isEmpty()) {
      device.pools().remove(this);
    }
  }

  void releaseAboveThreshold() {
    release(threshold);
  }

  @Override
  public void setReleaseThreshold(long bytes) {
    device.recording.perform(
        StepKind.SET_POOL_THRESHOLD,
        step -> of(step).value(bytes),
        () -> {
          attributes(DriverFunction.MEM_POOL_SET_ATTRIBUTE);
          if (bytes < 0) {
            throw new InvalidArgumentException("release threshold must not be negative: " + bytes);
          }
          threshold = bytes;
        });
  }

  @Override
  public void setReuse(DriverPoolReuse way, boolean enabled) {
    Objects.requireNonNull(way, "reuse");
    device.recording.perform(
        StepKind.SET_POOL_REUSE,
        step -> of(step).text(way.name()).value(enabled ? 1 : 0),
        () -> {
          attributes(DriverFunction.MEM_POOL_SET_ATTRIBUTE);
          if (enabled) {
            reuse.add(way);
          } else {
            reuse.remove(way);
          }
        });
  }

  @Override
  public DriverPoolStatistics getStatistics() {
    return device.locked(
        () -> {
          attributes(DriverFunction.MEM_POOL_GET_ATTRIBUTE);
          return new DriverPoolStatistics(usedBytes, usedPeak, reserved, reservedPeak);
        });
  }

  private void attributes(DriverFunction function) {
    requireOpen();
    if (!device.supports(Capability.DRIVER_POOL_ATTRIBUTES)) {
      throw new NotSupportedException(
          "device " + device.getOrdinal() + " has no attributes of driver pools");
    }
    engine.call(function, 0);
  }

  @Override
  public void trim(long keepBytes) {
    device.recording.perform(
        StepKind.TRIM_POOL,
        step -> of(step).value(keepBytes),
        () -> {
          requireOpen();
          if (keepBytes < 0) {
            throw new InvalidArgumentException("cannot keep " + keepBytes + " bytes");
          }
          engine.call(DriverFunction.MEM_POOL_TRIM_TO, keepBytes);
          release(keepBytes);
        });
  }

  @Override
  public void close() {
    device.recording.perform(
        StepKind.CLOSE_POOL,
        this::of,
        () -> {
          if (closed || handle == 0) {
            return;
          }
          engine.holdings.letGo(LeakKind.POOL, handle);
          closed = true;
          release(0);
          forgetIfOver();
          if (!engine.isLost()) {
            engine.call(DriverFunction.MEM_POOL_DESTROY, 0);
          }
        });
  }

  @Override
  public String toString() {
    return "driver pool 0x" + Long.toHexString(handle) + " of device " + device.getOrdinal();
  }
}
