package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pressure.Spillable.State;

/**
 * Keeps more bytes than the device has. Spillables that no work uses move to page-locked memory of
 * the host, and from there to disk. They return when they are {@linkplain Spillable#materialize
 * materialized}. The lowest priority moves first, then the least recently used spillable.
 *
 * <p>Memory that is allocated through {@link #getAllocator} stays on the device. Such an allocation
 * moves spillables off the device before it fails.
 *
 * <h2>Moves</h2>
 *
 * A move copies the bytes and releases the source once the copy is complete, so a failure of the
 * driver or the disk loses no bytes. Bytes on disk have a checksum. Copies to the host run
 * concurrently, and neighbours are copied by one call.
 *
 * <h2>Threads</h2>
 *
 * Safe for any thread. One thread at a time moves bytes, while others wait. The store's lock is not
 * held while memory is allocated or closed. An allocation may wait for other threads, or ask other
 * stores over the same allocator to spill, and a close may serve an allocation that waits. A
 * restore therefore allocates first and then checks whether the bytes are still away, and a spill
 * closes device memory after it has released the lock.
 */
public final class SpillStore implements AutoCloseable {
  private static final Parts<SpillStore, SpillStatistics> PARTS =
      new Parts<>(
          store -> store.device,
          SpillStore::getStatistics,
          "SpillStatistics",
          "Spillables of a store by place, and their moves",
          SpillStatistics::getMetrics);

  private static final Comparator<Spillable> SPILL_ORDER =
      Comparator.comparingInt(Spillable::getPriority).thenComparingLong(each -> each.lastUsed);

  private final Allocator upstream;
  private final Device device;
  private final @Nullable Graphs graphs;
  private final SpillingAllocator allocator;
  private final Stream copies;

  /** The number among {@link Parts}. */
  private final long part;

  private final HostStorage host;
  private final @Nullable DiskStorage disk;

  /** Spills for allocations that are not made through this store. */
  private final Reclaimer reclaimer = this::reclaim;

  /**
   * Guards the fields below and the spillables. Held while bytes move, and never while memory is
   * allocated or closed.
   */
  private final ReentrantLock lock = new ReentrantLock();

  private final Set<Spillable> spillables = new LinkedHashSet<>();

  /** The latest failure of a move, which is added to the error of the allocation; may be null. */
  private @Nullable Exception failure;

  private boolean closed;

  /** Number of materializations so far. */
  private long uses;

  private final SpillCounts counts = new SpillCounts();

  private SpillStore(Builder builder) {
    upstream = builder.upstream;
    device = upstream.getDevice();
    graphs = device.supports(Capability.GRAPHS) ? device.getGraphs() : null;
    host = new HostStorage(device, builder.hostLimit);
    allocator = new SpillingAllocator(upstream, this);
    if (builder.hostLimit > 0) {
      requireNonNull(device.getPinnedMemory());
    }
    disk = builder.folder == null ? null : new DiskStorage(builder.folder, builder.diskLimit);
    copies = device.createStream("spill");
    upstream.addReclaimer(reclaimer);
    part = PARTS.show(this);
  }

  /** Returns a builder of a store over an allocator, which the caller still closes. */
  public static Builder over(Allocator allocator) {
    return new Builder(allocator);
  }

  /**
   * Returns an allocator of memory that stays on the device; it spills before an allocation fails.
   */
  public Allocator getAllocator() {
    return allocator;
  }

