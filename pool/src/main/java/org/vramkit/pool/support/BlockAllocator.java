package org.vramkit.pool.support;

import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/**
 * The frame of an allocator whose blocks are exactly as large as what was asked for: arguments,
 * handles, books, the observer, and the end. A subclass says where blocks come from and where they
 * go. A block whose free fails is kept, counts as cached, and is tried again when memory runs out,
 * on a trim and on closing. Safe for any thread.
 */
public abstract class BlockAllocator implements Allocator {
  private final Device device;

  /** The figures. */
  protected final Books books = new Books();

  /** Who is inside. */
  protected final Entrance entrance = new Entrance();

  private final OpenHandles open = new OpenHandles();
  private final OutOfMemoryRetry retry = new OutOfMemoryRetry();
  private final FailedFrees failed = new FailedFrees();

  /** Held while memory goes back for good, so that no close returns before it has. */
  private final ReentrantLock ending = new ReentrantLock();

  /** Whether nothing is left to give back. Guarded by {@code ending}. */
  private boolean ended;

  /** An allocator of this device's memory. */
  protected BlockAllocator(Device device) {
    this.device = device;
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
    books.givenBack(bytes);
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

  @Override
  public final Allocation allocate(long bytes, Stream stream) {
    checkStream(stream);
    if (bytes < 0) {
      throw new InvalidArgumentException(
          "cannot allocate " + bytes + " bytes: a size is 0 or more");
    }
    entrance.enter(this);
    boolean held = false;
    try {
      if (bytes == 0) {
        return new Handle(this, 0, 0, stream);
      }
      Streams.requireOpen(stream);
      long address = retry.allocate(() -> take(bytes, stream), this::retryFrees);
      Handle handle = handOut(address, bytes, stream);
      held = true;
      return handle;
    } catch (DeviceOutOfMemoryException e) {
      books.outOfMemory();
      throw e;
    } finally {
      if (!held) {
        entrance.leave();
      }
    }
  }

  /** Tells the observer; where it fails, as that of a closed device does, nobody has the block. */
  private Handle handOut(long address, long bytes, Stream stream) {
    books.allocated(bytes, stream);
    try {
      Handle handle = new Handle(this, address, bytes, stream);
      device.getMemoryObserver().allocated(address, bytes, stream);
      return open.add(handle);
    } catch (RuntimeException | Error e) {
      books.freed(bytes, stream);
      Batch.after(e, () -> takeBack(address, bytes, stream));
      throw e;
    }
  }

  /** Takes a block back that came to nobody, as of this point of its stream. */
  protected final void takeBack(long address, long bytes, Stream stream) {
    takeBack(new FailedFrees.FailedFree(address, bytes, stream, List.of()));
  }

  /** What {@link #take} throws in the end: the driver's error with the state of the allocator. */
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
            + books.describe()
            + "; tried: "
            + tried
            + "; free memory or ask for less",
        bytes,
        status,
        last);
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

  final void free(Handle handle, long address, long bytes, Stream stream, List<Stream> users) {
    entrance.startReturn();
    try {
      open.remove(handle);
      // Counted first: what the driver says to the free does not make the block live again.
      books.freed(bytes, stream);
      try {
        device.getMemoryObserver().freed(address, stream);
      } finally {
        takeBack(new FailedFrees.FailedFree(address, bytes, stream, users));
      }
      releaseExcess();
    } finally {
      entrance.endPass();
    }
  }

  private void takeBack(FailedFrees.FailedFree block) {
    try {
      give(block.address(), block.bytes(), block.stream(), block.users());
    } catch (FatalDeviceException e) {
      lost(block.bytes());
      throw e;
    } catch (RuntimeException | Error e) {
      books.cached(block.bytes(), block.stream());
      failed.add(block);
      throw e;
    }
  }

  /**
   * Takes back the blocks whose free failed; those that fail again wait for the next time.
   *
   * @return how many bytes were tried
   */
  protected final long retryFrees() {
    return retry.giveBack(
        () -> {
          List<FailedFrees.FailedFree> blocks = failed.takeAll();
          Batch.forEach(
              blocks,
              block -> {
                books.uncached(block.bytes(), block.stream());
                takeBack(block);
              });
          return blocks.stream().mapToLong(FailedFrees.FailedFree::bytes).sum();
        });
  }

  /** Waits until everything on these streams is done. */
  protected final void awaitStreams(Stream stream, List<Stream> users) {
    books.synchronizedOnHost();
    // A closed stream cannot be asked any more; its work may still run.
    if (!Streams.areOpen(stream, users) || !areSynchronized(stream, users)) {
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
    return books.read();
  }

  @Override
  public void resetPeaks() {
    books.resetPeaks();
  }

  @Override
  public final void close() {
    entrance.close(this::refusal);
    ending.lock();
    try {
      if (!ended) {
        retryFrees();
        releaseAll();
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

  private String refusal(long holders) {
    return books.refusal(getClass().getSimpleName(), holders)
        + OpenAllocations.list(open.all(), device.getMemoryObserver());
  }

  @Override
  public final String toString() {
    return getClass().getSimpleName()
        + " of device "
        + device.getOrdinal()
        + ", "
        + books.describe();
  }
}
