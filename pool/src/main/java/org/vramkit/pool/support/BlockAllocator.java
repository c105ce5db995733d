package org.vramkit.pool.support;

import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
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
import org.vramkit.pool.support.LateFrees.LateFree;

/**
 * The frame of an allocator whose blocks are exactly as large as what was asked for: arguments,
 * handles, stats, the observer, and the end. A subclass says where blocks come from and where they
 * go. A block whose free fails, or that a capture or a graph uses, is kept, counts as cached, and
 * is tried again when memory runs out, on a trim and on closing. A captured stream gets no memory.
 * Safe for any thread.
 */
public abstract class BlockAllocator implements Allocator {
  /** A plain allocation takes no more than the next multiple of it. */
  private static final long DRIVER_ROUNDING = 2 * ByteSize.MIB;

  private final Device device;

  /** The figures. */
  protected final Stats stats = new Stats();

  /** Counts who is inside. */
  protected final Gate gate;

  private final OpenHandles open = new OpenHandles();
  private final OutOfMemoryRetry retry = new OutOfMemoryRetry();
  private final LateFrees late = new LateFrees();
  private final CapturedStreams captured;

  /** Held while memory goes back for good, so that no close returns before it has. */
  private final ReentrantLock ending = new ReentrantLock();

  /** Tells whether nothing is left to give back. Guarded by {@code ending}. */
  private boolean ended;

  /** An allocator of this device's memory. */
  protected BlockAllocator(Device device) {
    this.device = device;
    this.gate = new Gate(getClass().getSimpleName() + " of device " + device.getOrdinal());
    this.captured = new CapturedStreams(device);
  }

  /**
   * Finds memory; called without a lock. If it throws, the memory is as it was.
   *
   * @param bytes more than 0
   * @throws DeviceOutOfMemoryException if there is none even after everything was tried
   */
  protected abstract long take(long bytes, Stream stream);

  /**
   * Takes memory back; called once for each address, without a lock, and after the observer was
   * told, so that every mark made here comes after the free. If it throws, the memory is as it was,
   * and the same call is made again later.
   *
   * @param stream the stream that the memory belongs to, possibly closed since
   * @param users other streams that use it, possibly closed since
   */
  protected abstract void give(long address, long bytes, Stream stream, List<Stream> users);

  /** A block has gone with its device, which is lost: it is reserved no longer. */
  protected void lost(long bytes) {
    stats.givenBack(bytes);
  }

  /** Gives back what is too much; called after memory was taken back. */
  protected void releaseExcess() {}

  /**
   * Gives all memory back to the driver; nothing is live and nothing is allocated any more. Where
   * the driver fails it is called again, and goes on from there.
   */
  protected abstract void releaseAll();

  /** Forgets all that {@link #releaseAll} has left, because the device is lost. */
  protected void forgetAll() {}

  @Override
  public final Device getDevice() {
    return device;
  }

  /**
   * Gives all memory back to the driver, whatever is known of it, because an error of the JVM has
   * left that unclear. No work uses any of it.
   */
  protected abstract void releaseBroken();

  @Override
  public final Allocation allocate(long bytes, Stream stream) {
    checkStream(stream);
    if (bytes < 0) {
      throw new InvalidArgumentException(
          "cannot allocate " + bytes + " bytes: a size is 0 or more");
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
      long address = retry.allocate(() -> take(bytes, stream), round -> retryFrees());
      Handle handle = handOut(address, bytes, stream);
      made = true;
      return handle;
    } catch (DeviceOutOfMemoryException e) {
      stats.outOfMemory();
      throw e;
    } finally {
      if (!made) {
        gate.leave();
      }
    }
  }

  /** Tells the observer; where it fails, as that of a closed device does, no user has the block. */
  private Handle handOut(long address, long bytes, Stream stream) {
    stats.allocated(bytes, stream);
    try {
      Handle handle = new Handle(this, address, bytes, stream);
      device.getMemoryObserver().allocated(address, bytes, stream);
      return open.add(handle);
    } catch (RuntimeException | Error e) {
      stats.freed(bytes, stream);
      Batch.after(e, () -> takeBack(address, bytes, stream));
      throw e;
    }
  }

  /** Takes a block back that came to no user, as of this point of its stream. */
  protected final void takeBack(long address, long bytes, Stream stream) {
    takeBack(new LateFree(address, bytes, stream, List.of(), /* inGraph= */ false));
  }

