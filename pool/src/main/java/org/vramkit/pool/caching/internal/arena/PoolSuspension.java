package org.vramkit.pool.caching.internal.arena;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.internal.heap.MemoryLimit;
import org.vramkit.pool.caching.internal.heap.SuspendedMemory;
import org.vramkit.pool.caching.internal.heap.SuspendedMemory.Part;
import org.vramkit.pool.support.PoolDriverCalls;
import org.vramkit.pool.support.PoolLock;
import org.vramkit.pool.support.Streams;

/**
 * Suspends a private pool: returns its memory to the driver, and later maps memory at the same
 * addresses again. While a pool is suspended, its thread caches are frozen. Every allocation then
 * searches, and is refused; every close reaches the heap, which knows the suspended blocks.
 *
 * <p>A suspension unmaps memory once all copies are complete, and a resume copies once all memory
 * is mapped. After a failure every byte is therefore on the device or in the backup.
 */
public final class PoolSuspension {
  private final Arena arena;
  private final PoolRegistry registry;
  private final Device device;
  private final @Nullable SuspendedMemory suspension;

  /** Held during a suspension or resume. Acquired before all other locks of the pool. */
  private final PoolLock moving;

  private boolean hasBackup;

  /**
   * The backup in page-locked memory. Kept for the next suspension, because locking memory takes
   * longer than filling it.
   */
  private @Nullable PinnedBuffer host;

  /** The stream of the copies that may be in progress; null for none. */
  private @Nullable Stream copying;

  /** True while a resume, or one that failed, may have mapped memory that lacks its bytes. */
  private boolean resuming;

  PoolSuspension(Arena arena, PoolRegistry registry) {
    this.arena = arena;
    this.registry = registry;
    this.moving = new PoolLock(registry.shared.health());
    this.device = registry.device();
    this.suspension = arena.id == 0 ? null : SuspendedMemory.of(arena.heap, device);
  }

  /** Returns whether the pool is suspended. A failed resume leaves it suspended. */
  public boolean isSuspended() {
    return arena.suspended;
  }

  // ---- suspending ----

  /**
   * Returns memory to the driver, once the work that uses it is done.
   *
   * @param stream the stream for the copies, which waits for all work of the pool's streams
   */
  public void suspend(Backup wanted, Stream stream) {
    SuspendedMemory chunks = requireVirtual("suspend");
    requireUsable("suspend", stream);
    requireNoGraphs();
    moving.lock();
    try {
      if (arena.suspended) {
        throw refusal("suspend");
      }
      // Returns free memory first, after a wait for pending blocks, because it needs no copy.
      arena.gate.inside(
          () -> {
            arena.trimming.trimOwn(0);
            return true;
          });
      List<Stream> users = begin(chunks);
      try {
        hasBackup = wanted == Backup.HOST;
        PinnedBuffer target = hasBackup ? hostMemory(chunks.backupBytes()) : null;
        follow(stream, users);
        moveOut(chunks, target, stream);
      } catch (RuntimeException | Error e) {
        Batch.after(
            e,
            () -> {
              if (cleanUp(chunks)) {
                end();
              }
            });
        throw e;
      }
    } finally {
      moving.unlock();
    }
  }

  private List<Stream> begin(SuspendedMemory chunks) {
    arena.hold();
    try {
      List<Stream> users = chunks.choose();
      // Afterwards, because a close may have made a block pending meanwhile.
      users.addAll(arena.pending.streams());
      arena.suspended = true;
      return users;
    } finally {
      arena.resume();
    }
  }

  /** Copies the chunks, and returns them to the driver once the copies are complete. */
  private void moveOut(SuspendedMemory chunks, @Nullable PinnedBuffer target, Stream stream) {
    copying = stream;
    if (target != null) {
      chunks.copyOut(target, stream);
    }
    PoolDriverCalls.make(device, stream::synchronize);
    copying = null;
    chunks.takeAway();
  }

  /**
   * Restores a clear state after a failed call: chunks either have their bytes and are no longer
   * suspended, or have no memory. If the wait for copies fails, their memory stays mapped until the
   * next call.
   *
   * @return whether no chunk is suspended any longer
   */
  private boolean cleanUp(SuspendedMemory chunks) {
    awaitCopies();
    if (resuming) {
      chunks.takeAway();
      resuming = false;
    }
    return chunks.endWherePresent();
  }

