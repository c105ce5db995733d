package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/**
 * Base of allocators whose blocks have exactly the requested size. Checks arguments, counts, and
 * notifies the observer; a subclass allocates and frees. Refuses an allocation on a captured
 * stream. Thread-safe.
 */
public abstract class BlockAllocator extends AllocatorBase {
  protected final BlockStats stats = new BlockStats();
  private final CapturedStreams captured;

  protected BlockAllocator(Device device) {
    super(device);
    this.captured = new CapturedStreams(device);
  }

  protected abstract BlockAllocation newHandle(long bytes, Stream stream);

  /**
   * Gives a handle of at least one byte its memory, and counts it. Called without a lock. An
   * exception must leave the state unchanged.
   *
   * @throws DeviceOutOfMemoryException if recovery found no memory either
   */
  protected abstract void allocate(BlockAllocation handle);

  /**
   * Frees the memory of a closed handle, and counts that. Called without a lock, after the observer
   * was notified of the free, so that driver events that this method records come after it.
   */
  protected abstract void doFree(BlockAllocation handle);

  @Override
  public final Allocation allocate(long bytes, Stream stream) {
    Streams.refuseForeign(stream, getDevice(), "the allocator");
    if (bytes < 0) {
      throw new InvalidArgumentException(
          "cannot allocate " + bytes + " bytes; " + ByteSize.NEGATIVE_HINT);
    }
    return make(newHandle(bytes, stream), this::fill);
  }

  private void fill(BlockAllocation made) {
    if (made.size == 0) {
      return;
    }
    Streams.requireOpen(made.stream);
    captured.refuseOutside(made.size, made.stream);
    try {
      allocate(made);
    } catch (DeviceOutOfMemoryException e) {
      stats.add(Figure.OUT_OF_MEMORIES, 1);
      throw e;
    }
  }

  /** Notifies the observer of an allocation. Throws if its device is closed, for example. */
  protected final void announce(BlockAllocation made) {
    UserError.runUser(
        () -> getDevice().getMemoryObserver().allocated(made.address(), made.size, made.stream));
  }

  final void free(BlockAllocation closed) {
    try {
      UserError.runUser(
          () -> getDevice().getMemoryObserver().freed(closed.address(), closed.stream));
    } finally {
      doFree(closed);
    }
  }

  /**
   * Creates the final exception of {@link #allocate(BlockAllocation)}: the driver's error with the
   * state of the allocator.
   */
  protected final DeviceOutOfMemoryException outOfMemory(
      long bytes, Stream stream, String tried, DeviceOutOfMemoryException last) {
    List<GpuException> untold = new ArrayList<>();
    String free = Remedies.wordsOf(Remedies.infoOf(getDevice(), untold::add));
    DeviceOutOfMemoryException failed =
        new DeviceOutOfMemoryException(
            "out of memory: asked for "
                + ByteSize.format(bytes)
                + " on stream "
                + Streams.nameOf(stream)
                + " of device "
                + getDevice().getOrdinal()
                + "; "
                + stats.describe()
                + "; tried: "
                + tried
                + "; "
                + free
                + "; free memory, or ask for less",
            bytes,
            last.getStatus(),
            last);
    untold.forEach(each -> Batch.suppress(failed, each));
    return failed;
  }

  protected final CapturedStreams captured() {
    return captured;
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
  public final String toString() {
    return getClass().getSimpleName()
        + " of device "
        + getDevice().getOrdinal()
        + ", "
        + stats.describe();
  }
}
