package org.vramkit.pool.support;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.OpenAllocations.Open;

/**
 * Base of allocators whose blocks have exactly the requested size. Checks arguments, creates
 * handles, counts, notifies the observer, and guards the close; a subclass allocates and frees.
 *
 * <p>A closed block whose free failed, or that a capture or graph still uses, counts as cached. Its
 * free is retried when memory runs out, on a trim and at the close. Allocation on a captured stream
 * is refused. Thread-safe.
 */
public abstract class BlockAllocator implements Allocator {
  /**
   * The coarsest granularity, in bytes, to which the driver rounds up the sizes of plain
   * allocations.
   */
  private static final long DRIVER_ROUNDING = 2 * ByteSize.MIB;

  private final Device device;

  protected final BlockStats stats = new BlockStats();

  /** Counts the calls in progress, and guards the close. */
  protected final Gate gate;

  /** Open handles, which an error message lists; iterated under the monitor of the set. */
  private final Set<Handle> open = Collections.synchronizedSet(new LinkedHashSet<>());

  private final OutOfMemoryRetry retry = new OutOfMemoryRetry();

  /**
   * Closed blocks that could not be freed yet: the driver failed, or a capture or graph uses them.
   */
  private final Queue<Handle> late = new ConcurrentLinkedQueue<>();

  private final CapturedStreams captured;

  /** Held while the close frees all memory, so that a concurrent close waits for it. */
  private final ReentrantLock ending = new ReentrantLock();

  /** True if all memory is freed. Guarded by {@code ending}. */
  private boolean ended;

  protected BlockAllocator(Device device) {
    this.device = device;
    this.gate = new Gate(getClass().getSimpleName() + " of device " + device.getOrdinal());
    this.captured = new CapturedStreams(device);
  }

  /**
   * Allocates memory. Called without a lock. An exception must leave the state unchanged.
   *
   * @param bytes more than 0
   * @throws DeviceOutOfMemoryException if recovery found no memory either
   */
  protected abstract long doAllocate(long bytes, Stream stream);

  /**
   * Frees memory. Called without a lock, after the observer was notified of the free, so that
   * driver events that this method records come after it. If this throws, it must leave the state
   * unchanged, and is called again later.
   *
   * @param stream stream of the memory; it may be closed
   * @param users other streams that use the memory; they may be closed
   */
  protected abstract void doFree(long address, long bytes, Stream stream, List<Stream> users);

  /** Counts a block of a lost device as returned. */
  protected void lost(long bytes) {
    stats.givenBack(bytes);
  }

  /** Releases cached memory beyond a threshold. Called after each free. */
  protected void releaseExcess() {}

  /**
   * Returns all memory to the driver. Called when nothing is live and no allocation follows. After
   * a failure of the driver it is called again and continues with the rest.
   */
  protected abstract void releaseAll();

  /** Drops the memory that {@link #releaseAll} has left, because the device is lost. */
  protected void forgetAll() {}

  @Override
  public final Device getDevice() {
    return device;
  }

  /**
   * Returns all memory to the driver after a JVM error has left the state unclear. No work uses the
   * memory.
   */
  protected abstract void releaseBroken();

  @Override
  public final Allocation allocate(long bytes, Stream stream) {
    Streams.refuseForeign(stream, device, "the allocator");
    if (bytes < 0) {
      throw new InvalidArgumentException(
          "cannot allocate " + bytes + " bytes; " + ByteSize.NEGATIVE_HINT);
    }
    try {
      Handle made = allocateInside(bytes, stream);
      made.held = true;
      if (gate.brokenBy == null) {
        return made;
      }
      made.held = false;
    } catch (Error e) {
      gate.brokenBy = e;
      throw e;
    }
    throw gate.broken();
  }

  private Handle allocateInside(long bytes, Stream stream) {
    gate.enter();
    boolean made = false;
    try {
      if (bytes == 0) {
        return new Handle(this, 0, 0, stream);
      }
      Streams.requireOpen(stream);
      captured.refuseOutside(bytes, stream);
      long address = retry.allocate(() -> doAllocate(bytes, stream), round -> retryFrees());
      Handle handle = createHandle(address, bytes, stream);
      made = true;
      return handle;
    } catch (DeviceOutOfMemoryException e) {
      stats.add(Figure.OUT_OF_MEMORIES, 1);
      throw e;
    } finally {
      if (!made) {
        gate.leave();
      }
    }
  }

