package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;

/**
 * Base of allocators that call the driver for each allocation and each free.
 *
 * <p>A closed block whose free failed, or that a capture or graph still uses, counts as cached. Its
 * free is retried when memory runs out, on a trim and at the close. Thread-safe.
 */
public abstract class DriverAllocator extends BlockAllocator {
  private final OutOfMemoryRetry retry = new OutOfMemoryRetry(health);

  /** Closed blocks whose free failed, or had to wait for a capture or graph. */
  private final Queue<BlockAllocation> late = new ConcurrentLinkedQueue<>();

  /** Those of them that graphs use. */
  private final PendingUses<BlockAllocation> inGraphs =
      new PendingUses<>(
          new PoolLock(health), BlockAllocation::getSize, BlockAllocation::leaveGraphs);

  protected DriverAllocator(Device device) {
    super(device);
  }

  /**
   * Allocates memory from the driver.
   *
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little
   */
  protected abstract long take(long bytes, Stream stream);

  /**
   * Frees memory in the driver. If this throws, it must leave the state unchanged, and is called
   * again later.
   *
   * @param stream stream of the memory; it may be closed
   * @param users other streams that use the memory; they may be closed
   */
  protected abstract void giveBack(long address, long bytes, Stream stream, List<Stream> users);

  /** Frees memory in the driver that no work uses. */
  protected abstract void giveBackIdle(long address);

  /** Counts a block of a lost device as returned. */
  protected void lost(long bytes) {
    stats.givenBack(bytes);
  }

  /** Returns the remaining memory to the driver. Called when all blocks are freed. */
  protected void releaseAll() {}

  @Override
  protected final BlockAllocation newHandle(long bytes, Stream stream) {
    return new BlockAllocation(this, bytes, stream);
  }

  @Override
  protected final void allocate(BlockAllocation handle) {
    long address = retry.allocate(() -> take(handle.size, handle.stream), round -> retryFrees());
    handle.fill(address, new StreamUses(captured()));
    stats.allocated(handle.size, handle.stream);
    try {
      announce(handle);
    } catch (RuntimeException | Error e) {
      stats.freed(handle.size, handle.stream);
      Batch.after(e, () -> takeBack(handle));
      throw e;
    }
  }

  @Override
  protected final void doFree(BlockAllocation handle) {
    // Counted first: a failure of the driver does not make the block live again.
    stats.freed(handle.size, handle.stream);
    if (handle.isInGraph()) {
      keep(handle);
      List<Stream> users = new ArrayList<>(handle.users());
      users.add(handle.stream);
      inGraphs.setAside(handle, users);
    } else {
      takeBack(handle);
    }
  }

  /** Frees a closed block, or keeps it for later if that is not possible yet. */
  private void takeBack(BlockAllocation block) {
    if (block.isUnqueryable()) {
      keep(block);
      return;
    }
    try {
      giveBack(block.address(), block.size, block.stream, block.users());
    } catch (FatalDeviceException e) {
      lost(block.size);
      throw e;
    } catch (RuntimeException | Error e) {
      keep(block);
      // A capture may have begun, or a stream been closed, since the check.
      if (!(e instanceof CaptureException) || !block.isUnqueryable()) {
        throw e;
      }
    }
  }

  private void keep(BlockAllocation block) {
    stats.cached(block.size, block.stream);
    late.add(block);
  }

  /**
   * Retries the frees that failed or were deferred; blocks that cannot be freed yet stay.
   *
   * @return the bytes of the blocks that were tried, including those that stay
   */
  protected final long retryFrees() {
    return late.isEmpty()
        ? 0
        : retry.giveBack(
            () -> {
              inGraphs.poll();
              return freeLate();
            });
  }

  private long freeLate() {
    List<BlockAllocation> blocks = late.stream().filter(each -> !each.isInGraph()).toList();
    Batch.forEach(
        blocks,
        block -> {
          // Removed one by one, so that an error loses none of the others.
          late.remove(block);
          stats.uncached(block.size, block.stream);
          takeBack(block);
        });
    return blocks.stream().mapToLong(BlockAllocation::getSize).sum();
  }

  /** Frees the deferred blocks, including those of graphs, which are not launched after this. */
  @Override
  protected final void closeMemory() {
    retryFrees();
    if (captured().isAny() && !late.isEmpty()) {
      throw new CaptureException(
          getClass().getSimpleName()
              + " cannot close: a capture uses some of its memory; end the capture, and close it"
              + " again");
    }
    retry.giveBack(
        () -> {
          inGraphs.takeBackFromGraphs();
          return freeLate();
        });
    releaseAll();
  }

  @Override
  protected final void closeBroken() {
    captured().requireNone("close " + this + ", which is broken and waits for its device");
    PoolDriverCalls.awaitAll(getDevice());
    List<BlockAllocation> all = new ArrayList<>(late);
    open().forEach(each -> all.add((BlockAllocation) each));
    Batch.run(
        () -> Batch.forEach(all, each -> each.giveBackOnce(this::giveBackIdle)),
        this::releaseAll,
        stats::forget);
  }

  /** Waits for all work of these streams. */
  protected final void awaitStreams(Stream stream, List<Stream> users) {
    stats.add(Figure.SYNCHRONIZATIONS, 1);
    // A closed stream cannot be queried, but its work may still run.
    if (!Streams.areOpen(stream, users) || !areSynchronized(stream, users)) {
      if (captured().isUnqueryable(stream) || users.stream().anyMatch(captured()::isUnqueryable)) {
        throw new CaptureException(
            "cannot wait for closed streams of " + getDevice() + " while a capture is in progress");
      }
      PoolDriverCalls.awaitAll(getDevice());
    }
  }

  private static boolean areSynchronized(Stream stream, List<Stream> users) {
    try {
      PoolDriverCalls.make(
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
}