  /** Waits for copies of a failed call. */
  private void awaitCopies() {
    Stream earlier = copying;
    if (earlier != null) {
      try {
        if (!PoolDriverCalls.awaitIfOpen(earlier)) {
          PoolDriverCalls.awaitAll(device);
        }
      } catch (FatalDeviceException lost) {
        // No work runs any longer.
      }
      copying = null;
    }
  }

  /** Returns whether copies of an earlier call may still run. Does not wait. */
  private boolean mayBeCopying() {
    Stream earlier = copying;
    return earlier != null
        && (earlier.isClosed()
            || registry.captured().isUnqueryable(earlier)
            || !PoolDriverCalls.get(device.getMemoryObserver(), earlier::isIdle));
  }

  private void end() {
    arena.hold();
    try {
      arena.suspended = false;
    } finally {
      arena.resume();
    }
  }

  private @Nullable PinnedBuffer hostMemory(long bytes) {
    PinnedBuffer known = host;
    if (bytes == 0 || (known != null && known.getSize() >= bytes)) {
      return known;
    }
    closeHost();
    try {
      host = device.getPinnedMemory().allocateForCopies(bytes);
      return host;
    } catch (DeviceOutOfMemoryException e) {
      throw new DeviceOutOfMemoryException(
          "cannot suspend "
              + arena
              + ": the backup needs "
              + ByteSize.format(bytes)
              + " of page-locked memory, and the host has too little; suspend it with Backup.NONE",
          bytes,
          e.getStatus(),
          e);
    }
  }

  /** Makes a stream wait for the queued work of the pool's streams, and of others. */
  private void follow(Stream stream, List<Stream> others) {
    List<Stream> all = new ArrayList<>(others);
    arena.streams.all().forEach(each -> all.add(each.stream));
    boolean allOpen = true;
    for (Stream each : all) {
      allOpen &= Streams.areSame(each, stream) || registry.shared.events().makeWait(stream, each);
    }
    if (!allOpen) {
      // No event can be recorded into a closed stream.
      PoolDriverCalls.awaitAll(device);
    }
  }

  // ---- resuming ----

  /**
   * Maps memory again, and copies the bytes of open allocations back.
   *
   * @param stream the stream for the copies
   */
  public void resume(Stream stream) {
    SuspendedMemory chunks = requireVirtual("resume");
    requireUsable("resume", stream);
    moving.lock();
    try {
      if (!arena.suspended) {
        throw new IllegalStateException(
            "cannot resume " + arena + ": it is not suspended; suspend it first");
      }
      cleanUp(chunks);
      resuming = true;
      try {
        // From here on, because a failure waits for this stream before it unmaps memory.
        copying = stream;
        follow(stream, List.of());
        for (Part each : chunks.needed()) {
          bringBack(chunks, each);
          if (hasBackup && host != null) {
            chunks.copyIn(each, host, stream);
          }
        }
        PoolDriverCalls.make(device, stream::synchronize);
        copying = null;
        resuming = false;
      } catch (RuntimeException | Error e) {
        Batch.after(e, () -> cleanUp(chunks));
        throw e;
      }
      chunks.end();
      end();
    } finally {
      moving.unlock();
    }
  }

  /**
   * Maps a chunk again. If there is too little memory, this pool and other pools give back free
   * memory first: what needs no wait, then the rest.
   */
  private void bringBack(SuspendedMemory chunks, Part part) {
    List<BooleanSupplier> remedies =
        List.of(
            () -> true,
            () -> giveFreeBack(part, false),
            () -> registry.giveBack(arena, part.size()),
            () -> giveFreeBack(part, true),
            () -> registry.waitAndGiveBack(arena));
    DeviceOutOfMemoryException refused = null;
    for (BooleanSupplier each : remedies) {
      if (inside(each)) {
        try {
          chunks.bringBack(part);
          return;
        } catch (DeviceOutOfMemoryException e) {
          refused = e;
        }
      }
    }
    throw refusal(chunks, requireNonNull(refused));
  }

  /** Performs a step inside the gate. A closed pool, which can be resumed too, refuses no step. */
  private boolean inside(BooleanSupplier step) {
    if (!arena.gate.enter()) {
      arena.gate.begin();
    }
    try {
      return registry.captured().relaxed(step::getAsBoolean);
    } finally {
      arena.gate.leave();
    }
  }