  /**
   * Creates the handle of a block and notifies the observer. If that fails, as it does for a closed
   * device, the block is freed again.
   */
  private Handle createHandle(long address, long bytes, Stream stream) {
    stats.allocated(bytes, stream);
    Handle handle = new Handle(this, address, bytes, stream);
    try {
      device.getMemoryObserver().allocated(address, bytes, stream);
      open.add(handle);
      return handle;
    } catch (RuntimeException | Error e) {
      stats.freed(bytes, stream);
      Batch.after(e, () -> takeBack(handle, /* fromGraphs= */ false));
      throw e;
    }
  }

  /**
   * Creates the final exception of {@link #doAllocate}: the driver's error with the state of the
   * allocator.
   */
  protected final DeviceOutOfMemoryException outOfMemory(
      long bytes, Stream stream, String tried, DeviceOutOfMemoryException last) {
    DriverStatus status = last.getStatus();
    return new DeviceOutOfMemoryException(
        "out of memory: asked for "
            + ByteSize.format(bytes)
            + " on stream "
            + Streams.nameOf(stream)
            + " of device "
            + device.getOrdinal()
            + "; "
            + stats.describe()
            + "; tried: "
            + tried
            + "; "
            + advice(bytes),
        bytes,
        status,
        last);
  }

  /**
   * Returns the advice for a request that the driver refuses although nothing is cached. This
   * implementation is for plain allocations.
   */
  protected String advice(long bytes) {
    MemoryInfo info = askDriver();
    if (info == null) {
      return "free memory or ask for less: the driver did not report the device's free memory";
    }
    if (bytes > info.totalBytes()) {
      return "ask for less: the device has " + ByteSize.format(info.totalBytes()) + " in all";
    }
    long held = stats.current(Figure.ALLOCATED);
    long wanted = ByteSize.roundUp(bytes, DRIVER_ROUNDING);
    long room = info.freeBytes() / DRIVER_ROUNDING * DRIVER_ROUNDING;
    if (wanted <= room) {
      return "enough is free, but perhaps fragmented: try again, or free the blocks in between";
    }
    long others = info.getUsedBytes() - held;
    return held >= wanted - room
        ? Refusals.advice(wanted, room, held)
        : "free "
            + ByteSize.formatUp(wanted - room)
            + "; other users of the device hold "
            + ByteSize.format(others)
            + (room > 0 ? ", or ask for at most " + ByteSize.formatDown(room) : "");
  }

  /**
   * Returns the device's memory; null if the query fails, so that the caller can still report the
   * refusal. A fatal error is thrown.
   */
  private @Nullable MemoryInfo askDriver() {
    try {
      return device.getMemoryInfo();
    } catch (FatalDeviceException lost) {
      throw lost;
    } catch (GpuException untold) {
      return null;
    }
  }

  protected final CapturedStreams captured() {
    return captured;
  }

  final void free(Handle block) {
    if (gate.brokenBy != null) {
      return; // The close frees its memory with all the rest.
    }
    gate.startReturn();
    try {
      open.remove(block);
      // Counted first: a failure of the driver does not make the block live again.
      stats.freed(block.size, block.stream);
      try {
        device.getMemoryObserver().freed(block.address, block.stream);
      } finally {
        takeBack(block, /* fromGraphs= */ false);
      }
      releaseExcess();
    } finally {
      gate.endPass();
    }
  }

  /**
   * Frees a closed block, or keeps it for later if that is not possible yet.
   *
   * @param fromGraphs whether to free even the memory of a graph, because it is not launched again
   */
  private void takeBack(Handle block, boolean fromGraphs) {
    if (isHeld(block, fromGraphs)) {
      keep(block);
      return;
    }
    try {
      if (block.isInGraph()) {
        block.devices().forEach(OwnCalls::awaitAll);
      }
      doFree(block.address, block.size, block.stream, block.users());
    } catch (FatalDeviceException e) {
      lost(block.size);
      throw e;
    } catch (RuntimeException | Error e) {
      keep(block);
      // A capture may have begun, or a stream been closed, since the check.
      if (!(e instanceof CaptureException) || !isHeld(block, fromGraphs)) {
        throw e;
      }
    }
  }