  /**
   * Creates a spillable, which takes no memory before it is materialized.
   *
   * @param bytes the size, at least 1
   * @param priority the priority; lower ones are spilled first
   */
  public Spillable create(long bytes, int priority) {
    if (bytes < 1) {
      throw new InvalidArgumentException("a spillable must have at least 1 byte, not " + bytes);
    }
    lock.lock();
    try {
      requireOpen();
      Spillable made = new Spillable(this, bytes, priority);
      spillables.add(made);
      return made;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Moves spillables off the device until enough bytes are freed. Call it before work of another
   * library, for example.
   *
   * @param bytes the bytes to free, not negative
   * @return the freed bytes; fewer than {@code bytes} if leases, limits or failures prevent more
   */
  public long spill(long bytes) {
    if (bytes < 0) {
      throw new InvalidArgumentException(
          "cannot spill " + bytes + " bytes: negative; 0 spills nothing");
    }
    lock.lock();
    try {
      requireOpen();
    } finally {
      lock.unlock();
    }
    return spillNow(bytes).bytes();
  }

  /** Returns the current statistics. */
  public SpillStatistics getStatistics() {
    lock.lock();
    try {
      return counts.read(spillables);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Releases the host memory and the file. Repeated calls have no effect. If the driver or the disk
   * fails, its error is thrown, the store counts as closed, and another call releases the rest.
   *
   * @throws IllegalStateException if spillables are open; the message has their number, and the
   *     store is unchanged
   */
  @Override
  public void close() {
    lock.lock();
    try {
      if (!spillables.isEmpty()) {
        throw new IllegalStateException(
            "cannot close "
                + this
                + ", which has "
                + Count.of(spillables.size(), "open spillable")
                + " of "
                + ByteSize.format(saturatedSum())
                + "; close them first");
      }
      allocator.close();
      closed = true;
      upstream.removeReclaimer(reclaimer);
      PARTS.hide(part);
      Batch.run(host::close, copies::close, this::closeDisk);
    } finally {
      lock.unlock();
    }
  }

  /** Sums the sizes without overflow, because a spillable without memory may have any size. */
  private long saturatedSum() {
    return spillables.stream()
        .mapToLong(Spillable::getSize)
        .reduce(0, (sum, bytes) -> sum + Math.min(bytes, Long.MAX_VALUE - sum));
  }

  private void closeDisk() {
    try {
      if (disk != null) {
        disk.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return "spill store over " + upstream;
  }

  // ---- leases ----

  SpillableLease materialize(Spillable spillable, Stream stream) {
    SpillableLease present = lease(spillable, stream, null);
    if (present != null) {
      return present;
    }
    // Not under the lock: the allocation may wait for other threads, and may ask other stores.
    Allocation fresh;
    try {
      fresh = allocate(spillable.getSize(), ForwardingAllocator.ANY, stream);
    } catch (DeviceOutOfMemoryException e) {
      present = lease(spillable, stream, null);
      if (present != null) {
        // Another thread has restored the bytes meanwhile.
        return present;
      }
      throw e;
    }
    SpillableLease lease;
    try {
      lease = requireNonNull(lease(spillable, stream, fresh));
    } catch (RuntimeException | Error e) {
      Batch.after(e, fresh::close);
      throw e;
    }
    if (lease.getAddress() != fresh.getAddress()) {
      // Another thread restored the bytes first.
      fresh.close();
    }
    return lease;
  }

  /**
   * Creates a lease, after restoring the bytes if they are not on the device.
   *
   * @param fresh device memory for the bytes; null for none
   * @return the lease; null if the bytes are not on the device and {@code fresh} is null
   */
  private @Nullable SpillableLease lease(
      Spillable spillable, Stream stream, @Nullable Allocation fresh) {
    lock.lock();
    try {
      requireOpen(spillable);
      spillable.requireUsable(stream, device);
      requireNotCaptured(spillable, stream);
      if (spillable.state == State.DEVICE) {
        spillable.requireMarked(device);
        for (var use : spillable.uses.entrySet()) {
          if (!use.getKey().equals(stream)) {
            stream.waitFor(use.getValue());
          }
        }
      } else if (fresh == null) {
        return null;
      } else {
        inPool(
            () -> {
              restore(spillable, stream, fresh);
              return true;
            });
      }
      spillable.lastUsed = ++uses;
      long address = requireNonNull(spillable.device).getAddress();
      SpillableLease lease = new SpillableLease(this, spillable, stream, address);
      spillable.leases++;
      return lease;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Copies the bytes to fresh memory; if that fails, they stay in their place. Called under the
   * lock.
   */
  private void restore(Spillable spillable, Stream stream, Allocation fresh) {
    long bytes = spillable.getSize();
    State from = spillable.state;
    try {
      if (from == State.HOST) {
        stream.copyToDevice(fresh.getAddress(), host.memory(), spillable.hostOffset, bytes);
      } else if (from == State.DISK) {
        readBack(spillable, fresh.getAddress(), stream);
      }
      spillable.noteUse(stream, device);
      if (from == State.HOST) {
        host.giveBackAfter(spillable.hostOffset, bytes, mark(stream));
      } else if (from == State.DISK) {
        requireNonNull(disk).free(requireNonNull(spillable.extent));
      }
    } catch (RuntimeException | Error e) {
      // The copy may be in progress, so its source must not be overwritten before it is complete.
      if (!isAwaited(stream, e) && from == State.HOST) {
        host.noteUnawaited(spillable.hostOffset, stream);
      }
      Batch.after(e, spillable::forgetUses);
      throw e;
    }
    if (from != State.EMPTY) {
      counts.restored(bytes);
    }
    spillable.extent = null;
    spillable.device = fresh;
    spillable.state = State.DEVICE;
  }

  private void readBack(Spillable spillable, long address, Stream stream) {
    try {
      requireNonNull(disk)
          .read(
              requireNonNull(spillable.extent),
              (buffer, offset) -> stream.copyToDevice(address + offset, buffer));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot materialize " + spillable, e);
    }
  }

  void endLease(Spillable spillable, Stream stream) {
    lock.lock();
    try {
      spillable.leases--;
      boolean wasUnmarked = spillable.unmarked;
      spillable.unmarked = true;
      if (isCaptured(stream)) {
        // An event would belong to the capture. The work runs when the graph is launched.
        recordUse(spillable, stream);
        return;
      }
      if (!stream.isClosed()) {
        markUse(spillable, stream);
        spillable.unmarked = wasUnmarked;
      }
      if (!isCapturing()) {
        spillable.requireMarked(device);
      }
    } finally {
      lock.unlock();
    }
  }

  private void markUse(Spillable spillable, Stream stream) {
    try {
      spillable.noteUse(stream, device);
      recordUse(spillable, stream);
    } catch (RuntimeException | Error e) {
      Batch.after(e, () -> spillable.requireMarked(device));
      throw e;
    }
  }

  private static void recordUse(Spillable spillable, Stream stream) {
    Allocation memory = requireNonNull(spillable.device);
    if (!memory.getStream().equals(stream)) {
      memory.recordUse(stream);
    }
  }

  /** Returns whether any stream of the device is captured, which forbids waits for the device. */
  boolean isCapturing() {
    return graphs != null && graphs.isAnyCapturing();
  }

  private boolean isCaptured(Stream stream) {
    return graphs != null
        && graphs.isAnyCapturing()
        && !stream.isClosed()
        && graphs.isCapturing(stream);
  }

  private void requireNotCaptured(Spillable spillable, Stream stream) {
    if (isCaptured(stream)) {
      throw new CaptureException(
          "cannot materialize "
              + spillable
              + " on "
              + stream
              + ", which is captured: each launch of the graph would use its address; materialize it"
              + " on another stream before the capture, and keep the lease open as long as the graph"
              + " is launched");
    }
  }

  boolean isOnDevice(Spillable spillable) {
    lock.lock();
    try {
      return spillable.state == State.DEVICE;
    } finally {
      lock.unlock();
    }
  }

  void close(Spillable spillable) {
    Allocation left = end(spillable);
    if (left != null) {
      // Without the lock: no other thread can reach the events of a closed spillable.
      Batch.run(spillable::forgetUses, left::close);
    }
  }

  /** Marks a spillable as closed, releases its bytes, and returns its memory on the device. */
  private @Nullable Allocation end(Spillable spillable) {
    lock.lock();
    try {
      if (spillable.leases > 0) {
        throw new IllegalStateException(
            "cannot close "
                + spillable
                + ", which has "
                + Count.of(spillable.leases, "open lease")
                + "; close them first");
      }
      awaitUnmarked(spillable);
      State from = spillable.state;
      spillable.state = State.CLOSED;
      spillables.remove(spillable);
      switch (from) {
        case DEVICE -> {
          return requireNonNull(spillable.device);
        }
        case HOST -> host.giveBack(spillable.hostOffset, spillable.getSize());
        case DISK -> requireNonNull(disk).free(requireNonNull(spillable.extent));
        case EMPTY, CLOSED -> {}
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  private void awaitUnmarked(Spillable spillable) {
    try {
      spillable.requireMarked(device);
    } catch (FatalDeviceException lost) {
      // No work uses the bytes on a lost device, so they can be released.
    }
  }

  private Event mark(Stream stream) {
    Event event = device.createEvent();
    try {
      event.record(stream);
      return event;
    } catch (RuntimeException | Error e) {
      Batch.after(e, event::close);
      throw e;
    }
  }

  /**
   * Moves bytes in a section of the store's own, because the program must not rely on the waits
   * that a move makes: they depend on what else needs memory. A capture of the calling thread does
   * not refuse the calls.
   */
  @SuppressWarnings("try") // the relaxation is held, not used
  <T> T inPool(Supplier<T> move) {
    if (!isCapturing()) {
      return device.getMemoryObserver().inPool(move);
    }
    try (Graphs.Relaxation relaxation = requireNonNull(graphs).relax()) {
      return device.getMemoryObserver().inPool(move);
    }
  }

  // ---- moves off the device ----

  /** Allocates; spills until there is room or nothing is left to spill. */
  Allocation allocate(long bytes, long alignment, Stream stream) {
    while (true) {
      try {
        return allocator.takeUpstream(bytes, alignment, stream);
      } catch (DeviceOutOfMemoryException e) {
        if (bytes > device.getProperties().totalMemoryBytes() || !makeRoom(bytes, e)) {
          throw e;
        }
      }
    }
  }

  /** Spills for an allocation of any user of the upstream allocator, before it fails. */
  private long reclaim(long bytes) {
    Spilled spilled = spillNow(bytes);
    if (spilled.bytes == 0 && spilled.failure != null) {
      throw spilled.failure instanceof IOException e
          ? new UncheckedIOException("cannot spill to disk", e)
          : (RuntimeException) spilled.failure;
    }
    return spilled.bytes;
  }

  /** Spills for an allocation; a failure is added to the failure of that allocation. */
  private boolean makeRoom(long bytes, DeviceOutOfMemoryException refusal) {
    long[] freed = new long[1];
    Batch.after(
        refusal,
        () -> {
          Spilled spilled = spillNow(bytes);
          freed[0] = spilled.bytes;
          if (spilled.failure != null) {
            Batch.suppress(refusal, spilled.failure);
          }
        });
    return freed[0] > 0;
  }

  /** Bytes that left the device, and why the latest move failed. */
  private record Spilled(long bytes, @Nullable Exception failure) {}

  /**
   * Spills up to {@code bytes}, or nothing if the store is closed. Memory is closed without the
   * lock, because a close may serve a waiting allocation that calls this store or another one.
   */
  private Spilled spillNow(long bytes) {
    List<Allocation> left = new ArrayList<>();
    Spilled spilled;
    try {
      spilled = spillUnderLock(bytes, left);
    } catch (RuntimeException | Error e) {
      Batch.after(e, () -> Batch.forEach(left, Allocation::close));
      throw e;
    }
    Batch.forEach(left, Allocation::close);
    return spilled;
  }

  private Spilled spillUnderLock(long bytes, List<Allocation> left) {
    lock.lock();
    try {
      failure = null;
      long freed = closed ? 0 : inPool(() -> spillInside(bytes, left));
      return new Spilled(freed, failure);
    } finally {
      lock.unlock();
    }
  }

  /** Moves as many spillables as needed, with concurrent copies to the host. */
  private long spillInside(long bytes, List<Allocation> left) {
    List<Spillable> copied = new ArrayList<>();
    CopyBatch batch = new CopyBatch(copies);
    long freed = 0;
    try {
      for (Spillable each : inOrder(State.DEVICE)) {
        if (freed >= bytes) {
          break;
        }
        if (each.leases == 0 && !(each.unmarked && isCapturing())) {
          each.requireMarked(device);
          each.uses.values().forEach(copies::waitFor);
          long offset = takeHost(each);
          if (offset != Room.NONE) {
            each.hostOffset = offset;
            copied.add(each);
            batch.add(host.memory(), offset, addressOf(each), each.getSize());
            freed += each.getSize();
          } else if (writeFromDevice(each, left)) {
            freed += each.getSize();
          }
        }
      }
      if (!copied.isEmpty()) {
        batch.submit(host.memory());
        copies.synchronize();
      }
    } catch (RuntimeException | Error e) {
      counts.failed();
      // All bytes stay on the device. Copies may be in progress, so neither their targets nor their
      // sources must be overwritten before they are complete.
      boolean awaited = isAwaited(copies, e);
      for (Spillable each : copied) {
        if (!awaited) {
          host.noteUnawaited(each.hostOffset, copies);
          each.unmarked = true;
        }
        host.giveBack(each.hostOffset, each.getSize());
      }
      throw e;
    }
    // All of them, even if an event of one cannot be closed.
    Batch.forEach(copied, each -> leaveDevice(each, State.HOST, left));
    return freed;
  }

  /** Waits for copies after a failure. Returns false if that fails too; the copies may then run. */
  private static boolean isAwaited(Stream stream, Throwable failure) {
    try {
      stream.synchronize();
      return true;
    } catch (FatalDeviceException lost) {
      Batch.suppress(failure, lost);
      return true; // No copy runs on a lost device.
    } catch (RuntimeException | Error e) {
      Batch.suppress(failure, e);
      return false;
    }
  }

  private List<Spillable> inOrder(State state) {
    return spillables.stream().filter(each -> each.state == state).sorted(SPILL_ORDER).toList();
  }

  private static long addressOf(Spillable spillable) {
    return requireNonNull(spillable.device).getAddress();
  }

  private boolean writeFromDevice(Spillable spillable, List<Allocation> left) {
    long address = addressOf(spillable);
    boolean written =
        write(spillable, (buffer, offset) -> copies.copyToHost(buffer, address + offset));
    if (written) {
      leaveDevice(spillable, State.DISK, left);
    }
    return written;
  }

  private void leaveDevice(Spillable spillable, State to, List<Allocation> left) {
    left.add(requireNonNull(spillable.device));
    spillable.device = null;
    spillable.state = to;
    counts.spilled(spillable.getSize());
    spillable.forgetUses();
  }

  // ---- the host and the disk ----

  /** Takes a range on the host; spillables before {@code wanted} in spill order move to disk. */
  private long takeHost(Spillable wanted) {
    long bytes = wanted.getSize();
    if (!host.canHold(bytes)) {
      return Room.NONE;
    }
    long offset;
    try {
      offset = host.take(bytes);
    } catch (DeviceOutOfMemoryException e) {
      failed(e);
      return Room.NONE;
    }
    if (offset != Room.NONE) {
      return offset; // without sorting the others, which may be thousands
    }
    for (Spillable each : inOrder(State.HOST)) {
      if (offset != Room.NONE || SPILL_ORDER.compare(each, wanted) > 0 || !writeFromHost(each)) {
        break;
      }
      offset = host.take(bytes);
    }
    return offset;
  }

  private boolean writeFromHost(Spillable spillable) {
    PinnedBuffer from = host.memory();
    boolean written =
        write(
            spillable,
            (buffer, offset) -> {
              long at = spillable.hostOffset + offset;
              from.hostReads(at, buffer.remaining());
              buffer.put(from.getBytes(at, buffer.remaining()));
            });
    if (written) {
      host.giveBack(spillable.hostOffset, spillable.getSize());
      spillable.state = State.DISK;
    }
    return written;
  }

  /**
   * Writes a spillable to disk; returns false if there is no disk or no room, or if the write
   * fails.
   */
  private boolean write(Spillable spillable, DiskStorage.Piece source) {
    if (disk == null) {
      return false;
    }
    try {
      spillable.extent = disk.write(spillable.getSize(), source);
    } catch (IOException e) {
      failed(e);
      return false;
    }
    if (spillable.extent == null) {
      return false;
    }
    counts.written(spillable.getSize());
    return true;
  }

  private void failed(Exception why) {
    failure = why;
    counts.failed();
  }

  private void requireOpen() {
    if (closed) {
      throw new ClosedException(this, "it can no longer keep bytes", "create a new one");
    }
  }

  private void requireOpen(Spillable spillable) {
    if (spillable.state == State.CLOSED) {
      throw new ClosedException(spillable, "its bytes are gone", "create another one");
    }
  }

  /**
   * Builds a {@link SpillStore}. Without a host limit or a disk, nothing can be spilled. Not
   * thread-safe.
   */
  public static final class Builder {
    private final Allocator upstream;
    private long hostLimit;
    private @Nullable Path folder;
    private long diskLimit;

    private Builder(Allocator upstream) {
      this.upstream = requireNonNull(upstream, "upstream");
    }

    /**
     * Spills to page-locked memory of the host.
     *
     * @param bytes size of this memory, not negative; it is allocated by the first spill. {@link
     *     #build} throws if the device has no such memory
     */
    public Builder hostLimit(long bytes) {
      hostLimit = requireNotNegative(bytes);
      return this;
    }

    /**
     * Spills to a file if the host has no room.
     *
     * @param inFolder a folder of the default file system, which {@link #build} creates if it is
     *     missing; the file is deleted with the store
     * @param bytes maximum size of the file, not negative
     */
    public Builder disk(Path inFolder, long bytes) {
      requireNonNull(inFolder, "inFolder");
      if (!inFolder.getFileSystem().equals(FileSystems.getDefault())) {
        throw new InvalidArgumentException(
            "cannot spill to " + inFolder + "; name a folder of the default file system");
      }
      folder = inFolder;
      diskLimit = requireNotNegative(bytes);
      return this;
    }

    /**
     * Creates an empty store for the caller to close.
     *
     * @throws UncheckedIOException if the folder cannot be created or written to
     */
    public SpillStore build() {
      return new SpillStore(this);
    }

    private static long requireNotNegative(long bytes) {
      if (bytes < 0) {
        throw new InvalidArgumentException(
            "a limit must not be negative: " + bytes + " bytes; with 0, nothing is spilled there");
      }
      return bytes;
    }
  }
}