  /** Gives back memory that stayed because work used it, and is free now. */
  private boolean giveFreeBack(Part part, boolean waiting) {
    long keepBytes = Math.max(0, arena.heap.limit.reserved() - part.size());
    return arena.trimming.giveBack(keepBytes, waiting) > 0;
  }

  /** Says what the resume of the whole pool lacks, also for the chunks after the refused one. */
  private DeviceOutOfMemoryException refusal(
      SuspendedMemory chunks, DeviceOutOfMemoryException cause) {
    long needed = chunks.neededBytes();
    long unmapped = chunks.unmappedBytes();
    MemoryLimit limit = arena.heap.limit;
    long ofLimit = limit.reserved() + unmapped - limit.ofAll();
    long ofDevice = unmapped - arena.heap.freeBytes();
    List<String> ways = new ArrayList<>();
    if (ofLimit > 0) {
      ways.add("raise the limit by " + ByteSize.formatUp(ofLimit));
    }
    if (ofDevice > 0) {
      ways.add("free " + ByteSize.formatUp(ofDevice) + " of the device's memory");
    }
    long missing = Math.max(ofLimit, ofDevice);
    return new DeviceOutOfMemoryException(
        "cannot resume "
            + arena
            + ": "
            + (missing > 0 ? ByteSize.formatUp(missing) + " of " : "the driver refused ")
            + ByteSize.format(needed)
            + (missing > 0 ? " are missing" : " that are free now")
            + ", so it stays suspended; to do: "
            + (ways.isEmpty() ? "" : String.join(", and ", ways) + ", then ")
            + "resume it again",
        needed,
        cause.getStatus(),
        cause);
  }

  // ---- refusals ----

  /** Returns the refusal of a call on the suspended pool, such as "allocate 1 MiB from". */
  public IllegalStateException refusal(String wanted) {
    return new IllegalStateException(
        "cannot " + wanted + " " + arena + ": it is suspended; resume it first");
  }

  private SuspendedMemory requireVirtual(String wanted) {
    if (suspension == null) {
      throw new NotSupportedException(
          "cannot "
              + wanted
              + " "
              + arena
              + ": its segments are not virtual memory, so they cannot lose their memory and"
              + " keep their addresses; build the allocator with"
              + " virtualMemory(VirtualMemoryUse.ON), and the pool without a SegmentSource");
    }
    return suspension;
  }

  private void requireUsable(String wanted, Stream stream) {
    Streams.refuseForeign(stream, device, "the pool");
    Streams.requireOpen(stream);
    registry.captured().requireNone(wanted + " " + arena);
  }

  private void requireNoGraphs() {
    if (arena.graphs() > 0) {
      throw new CaptureException(
          "cannot suspend "
              + arena
              + ": "
              + Count.of(arena.graphs(), "graph")
              + " use its memory with each launch; close them first");
    }
  }

  // ---- closing ----

  /**
   * Ends the suspension of an ended pool that has no open allocation. Returns whether it did so.
   *
   * @param waiting whether to wait for copies whose end is unknown
   */
  boolean dropUnused(boolean waiting) {
    // Not in the middle of a resume by this thread, which may drain ended pools.
    if (suspension == null
        || !arena.suspended
        || moving.isHeldByCurrentThread()
        || !moving.tryLock()) {
      return false;
    }
    try {
      if (!arena.suspended
          || !arena.pending.isEmpty()
          || arena.statistics.liveCount() > 0
          || (!waiting && mayBeCopying())) {
        return false;
      }
      cleanUp(suspension);
      suspension.end();
      arena.suspended = false;
      return true;
    } finally {
      moving.unlock();
    }
  }

  /** Releases the backup's page-locked memory, unless the pool is suspended. */
  public void giveHostBack() {
    if (moving.tryLock()) {
      try {
        if (!arena.suspended) {
          closeHost();
        }
      } finally {
        moving.unlock();
      }
    }
  }

  /** Releases the backup's page-locked memory. */
  void closeHost() {
    PinnedBuffer kept = host;
    if (kept != null) {
      awaitCopies();
      kept.close();
      host = null;
    }
  }
}
