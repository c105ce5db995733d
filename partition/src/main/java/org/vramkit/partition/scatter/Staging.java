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
 * Page-locked buffers of one scatter, by device; as many as it has chunks under way. Safe for any
 * thread; its monitor is not held while one is made.
 */
final class Staging implements AutoCloseable {
  /** A buffer that a copy of a failed chunk may still use. */
  private record InDoubt(Device device, PinnedBuffer buffer) {}

  private final Map<Integer, Deque<PinnedBuffer>> free = new HashMap<>();
  private final List<InDoubt> inDoubt = new ArrayList<>();
  private boolean closed;

  /** Takes a buffer of at least {@code bytes}; a larger one replaces one that is too small. */
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
   * A chunk that had a buffer has ended.
   *
   * @param unused whether no copy uses it any more; else it is unused until the close
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
    // Of a chunk that its scatter did not wait for.
    buffer.close();
  }

  @Override
  public void close() {
    Deque<PinnedBuffer> all = new ArrayDeque<>();
    synchronized (this) {
      closed = true;
      free.values().forEach(all::addAll);
      free.clear();
    }
    inDoubt.forEach(Staging::closeOnceIdle);
    Batch.forEach(all, PinnedBuffer::close);
  }

  /**
   * Memory that a copy may still use is kept rather than given back: its chunk has failed anyway.
   */
  private static void closeOnceIdle(InDoubt each) {
    try {
      each.device().synchronize();
      each.buffer().close();
    } catch (GpuException e) {
      System.getLogger(Scatter.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "device "
                  + each.device().getOrdinal()
                  + " does not tell whether copies are done; keeping "
                  + ByteSize.format(each.buffer().getSize())
                  + " of page-locked memory that they may use",
              e);
    }
  }
}
