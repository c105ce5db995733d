package org.vramkit.partition.scatter;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.units.ByteSize;

/**
 * The page-locked staging buffers of one scatter, by device: one per chunk in progress, or whose
 * results wait for the others. Safe for any thread; allocates without holding its monitor.
 */
final class Staging implements AutoCloseable {
  /** A buffer that the copy of a failed chunk may still use. */
  private record InDoubt(Device device, PinnedBuffer buffer) {}

  private final Map<Integer, Deque<PinnedBuffer>> free = new HashMap<>();
  private final List<InDoubt> inDoubt = new ArrayList<>();
  private boolean closed;

  /** Returns a buffer of at least {@code bytes}; a free buffer that is too small is replaced. */
  PinnedBuffer take(Device device, long bytes) {
    PinnedBuffer old = poll(device.getOrdinal());
    if (old != null && old.getSize() >= bytes) {
      return old;
    }
    if (old != null) {
      old.close();
    }
    return device.getPinnedMemory().allocate(bytes);
  }

  private synchronized @Nullable PinnedBuffer poll(int ordinal) {
    Deque<PinnedBuffer> own = free.get(ordinal);
    return own == null ? null : own.poll();
  }

  /**
   * Takes a buffer back after its chunk has ended.
   *
   * @param unused whether no copy uses the buffer any more; otherwise it is not reused
   */
  void giveBack(Device device, PinnedBuffer buffer, boolean unused) {
    synchronized (this) {
      if (!closed && !unused) {
        inDoubt.add(new InDoubt(device, buffer));
        return;
      }
      if (!closed) {
        free.computeIfAbsent(device.getOrdinal(), each -> new ArrayDeque<>()).push(buffer);
        return;
      }
    }
    // The scatter had stopped waiting for this chunk.
    release(buffer, unused ? () -> {} : device::synchronize);
  }

  @Override
  public void close() {
    Deque<PinnedBuffer> all = new ArrayDeque<>();
    synchronized (this) {
      closed = true;
      free.values().forEach(all::addAll);
      free.clear();
    }
    Batch.run(
        () -> Batch.forEach(inDoubt, each -> release(each.buffer(), each.device()::synchronize)),
        () -> Batch.forEach(all, buffer -> release(buffer, () -> {})));
  }

  /**
   * Closes a buffer after a wait. If the wait fails, the buffer is kept, because a copy may still
   * use it. A failure of the driver is logged and not thrown: the caller would take the results of
   * the scatter, which are in the array, for incomplete.
   */
  private static void release(PinnedBuffer buffer, Runnable wait) {
    long bytes = buffer.getSize();
    try {
      wait.run();
      buffer.close();
    } catch (GpuException e) {
      System.getLogger(Scatter.class.getName())
          .log(
              System.Logger.Level.WARNING,
              ByteSize.format(bytes) + " of page-locked memory of a scatter cannot be freed",
              e);
    }
  }
}
