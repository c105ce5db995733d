package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pressure.Marks.Mark;

/**
 * Bytes that may leave the device while no work uses them, and return with their contents. Safe for
 * any thread; its state is guarded by the lock of its {@link SpillStore}.
 */
public final class Spillable implements AutoCloseable {
  /** The place of the bytes; docs/pressure.md has the table of states and events. */
  enum State {
    /** The bytes have no memory, because they were never materialized. */
    EMPTY,
    DEVICE,
    HOST,
    DISK,
    CLOSED
  }

  private final SpillStore store;
  private final long size;
  private final int priority;

  State state = State.EMPTY;

  /** Open leases; more than 0 only on the device. */
  int leases;

  /** The store's number of the latest materialization of these bytes. */
  long lastUsed;

  /** The memory of the bytes while they are on the device. */
  @Nullable Allocation device;

  /** A mark after the last use by each stream, while the bytes are on the device. */
  final List<Mark> uses = new ArrayList<>(1);

  /** True if work of a closed lease has no mark in {@link #uses}. */
  boolean unmarked;

  /** The offset in the host's memory while the bytes are on the host. */
  long hostOffset;

  /** The place in the file while the bytes are on disk. */
  DiskStorage.@Nullable Extent extent;

  Spillable(SpillStore store, long size, int priority) {
    this.store = store;
    this.size = size;
    this.priority = priority;
  }

  SpillStore store() {
    return store;
  }

  /** Returns the size in bytes. */
  public long getSize() {
    return size;
  }

  /** Returns the priority; lower ones are spilled first. */
  public int getPriority() {
    return priority;
  }

  /**
   * Brings the bytes to the device and keeps them there until the lease is closed. Later work of
   * the stream runs after the work of all earlier leases. The contents are undefined at the first
   * call.
   *
   * <p>Several leases may be open at once; their writes are not ordered with each other.
   *
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if leases or other users hold too much
   *     memory; the bytes stay in their place
   * @throws java.io.UncheckedIOException if the bytes cannot be read from disk, or their checksum
   *     is wrong
   * @throws org.vramkit.api.error.CaptureException if the stream is captured; the capture stays
   *     valid. Materialize before the capture, and keep the lease while the graph is launched
   * @throws org.vramkit.api.error.ClosedException if this spillable or the stream is closed
   */
  public SpillableLease materialize(Stream stream) {
    return store.materialize(this, requireNonNull(stream, "stream"));
  }

  /** Throws if these bytes cannot be materialized on a stream. */
  void requireUsable(Stream stream, Device on) {
    if (!stream.getDevice().equals(on)) {
      throw new InvalidArgumentException(
          "cannot materialize on "
              + stream
              + " of "
              + stream.getDevice()
              + ": the store spills "
              + on
              + "; use a stream of that device");
    }
    if (stream.isClosed()) {
      throw new ClosedException(stream, "it accepts no more work", "use an open stream");
    }
  }

  /** Returns whether the bytes are on the device. */
  public boolean isOnDevice() {
    return store.isOnDevice(this);
  }

  /**
   * Releases the bytes, wherever they are. Repeated calls have no effect.
   *
   * @throws IllegalStateException if a lease is open; the spillable is unchanged
   */
  @Override
  public void close() {
    store.close(this);
  }

  /** Takes over a mark of the latest work of a stream, in place of an earlier mark. */
  void noteUse(Mark mark, Marks marks) {
    int at = 0;
    while (at < uses.size() && !uses.get(at).isOf(mark.stream)) {
      at++;
    }
    if (at < uses.size()) {
      marks.release(uses.set(at, mark));
    } else {
      uses.add(mark);
    }
    forgetClosedStreams(mark, marks);
  }

  /** Drops closed streams, because bytes on the device may outlive any number of streams. */
  private void forgetClosedStreams(Mark latest, Marks marks) {
    for (int i = uses.size() - 1; i >= 0; i--) {
      Mark use = uses.get(i);
      if (use != latest && use.stream.isClosed() && store.inPool(() -> isComplete(use))) {
        uses.remove(i);
        marks.release(use);
      }
    }
  }

  private static boolean isComplete(Mark mark) {
    try {
      return mark.isComplete();
    } catch (CaptureException e) {
      // A capture forbids the query; a later use repeats it.
      return false;
    }
  }

  /** Returns the memory of a spillable of a broken store, which is closed from now on. */
  List<Allocation> giveUp(Marks marks) {
    state = State.CLOSED;
    forgetUses(marks);
    Allocation left = device;
    device = null;
    return left == null ? List.of() : List.of(left);
  }

  void forgetUses(Marks marks) {
    uses.forEach(marks::release);
    uses.clear();
  }

  /**
   * Waits for the work of a lease that could not be marked, because its stream was closed or the
   * driver failed. If the wait fails, the next use repeats it.
   */
  void requireMarked(Device on) {
    if (unmarked) {
      if (store.isCapturing()) {
        throw new CaptureException(
            "cannot use or close "
                + this
                + " while a stream is captured: the end of its last work is unknown, and a wait for"
                + " the device would invalidate the capture; end the capture, and try again");
      }
      on.synchronize();
      unmarked = false;
    }
  }

  @Override
  public String toString() {
    return "spillable of " + ByteSize.format(size) + " with priority " + priority;
  }
}