  /** Returns whether a capture or graph prevents the free of a block now. */
  private static boolean isHeld(Handle block, boolean fromGraphs) {
    return (block.isInGraph() && !fromGraphs)
        ? CapturedStreams.areAlive(block.devices())
        : block.isUnqueryable();
  }

  private void keep(Handle block) {
    stats.cached(block.size, block.stream);
    late.add(block);
  }

  /**
   * Retries the frees that failed or were deferred; blocks that cannot be freed yet stay.
   *
   * @return the bytes of the blocks that were tried, including those that stay
   */
  protected final long retryFrees() {
    return late.isEmpty() ? 0 : retry.giveBack(() -> retry(/* fromGraphs= */ false));
  }

  private long retry(boolean fromGraphs) {
    List<Handle> blocks = List.copyOf(late);
    Batch.forEach(
        blocks,
        block -> {
          // Removed one by one, so that an error loses none of the others.
          late.remove(block);
          stats.uncached(block.size, block.stream);
          takeBack(block, fromGraphs);
        });
    return blocks.stream().mapToLong(Handle::getSize).sum();
  }

  /**
   * Frees the deferred blocks, including those of graphs, which are not launched after the close.
   */
  private void endFrees() {
    retryFrees();
    if (!late.isEmpty() && captured.isAny()) {
      throw new CaptureException(
          getClass().getSimpleName()
              + " cannot close: a capture uses some of its memory; end the capture, and close it"
              + " again");
    }
    retry.giveBack(() -> retry(/* fromGraphs= */ true));
  }

  /** Waits for all work of these streams. */
  protected final void awaitStreams(Stream stream, List<Stream> users) {
    stats.add(Figure.SYNCHRONIZATIONS, 1);
    // A closed stream cannot be queried, but its work may still run.
    if (!Streams.areOpen(stream, users) || !areSynchronized(stream, users)) {
      if (captured.isUnqueryable(stream) || users.stream().anyMatch(captured::isUnqueryable)) {
        throw new CaptureException(
            "cannot wait for closed streams of " + device + " while a capture is in progress");
      }
      OwnCalls.awaitAll(device);
    }
  }

  private static boolean areSynchronized(Stream stream, List<Stream> users) {
    try {
      OwnCalls.make(
          stream.getDevice(),
          () -> {
            stream.synchronize();
            users.forEach(Stream::synchronize);
          });
      return true;
    } catch (ClosedException e) {
      return false;
    }
  }

  @Override
  public AllocatorStatistics getStatistics() {
    return stats.read();
  }

  @Override
  public void resetPeaks() {
    stats.resetPeaks();
  }

  @Override
  public final void close() {
    boolean broken = gate.brokenBy != null;
    if (broken) {
      shutBroken();
    } else {
      gate.close(this::refusal);
    }
    ending.lock();
    try {
      if (!ended) {
        if (broken) {
          OwnCalls.awaitAll(device);
          releaseBroken();
          stats.forget();
        } else {
          endFrees();
          releaseAll();
        }
        ended = true;
      }
    } catch (FatalDeviceException e) {
      ended = true;
      Batch.after(e, this::forgetAll);
      throw e;
    } finally {
      ending.unlock();
    }
  }

  /** Shuts the gate of a broken allocator, unless a caller holds an allocation. */
  private void shutBroken() {
    List<Open> held = held();
    if (!held.isEmpty()) {
      throw new IllegalStateException(refusal(held.size()));
    }
    captured.requireNone("close " + this + ", which is broken and waits for its device");
    gate.shut();
  }

  /** Returns the allocations that callers hold, in the order of allocation. */
  private List<Open> held() {
    synchronized (open) {
      return open.stream().filter(each -> each.held).map(Handle::describe).toList();
    }
  }

  private String refusal(long holders) {
    return stats.refusal(getClass().getSimpleName(), holders)
        + OpenAllocations.list(held(), device.getMemoryObserver());
  }

  @Override
  public final String toString() {
    return getClass().getSimpleName()
        + " of device "
        + device.getOrdinal()
        + ", "
        + stats.describe();
  }
}
