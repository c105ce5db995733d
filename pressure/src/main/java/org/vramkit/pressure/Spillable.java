package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/**
 * Bytes that may leave the device while no work uses them, and come back with their contents. Safe
 * for any thread; all that it holds is guarded by the lock of its {@link SpillStore}.
 */
public final class Spillable implements AutoCloseable {
  /** The place of the bytes; docs/pressure.md has the table of states and events. */
  enum State {
    /** Nowhere: they were never materialized. */
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

  /** When it was last materialized, as a count. */
  long lastUsed;

  /** On the device. */
  @Nullable Allocation device;

  /** On the device: the last use by each stream. */
  final Map<Stream, Event> uses = new LinkedHashMap<>();

  /** On the device: whether work of a lease has no event among the uses. */
  boolean unmarked;

  /** On the host. */
  long hostOffset;

  /** On disk. */
  DiskTier.@Nullable Extent extent;

  Spillable(SpillStore store, long size, int priority) {
    this.store = store;
    this.size = size;
    this.priority = priority;
  }

  /** The size in bytes. */
  public long getSize() {
    return size;
  }

  /** Those of a lower priority are spilled first. */
  public int getPriority() {
    return priority;
  }

  /**
   * Brings the bytes to the device and keeps them there until the lease is closed. Work that the
   * stream is given from now on comes behind the work of every earlier lease. The first time the
   * bytes are whatever the memory held.
   *
   * <p>Several leases may be open at once; what one of them writes is not ordered for the others.
   *
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if too much is leased, or is held by
   *     others; the bytes stay where they are
   * @throws java.io.UncheckedIOException if they cannot be read from disk, or are not those that
   *     were written
   * @throws org.vramkit.api.error.ClosedException if this, or the stream, is closed
   */
  public SpillableLease materialize(Stream stream) {
    return store.materialize(this, requireNonNull(stream, "stream"));
  }

  /** Refuses a stream on which these bytes cannot be materialized. */
  void requireUsable(Stream stream, Device on) {
    if (!stream.getDevice().equals(on)) {
      throw new InvalidArgumentException(
          "cannot materialize on "
              + stream
              + " of "
              + stream.getDevice()
              + ": the store spills "
              + on
              + "; use a stream of that");
    }
    if (stream.isClosed()) {
      throw new ClosedException(stream, "it takes no work any more", "use an open stream");
    }
  }

  /** Tells whether the bytes are on the device. */
  public boolean isOnDevice() {
    return store.isOnDevice(this);
  }

  /**
   * Gives the bytes up, wherever they are. Harmless when repeated.
   *
   * @throws IllegalStateException if a lease is open; nothing is changed
   */
  @Override
  public void close() {
    store.close(this);
  }

  /** Remembers the work that a stream has been given, in place of what was remembered of it. */
  void noteUse(Stream stream, Device on) {
    forgetClosedStreams();
    uses.computeIfAbsent(stream, any -> on.createEvent()).record(stream);
  }

  /** Bytes that stay on the device may outlive any number of streams. */
  private void forgetClosedStreams() {
    List<Map.Entry<Stream, Event>> closed =
        uses.entrySet().stream().filter(use -> use.getKey().isClosed()).toList();
    for (var use : closed) {
      if (isComplete(use.getValue())) {
        uses.remove(use.getKey());
        use.getValue().close();
      }
    }
  }

  private static boolean isComplete(Event event) {
    try {
      return event.isComplete();
    } catch (CaptureException e) {
      // A capture is under way; it is asked again with a later use.
      return false;
    }
  }

  void forgetUses() {
    List<Event> events = List.copyOf(uses.values());
    uses.clear();
    Batch.forEach(events, Event::close);
  }

  /**
   * Waits for the work of a lease that could not be marked: its stream was closed, and takes no
   * mark while its work goes on, or a driver failed. Where it fails again, the next use asks.
   */
  void requireMarked(Device on) {
    if (unmarked) {
      on.synchronize();
      unmarked = false;
    }
  }

  @Override
  public String toString() {
    return "spillable of " + ByteSize.format(size) + " with priority " + priority;
  }
}