  /**
   * Makes what {@link #take} throws in the end: the driver's error with the state of the allocator.
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
   * Tells what to do where the driver has refused a request although nothing is cached any more;
   * here for blocks that are plain allocations.
   */
  protected String advice(long bytes) {
    MemoryInfo info = askDriver();
    if (info == null) {
      return "free memory or ask for less: the driver did not tell what the device has free";
    }
    if (bytes > info.totalBytes()) {
      return "ask for less: the device has " + ByteSize.format(info.totalBytes()) + " in all";
    }
    long held = stats.getAllocatedBytes();
    long wanted = ByteSize.roundUp(bytes, DRIVER_ROUNDING);
    long room = info.freeBytes() / DRIVER_ROUNDING * DRIVER_ROUNDING;
    if (wanted <= room) {
      return "enough is free, but perhaps in pieces: try again, or free the blocks between them";
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

  /** What the device has; null if the driver fails, which must not hide the refusal. */
  private @Nullable MemoryInfo askDriver() {
    try {
      return device.getMemoryInfo();
    } catch (FatalDeviceException lost) {
      throw lost;
    } catch (GpuException untold) {
      return null;
    }
  }

  final void checkStream(Stream stream) {
    Streams.refuseForeign(stream, device, "the allocator");
  }

  final void checkUser(Stream stream) {
    Streams.refuseForeignUse(stream, device, "the memory");
  }

  final void used(long address, Stream stream) {
    device.getMemoryObserver().used(address, stream);
  }

  /** The captures of the device. */
  protected final CapturedStreams captured() {
    return captured;
  }

  final void free(Handle handle, LateFree block) {
    if (gate.brokenBy != null) {
      return; // Its memory goes back with all the rest, at the close.
    }
    gate.startReturn();
    try {
      open.remove(handle);
      // Counted first: what the driver says to the free does not make the block live again.
      stats.freed(block.bytes(), block.stream());
      try {
        device.getMemoryObserver().freed(block.address(), block.stream());
      } finally {
        takeBack(block);
      }
      releaseExcess();
    } finally {
      gate.endPass();
    }
  }

  private void takeBack(LateFree block) {
    if (block.isHeld(captured)) {
      keep(block);
      return;
    }
    try {
      if (block.inGraph()) {
        block.devices().forEach(Waits::awaitAll);
      }
      give(block.address(), block.bytes(), block.stream(), block.users());
    } catch (FatalDeviceException e) {
      lost(block.bytes());
      throw e;
    } catch (RuntimeException | Error e) {
      keep(block);
      if (!(e instanceof CaptureException) || !block.isHeld(captured)) {
        throw e;
      }
      // A stream was closed since the first look, beside a capture.
    }
  }

  private void keep(LateFree block) {
    stats.cached(block.bytes(), block.stream());
    late.add(block);
  }

  /**
   * Takes back the blocks whose free failed or was put off; those that cannot be taken back yet
   * wait for the next time.
   *
   * @return how many bytes were tried
   */
  protected final long retryFrees() {
    return late.isEmpty() ? 0 : retry.giveBack(() -> retry(/* withGraphs= */ false));
  }

  private long retry(boolean withGraphs) {
    List<LateFree> blocks = late.takeAll();
    Batch.forEach(
        blocks,
        block -> {
          stats.uncached(block.bytes(), block.stream());
          takeBack(withGraphs ? block.outOfGraph() : block);
        });
    return blocks.stream().mapToLong(LateFree::bytes).sum();
  }

  /** Takes the last blocks back: no graph that uses them is launched after the close. */
  private void endFrees() {
    retryFrees();
    if (!late.isEmpty() && captured.isAny()) {
      throw new CaptureException(
          getClass().getSimpleName()
              + " cannot close: a capture uses some of its memory; end the capture, and close it"
              + " again");
    }
    retry.giveBack(() -> retry(/* withGraphs= */ true));
  }

  /** Waits until everything on these streams is done. */
  protected final void awaitStreams(Stream stream, List<Stream> users) {
    stats.synchronizedOnHost();
    // A closed stream cannot be asked any more; its work may still run.
    if (!Streams.areOpen(stream, users) || !areSynchronized(stream, users)) {
      if (captured.isUnasked(stream) || users.stream().anyMatch(captured::isUnasked)) {
        throw new CaptureException(
            "cannot wait for closed streams of " + device + " while a capture is under way");
      }
      Waits.awaitAll(device);
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
          Waits.awaitAll(device);
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

  /** Refuses while a user has something; what came to no user is no reason to. */
  private void shutBroken() {
    if (!open.all().isEmpty()) {
      throw new IllegalStateException(refusal(open.all().size()));
    }
    captured.requireNone("close " + this + ", which is broken and waits for its device");
    gate.shut();
  }

  private String refusal(long holders) {
    return stats.refusal(getClass().getSimpleName(), holders)
        + OpenAllocations.list(open.all(), device.getMemoryObserver());
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
