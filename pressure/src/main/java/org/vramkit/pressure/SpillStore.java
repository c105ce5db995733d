package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.CopyBatch;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pressure.Marks.Latest;
import org.vramkit.pressure.Marks.Mark;
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
 * driver or the disk loses no bytes. Bytes on disk have a checksum. The copies of a {@link #spill}
 * or of a {@link #materialize(List, Stream)} run concurrently, and neighbours are copied by one
 * call.
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

  /** Fewer bytes of copies wait together with the next ones, rather than be a call of their own. */
  private static final long LEAST_BATCH = ByteSize.MIB;

  /** More bytes of copies do not wait for the next ones. */
  private static final long LARGEST_BATCH = ByteSize.GIB;

  private final Allocator upstream;
  private final Device device;
  private final @Nullable Graphs graphs;
  private final SpillingAllocator allocator;
  private final Stream copies;

  /** The number among {@link Parts}. */
  private final long part;

  private final Marks marks;
  private final HostStorage host;
  private final @Nullable DiskStorage disk;

  /** Spills for allocations that are not made through this store. */
  private final Reclaimer reclaimer = this::reclaim;

  /**
   * Guards the fields below and the spillables. Held while bytes move, and never while memory is
   * allocated or closed.
   */
  final PartLock lock = new PartLock("a spill store");

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
    marks = new Marks(device);
    host = new HostStorage(device, marks, builder.hostLimit);
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
    return lock.change(
        () -> {
          requireOpen();
          Spillable made = new Spillable(this, bytes, priority);
          spillables.add(made);
          return made;
        });
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
    lock.run(this::requireOpen);
    return spillNow(bytes).bytes();
  }

  /**
   * Brings the bytes of several spillables to the device, as {@link Spillable#materialize} does for
   * one, by fewer calls. Many small spillables return faster together than one after another.
   *
   * @param wanted spillables of this store, each at most once
   * @param stream the stream of all leases
   * @return a lease for each spillable, in the same order; if any cannot be materialized, the error
   *     is thrown and no lease is open
   */
  public List<SpillableLease> materialize(List<Spillable> wanted, Stream stream) {
    requireNonNull(stream, "stream");
    List<Spillable> all = List.copyOf(wanted);
    Set<Spillable> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Spillable each : all) {
      if (each.store() != this || !distinct.add(each)) {
        throw new InvalidArgumentException(
            "cannot materialize "
                + each
                + (each.store() == this ? " twice in one call" : " of another store")
                + "; pass each spillable of this store once");
      }
    }
    return new Materialization(all, stream).run();
  }

  /** Returns the current statistics. */
  public SpillStatistics getStatistics() {
    return lock.locked(() -> counts.read(spillables));
  }

  /**
   * Releases the host memory and the file. Repeated calls have no effect. If the driver or the disk
   * fails, its error is thrown, the store counts as closed, and another call releases the rest.
   *
   * <p>A store that an error of the JVM has broken, such as a stack overflow in the middle of a
   * call, also releases the memory of open spillables, and waits for the device to do so.
   *
   * @throws IllegalStateException if spillables are open; the message has their number, and the
   *     store is unchanged
   * @throws CaptureException if the store is broken and a stream of the device is captured
   */
  @Override
  public void close() {
    lock.runIfIntact(this::closeIntact);
    if (lock.isBroken()) {
      closeBroken();
    }
  }

  private void closeIntact() {
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
    relaxed(
        () -> {
          Batch.run(host::close, copies::close, marks::close, this::closeDisk);
          return this;
        });
  }

  /** Releases what is still known, including the memory of open spillables. */
  private void closeBroken() {
    if (isCapturing()) {
      throw new CaptureException(
          "cannot close the broken "
              + this
              + " while a stream is captured: its last work is unknown, and a wait for the device"
              + " would invalidate the capture; end the capture, and close again");
    }
    List<Allocation> left = new ArrayList<>();
    allocator.close();
    upstream.removeReclaimer(reclaimer);
    PARTS.hide(part);
    // Their work, and copies of this store, may be in progress.
    awaitDevice();
    relaxed(
        () -> {
          Batch.run(
              () -> lock.locked(() -> left.addAll(giveUp())),
              () -> Batch.forEach(left, Allocation::close),
              host::free,
              copies::close,
              marks::close,
              this::closeDisk);
          return this;
        });
  }

  private List<Allocation> giveUp() {
    List<Allocation> left = new ArrayList<>();
    spillables.forEach(each -> left.addAll(each.giveUp(marks)));
    spillables.clear();
    return left;
  }

  private void awaitDevice() {
    try {
      device.synchronize();
    } catch (FatalDeviceException lost) {
      // No work runs on a lost device.
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
    return new Materialization(List.of(spillable), stream).run().get(0);
  }

  /**
   * Leases spillables on a stream. What is on the device is leased first, so that the allocations
   * for the others do not spill it.
   */
  private final class Materialization {
    private final List<Spillable> wanted;
    private final Stream stream;
    private final @Nullable SpillableLease[] leases;

    /** Device memory for the bytes that were away, by index. */
    private final @Nullable Allocation[] fresh;

    Materialization(List<Spillable> wanted, Stream stream) {
      this.wanted = wanted;
      this.stream = stream;
      this.leases = new SpillableLease[wanted.size()];
      this.fresh = new Allocation[wanted.size()];
    }

    List<SpillableLease> run() {
      try {
        if (!leaseWhatIsThere()) {
          // Not under the lock: an allocation may wait for other threads, and may ask other stores.
          for (int i = 0; i < leases.length; i++) {
            if (leases[i] == null) {
              allocateFor(i);
            }
          }
          lock.run(this::restoreTheRest);
        }
        // Left where another thread restored the bytes first.
        closeFresh();
      } catch (RuntimeException | Error e) {
        Batch.after(e, this::undo);
        throw e;
      }
      return List.of(requireNonNull(leases));
    }

    /** Leases what is on the device; returns whether this is all. */
    private boolean leaseWhatIsThere() {
      return lock.change(
          () -> {
            boolean all = true;
            for (int i = 0; i < leases.length; i++) {
              all &= leaseIfThere(i);
            }
            return all;
          });
    }

    private boolean leaseIfThere(int index) {
      Spillable spillable = wanted.get(index);
      requireOpen(spillable);
      spillable.requireUsable(stream, device);
      requireNotCaptured(spillable, stream);
      if (leases[index] == null && spillable.state == State.DEVICE) {
        spillable.requireMarked(device);
        for (Mark use : spillable.uses) {
          if (!use.isOf(stream)) {
            use.makeWait(stream);
          }
        }
        leases[index] = lease(spillable);
      }
      return leases[index] != null;
    }

    private SpillableLease lease(Spillable spillable) {
      spillable.lastUsed = ++uses;
      long address = requireNonNull(spillable.device).getAddress();
      SpillableLease lease = new SpillableLease(SpillStore.this, spillable, stream, address);
      spillable.leases++;
      return lease;
    }

    private void allocateFor(int index) {
      try {
        fresh[index] = allocate(wanted.get(index).getSize(), ForwardingAllocator.ANY, stream);
      } catch (DeviceOutOfMemoryException e) {
        // Another thread may have restored the bytes meanwhile.
        if (!lock.change(() -> leaseIfThere(index))) {
          throw e;
        }
      }
    }

    private void restoreTheRest() {
      List<Integer> away = new ArrayList<>();
      for (int i = 0; i < leases.length; i++) {
        if (!leaseIfThere(i)) {
          away.add(i);
        }
      }
      if (!away.isEmpty()) {
        inPool(() -> restore(away));
        away.forEach(each -> leases[each] = lease(wanted.get(each)));
      }
    }

    /**
     * Copies bytes to fresh memory; if that fails, all of them stay in their places. Called under
     * the lock.
     */
    private boolean restore(List<Integer> away) {
      boolean isCopying = false;
      try {
        HostStorage.Copies fromHost = host.new Copies(stream, CopyBatch::toDevice);
        for (int each : away) {
          Spillable spillable = wanted.get(each);
          long address = requireNonNull(fresh[each]).getAddress();
          if (spillable.state == State.HOST) {
            fromHost.add(spillable.hostOffset, address, spillable.getSize());
          } else if (spillable.state == State.DISK) {
            readBack(spillable, address, stream);
          }
        }
        isCopying = !fromHost.isEmpty();
        fromHost.submit();
        Mark copied = marks.record(stream);
        away.forEach(each -> arrive(wanted.get(each), requireNonNull(fresh[each]), copied));
        marks.release(copied);
      } catch (RuntimeException | Error e) {
        // A copy may be in progress, so its source must not be overwritten before it is complete.
        if (isCopying && !isAwaited(stream, e)) {
          away.stream()
              .map(wanted::get)
              .filter(each -> each.state == State.HOST)
              .forEach(each -> host.noteUnawaited(each.hostOffset, stream));
        }
        throw e;
      }
      away.forEach(each -> fresh[each] = null);
      return true;
    }

    private void undo() {
      Batch.run(() -> Batch.forEach(present(leases), SpillableLease::close), this::closeFresh);
    }

    private void closeFresh() {
      Batch.forEach(present(fresh), Allocation::close);
    }
  }

  private static <T> List<T> present(@Nullable T[] all) {
    List<T> present = new ArrayList<>();
    for (T each : all) {
      if (each != null) {
        present.add(each);
      }
    }
    return present;
  }

  /** Notes that bytes are on the device once a mark is complete. */
  private void arrive(Spillable spillable, Allocation memory, Mark copied) {
    State from = spillable.state;
    spillable.noteUse(copied.share(), marks);
    if (from == State.HOST) {
      host.giveBackAfter(spillable.hostOffset, spillable.getSize(), copied.share());
    } else if (from == State.DISK) {
      requireNonNull(disk).free(requireNonNull(spillable.extent));
    }
    if (from != State.EMPTY) {
      counts.restored(spillable.getSize());
    }
    spillable.extent = null;
    spillable.device = memory;
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
    lock.runIfIntact(() -> endIntactLease(spillable, stream));
  }

  private void endIntactLease(Spillable spillable, Stream stream) {
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
  }

  private void markUse(Spillable spillable, Stream stream) {
    try {
      spillable.noteUse(marks.record(stream), marks);
      recordUse(spillable, stream);
    } catch (RuntimeException | Error e) {
      Batch.after(e, () -> spillable.requireMarked(device));
      throw e;
    }
  }

  private static void recordUse(Spillable spillable, Stream stream) {
    Allocation memory = requireNonNull(spillable.device);
    Stream owner = memory.getStream();
    if (owner.isClosed() || !owner.equals(stream)) {
      memory.recordUse(stream);
    }
  }

  /** Returns whether any stream of the device is captured, which forbids waits for the device. */
  boolean isCapturing() {
    return graphs != null && graphs.isAnyCaptured();
  }

  private boolean isCaptured(Stream stream) {
    return graphs != null
        && graphs.isAnyCaptured()
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
              + ", which is captured: each launch of the graph would use its address; materialize"
              + " it on another stream before the capture, and keep the lease open as long as the"
              + " graph is launched");
    }
  }

  boolean isOnDevice(Spillable spillable) {
    return lock.locked(() -> spillable.state == State.DEVICE);
  }

  void close(Spillable spillable) {
    List<Allocation> left = new ArrayList<>(1);
    lock.runIfIntact(() -> end(spillable, left));
    left.forEach(Allocation::close);
  }

  /** Marks a spillable as closed, releases its bytes, and adds its memory on the device. */
  private void end(Spillable spillable, List<Allocation> left) {
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
        spillable.forgetUses(marks);
        left.add(requireNonNull(spillable.device));
      }
      case HOST -> host.giveBack(spillable.hostOffset, spillable.getSize());
      case DISK -> requireNonNull(disk).free(requireNonNull(spillable.extent));
      case EMPTY, CLOSED -> {}
    }
  }

  private void awaitUnmarked(Spillable spillable) {
    try {
      spillable.requireMarked(device);
    } catch (FatalDeviceException lost) {
      // No work uses the bytes on a lost device, so they can be released.
    }
  }

  /**
   * Moves bytes in a section of the store's own, because the program must not rely on the waits
   * that a move makes: they depend on what else needs memory. A capture of the calling thread does
   * not refuse the calls.
   */
  <T> T inPool(Supplier<T> move) {
    return relaxed(() -> device.getMemoryObserver().inPool(move));
  }

  /** Makes calls that a capture of the calling thread, on any device, would refuse. */
  @SuppressWarnings("try") // the relaxation is held, not used
  private <T> T relaxed(Supplier<T> calls) {
    if (graphs == null || !device.getBackend().isAnyCapturing()) {
      return calls.get();
    }
    try (Graphs.Relaxation relaxation = graphs.relax()) {
      return calls.get();
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
    return lock.locked(
        () -> {
          failure = null;
          boolean isOver = closed || lock.isBroken();
          long freed = isOver ? 0 : lock.guard(() -> inPool(() -> spillInside(bytes, left)));
          return new Spilled(freed, failure);
        });
  }

  /** Moves as many spillables as needed, with concurrent copies to the host. */
  private long spillInside(long bytes, List<Allocation> left) {
    List<Spillable> copied = new ArrayList<>();
    HostStorage.Copies toHost = host.new Copies(copies, CopyBatch::toHost);
    long freed = 0;
    long added = 0;
    try {
      List<Spillable> idle =
          inOrder(State.DEVICE).stream()
              .filter(each -> each.leases == 0 && !(each.unmarked && isCapturing()))
              .toList();
      Latest passed = completeUses(idle, bytes);
      for (Spillable each : idle) {
        if (freed >= bytes) {
          break;
        }
        each.requireMarked(device);
        for (Mark use : each.uses) {
          if (!passed.covers(use)) {
            if (added >= LEAST_BATCH) {
              toHost.submit(); // because these copies need not wait
              added = 0;
            }
            use.makeWait(copies);
            passed.add(use);
          }
        }
        long offset = takeHost(each);
        if (offset != Room.NONE) {
          each.hostOffset = offset;
          copied.add(each);
          toHost.add(offset, addressOf(each), each.getSize());
          freed += each.getSize();
          added += each.getSize();
          if (added >= LARGEST_BATCH) {
            toHost.submit(); // so that these copies run while more memory is locked
            added = 0;
          }
        } else if (writeFromDevice(each, left)) {
          freed += each.getSize();
        }
      }
      if (!copied.isEmpty()) {
        toHost.submit();
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
    copied.forEach(each -> leaveDevice(each, State.HOST, left));
    return freed;
  }

  /** Returns the latest uses of the first spillables, up to a sum of bytes, that are complete. */
  private static Latest completeUses(List<Spillable> spillables, long bytes) {
    Latest latest = new Latest();
    long sum = 0;
    for (Spillable each : spillables) {
      if (sum >= bytes) {
        break;
      }
      each.uses.forEach(latest::add);
      sum += each.getSize();
    }
    latest.retainComplete();
    return latest;
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
    spillable.forgetUses(marks);
  }

  // ---- the host and the disk ----

  /** Takes a range on the host; spillables before {@code wanted} in spill order move to disk. */
  private long takeHost(Spillable wanted) {
    long bytes = wanted.getSize();
    if (!host.canHold(bytes)) {
      return Room.NONE;
    }
    try {
      long offset = host.take(bytes);
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
    } catch (DeviceOutOfMemoryException e) { // the host locks no more memory
      failed(e);
      return Room.NONE;
    }
  }

  private boolean writeFromHost(Spillable spillable) {
    boolean written =
        write(spillable, (buffer, offset) -> host.read(spillable.hostOffset + offset, buffer));
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
     * @param bytes maximum size of this memory, not negative; spills lock pieces of it as they need
     *     them. {@link #build} throws if the device has no such memory
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
