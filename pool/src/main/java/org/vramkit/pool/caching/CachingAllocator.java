package org.vramkit.pool.caching;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.allocator.Tags;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.caching.internal.arena.Arena;
import org.vramkit.pool.caching.internal.arena.PoolRegistry;
import org.vramkit.pool.caching.internal.arena.SnapshotTaker;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.flight.FlightLog;
import org.vramkit.pool.caching.internal.heap.MoveBudget;
import org.vramkit.pool.caching.internal.history.HistoryRing;
import org.vramkit.pool.caching.internal.history.HistoryWriter;
import org.vramkit.pool.caching.internal.leak.LeakDetector;
import org.vramkit.pool.caching.internal.leak.LeakReporter;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.Option;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.EventPool;
import org.vramkit.pool.support.PoolHealth;
import org.vramkit.pool.support.PoolLock;
import org.vramkit.pool.support.Sizes;
import org.vramkit.pool.support.Streams;

/**
 * Allocates memory of a device and caches freed memory instead of returning it to the driver.
 * Thread-safe; any thread may close an allocation.
 */
public final class CachingAllocator implements Allocator {
  private final Device device;
  private final AtomicReference<OutOfMemoryHandler> outOfMemoryHandler;
  private final PoolHealth health;
  private final CapturedStreams captured;
  private final EventPool events;
  private final PoolRegistry pools;
  private final Arena main;
  private volatile @Nullable HistoryRing history;
  private final CachingAllocatorOptions options;
  private final FlightLog flight;
  private final PoolObserver.All observers;

  private final ThreadScopes scopes = new ThreadScopes(this::updateSlowPath);

  /** Called when captures begin and end, while the allocator is open. */
  private final Runnable captureListener = scopes::update;

  private volatile boolean closed;

  /** True if all memory is returned. Guarded by {@link PoolRegistry#ending}. */
  private boolean ended;

  CachingAllocator(Device device, boolean pages, CachingAllocatorOptions options) {
    this.device = device;
    this.outOfMemoryHandler = new AtomicReference<>(options.get(Option.OUT_OF_MEMORY_HANDLER));
    this.health = new PoolHealth(Arena.nameOf(0, device));
    this.captured = new CapturedStreams(device);
    this.events = new EventPool(device);
    this.options = options;
    this.flight =
        new FlightLog(
            device, this::getStatistics, new AllocatorManagement(device.getOrdinal(), this));
    this.observers = new PoolObserver.All(flight.observer());
    this.pools =
        new PoolRegistry(
            new PoolRegistry.Shared(
                device,
                health,
                new PoolLock(health),
                pages,
                options,
                events,
                captured,
                new MoveBudget(options.get(Option.MOVE_TIME), options.get(Option.CLOCK)),
                this::getOutOfMemoryHandler,
                observers,
                () -> history,
                new LeakDetector(
                    options, new LeakReporter(options.get(Option.LEAK_LISTENER), observers)),
                refusal -> OutOfMemorySnapshots.take(refusal, device, this::writeSnapshot)));
    this.main = pools.main;
    Option.History wanted = options.get(Option.HISTORY);
    if (wanted.bytes() > 0) {
      startHistory(wanted.bytes(), wanted.stacks());
    }
    captured.addListener(captureListener);
    captureListener.run(); // a capture may be in progress already
    flight.start();
  }

  /**
   * Returns a builder for an allocator of a device. The initial value of an option comes from the
   * system property {@code vramkit.allocator.NAME}, else from the environment variable {@code
   * VRAMKIT_ALLOCATOR_CONF}, written {@code name=value,name=value}. Without either, the option has
   * its default. See {@link CachingAllocatorBuilder#set}.
   *
   * @throws InvalidArgumentException if a name or value is invalid; the message lists the options
   */
  public static CachingAllocatorBuilder builder(Device device) {
    CachingAllocatorBuilder builder = new CachingAllocatorBuilder(device);
    ConfiguredOptions.apply(builder, System.getenv(), System.getProperties());
    return builder.begunOutside();
  }

  /** Creates an allocator with the initial settings of {@link #builder}. */
  public static CachingAllocator create(Device device) {
    return builder(device).build();
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public Allocation allocate(long bytes, Stream stream) {
    return allocate(bytes, stream, Tags.current());
  }

  Allocation allocate(long bytes, Stream stream, String tag) {
    return health.slowPath
        ? allocateSlow(bytes, SizeRules.ALIGNMENT, stream, tag)
        : main.allocate(bytes, stream, tag);
  }

  // A close takes the path CachingAllocation.close, ThreadCache.close.

  // ---- the slow path ----

  /**
   * Allocates memory whose address is a multiple of {@code alignment}, for libraries that need more
   * than 256 bytes. If no free block is aligned, the allocation may take a little more memory.
   *
   * @param alignment a power of two up to 2 MiB
   * @throws InvalidArgumentException if the alignment is invalid, or as {@link #allocate(long,
   *     Stream)} does
   * @see #allocate(long, Stream)
   */
  @Override
  public Allocation allocateAligned(long bytes, long alignment, Stream stream) {
    SizeRules.requireAlignment(alignment);
    return allocate(bytes, alignment, stream, Tags.current());
  }

  Allocation allocate(long bytes, long alignment, Stream stream, String tag) {
    return health.slowPath
        ? allocateSlow(bytes, alignment, stream, tag)
        : main.allocate(bytes, alignment, stream, tag);
  }

  private Allocation allocateSlow(long bytes, long alignment, Stream stream, String tag) {
    Streams.requirePresent(stream);
    health.requireIntact();
    Allocation scoped = allocateInScope(bytes, alignment, stream, tag);
    if (scoped != null) {
      return scoped;
    }
    captured.refuseOutside(bytes, stream);
    return main.allocate(bytes, alignment, stream, tag);
  }

  /** Allocates from the private pool of this thread's innermost scope; null if no scope is open. */
  private @Nullable Allocation allocateInScope(
      long bytes, long alignment, Stream stream, String tag) {
    requireOpen();
    for (PoolScope scope = scopes.find(); scope != null; scope = scopes.find()) {
      Allocation scoped = scope.tryAllocate(bytes, alignment, stream, tag);
      if (scoped != null) {
        return scoped;
      }
      // Another thread has just closed the scope or the allocator.
      requireOpen();
    }
    return null;
  }

  private void requireOpen() {
    if (closed) {
      throw main.gate.closedError();
    }
  }

  private void updateSlowPath(boolean anyScopeOpen) {
    health.slowPath = closed || anyScopeOpen || captured.isAny() || health.isBroken();
    health.relaxes = captured.isAnywhere();
  }

  /**
   * Records a use of the live allocation that contains an address, for callers without its handle.
   * Slower than {@link Allocation#recordUse}, because it walks over the blocks.
   *
   * @param address any address of a live allocation
   * @param stream stream of the use
   * @return false if no live allocation contains the address
   */
  public boolean recordUse(long address, Stream stream) {
    return pools.recordUse(address, stream);
  }

  /**
   * Returns a view of this allocator whose allocations carry a tag in statistics, snapshots and
   * out-of-memory reports, whatever scope of {@link Tags} is open. Closing the view does nothing.
   *
   * @param tag the tag, such as {@code weights}
   */
  public Allocator tagged(String tag) {
    return new TaggedAllocator(this, Objects.requireNonNull(tag, "tag").isEmpty() ? "" : tag);
  }

  /** Creates a private pool with the default options. */
  public PrivatePool createPool() {
    return createPool(PrivatePoolOptions.DEFAULT);
  }

  /**
   * Creates a private pool, which takes no memory yet.
   *
   * @return the pool, for the caller to close; closing this allocator closes it too
   * @throws ClosedException if this allocator is closed
   */
  public PrivatePool createPool(PrivatePoolOptions poolOptions) {
    Objects.requireNonNull(poolOptions, "poolOptions");
    return main.gate.inside(
        () -> new PrivatePool(pools.nextId(), pools, scopes, poolOptions, null));
  }

  /** Returns the limit of reserved bytes; {@link Long#MAX_VALUE} for none. */
  @Override
  public long getLimit() {
    return main.heap.limit.ofAll();
  }

  @Override
  public long getAvailableBytes() {
    return main.availableBytes();
  }

  /**
   * Sets the limit. Memory reserved beyond the limit stays until it is trimmed.
   *
   * @param bytes not negative
   */
  public void setLimit(long bytes) {
    main.heap.limit.set(Sizes.requireNotNegative("limit", bytes));
    pools.members().forEach(Arena::adoptLimit);
  }

  /** Returns the handler that is called before an allocation fails. */
  public OutOfMemoryHandler getOutOfMemoryHandler() {
    return Objects.requireNonNull(outOfMemoryHandler.get());
  }

  /**
   * Sets the handler that is called before an allocation of this allocator or its private pools
   * fails.
   *
   * @param handler the handler; {@link OutOfMemoryHandler#NONE} for none
   */
  public void setOutOfMemoryHandler(OutOfMemoryHandler handler) {
    outOfMemoryHandler.set(Objects.requireNonNull(handler, "handler"));
  }

  @Override
  public boolean addReclaimer(Reclaimer reclaimer) {
    return main.addReclaimer(reclaimer);
  }

  @Override
  public void removeReclaimer(Reclaimer reclaimer) {
    main.removeReclaimer(reclaimer);
  }

  /**
   * Returns the block size of a request, as {@link AllocatorStatistics#allocated} counts it. A
   * block from a cache may be larger.
   *
   * @param bytes not negative
   * @throws InvalidArgumentException if {@code bytes} is negative or above 1 EiB
   */
  public long sizeOf(long bytes) {
    if (bytes < 0 || bytes > SizeRules.MAX_REQUEST) {
      throw new InvalidArgumentException("no block has " + bytes + " bytes: pass 0 to 1 EiB");
    }
    return bytes == 0 ? 0 : main.sizeOf(bytes);
  }

  /** Returns all free memory to the driver: {@code trim(0)}. */
  public void emptyCache() {
    trim(0);
  }

  /**
   * Returns free memory to the driver until at most {@code keepBytes} are reserved. If memory known
   * to be free does not suffice, waits for streams that still use closed allocations of other
   * streams, and once for each stream that has not completed the work before its frees. Open
   * private pools keep their memory.
   */
  @Override
  public void trim(long keepBytes) {
    Sizes.requireTrimTarget(keepBytes);
    pools.closeFinished();
    main.gate.insideIfOpen(
        () -> {
          pools.drainEnded(keepBytes, true);
          main.trimming.trim(keepBytes);
          if (!main.gate.isShut()) {
            main.maybeDecay();
          }
        });
  }

  /**
   * Returns memory to the driver that has been free for some time. The age of free memory is the
   * time since it was last needed. All memory older than the {@linkplain
   * CachingAllocatorBuilder#decay idle time} is returned, and of younger memory a share that grows
   * with its age. Does nothing if the option is off, or within a twentieth of the idle time after
   * the last decay.
   *
   * <p>There is no background thread. Allocations that search the heap, and {@link #trim}, also
   * decay, so a program that keeps allocating need not call this method. A program that may become
   * idle while it shares its device should call it from a timer, a few times in each idle time.
   *
   * <p>Unused caches are emptied first. Memory that submitted work may still use is not returned.
   * Does not wait, except for the device if a stream was closed before it had completed the work
   * before its frees. Open private pools keep their memory.
   *
   * @return the bytes that were returned
   */
  public long decay() {
    long[] decayed = {0};
    main.gate.insideIfOpen(() -> decayed[0] = captured.relaxed(main::decay));
    return decayed[0];
  }

  @Override
  public AllocatorStatistics getStatistics() {
    return main.statistics.read();
  }

  /**
   * Returns every segment and block, and the usage by tag, at one moment. Callers of the allocator
   * wait meanwhile.
   */
  public AllocatorSnapshot getSnapshot() {
    List<TagUsage> tags = main.statistics.read().tags();
    return pools.standingStill(members -> SnapshotTaker.take(members, tags));
  }

  /**
   * Returns the latest events and a snapshot, both at one moment. Callers of the allocator wait
   * meanwhile.
   */
  public AllocatorRecording getRecording() {
    List<TagUsage> tags = main.statistics.read().tags();
    return pools.standingStill(
        members -> {
          HistoryRing kept = history;
          AllocatorHistory events = kept == null ? AllocatorHistory.NONE : kept.read();
          return new AllocatorRecording(SnapshotTaker.take(members, tags), events);
        });
  }

  /**
   * Returns the latest events.
   *
   * @throws NotSupportedException if no history is kept, see {@link
   *     CachingAllocatorBuilder#history}
   */
  public AllocatorHistory getHistory() {
    HistoryRing kept = history;
    if (kept == null) {
      throw new NotSupportedException(
          "no history is kept; call startHistory, or set the option history, such as"
              + " -Dvramkit.allocator.history=64MiB");
    }
    return kept.read();
  }

  /**
   * Starts to keep the latest events, and drops an earlier history. A block allocated before this
   * call only has an event for its close.
   *
   * @param bytes maximum bytes of the Java heap for events; at least 64 KiB
   * @param stacks whether events have the stack of the caller
   * @throws InvalidArgumentException for fewer bytes, or for more than the Java heap has room for;
   *     an earlier history then stays
   */
  public void startHistory(long bytes, boolean stacks) {
    if (bytes < Option.LEAST_HISTORY) {
      throw new InvalidArgumentException(
          "a history takes at least 64 KiB, not "
              + ByteSize.formatExact(bytes)
              + "; stopHistory ends it");
    }
    HistoryRing ring = new HistoryRing(bytes, stacks, options.get(Option.CLOCK));
    setHistory(ring, new HistoryWriter(ring, 0));
  }

  /** Stops keeping events, and drops the kept ones. Repeated calls have no effect. */
  public void stopHistory() {
    setHistory(null, PoolObserver.NONE);
  }

  /** Returns whether a history is kept. */
  public boolean isHistoryKept() {
    return history != null;
  }

  private synchronized void setHistory(@Nullable HistoryRing ring, PoolObserver observer) {
    history = ring;
    observers.setHistory(observer);
    pools.members().forEach(Arena::renewHistory);
  }

  /**
   * Writes the snapshot, and the history if one is kept, to a file for {@code ./vramkit view} and
   * PyTorch's memory viewer. Needs {@code vramkit-export} on the class path. The system property
   * {@code vramkit.snapshot-on-out-of-memory} names a folder for such files, one for each of the
   * first 8 out-of-memory errors of the JVM.
   *
   * @throws NotSupportedException without {@code vramkit-export}
   * @throws java.io.UncheckedIOException if the file cannot be written
   */
  public void writeSnapshot(Path file) {
    Objects.requireNonNull(file, "file");
    SnapshotWriter.find().write(device, getRecording(), file);
  }

  /**
   * Returns the statistics as a table of at most 80 columns: memory and allocations now, at the
   * peak, and in total, driver calls, and the largest tags and streams.
   */
  public String getSummary() {
    return AllocatorSummary.of(device, getLimit(), getStatistics());
  }

  /** Returns the cost of all work beyond cache hits. */
  public WorkStatistics getWorkStatistics() {
    return new WorkStatistics(
        main.statistics.searches(),
        observers.driver().count(),
        observers.driver().nanos(),
        observers.waits().count(),
        observers.waits().nanos());
  }

  @Override
  public void resetPeaks() {
    eachMember(each -> each.statistics.resetPeaks());
  }

  /**
   * Resets every peak to the current value, and all sums and counts to 0. Exact while no thread
   * allocates.
   */
  public void resetStatistics() {
    eachMember(each -> each.statistics.resetHistory());
    observers.reset();
  }

  /** Visits private pools first, because their claims count for the allocator too. */
  private void eachMember(Consumer<Arena> action) {
    List<Arena> members = pools.members();
    for (int i = members.size() - 1; i >= 0; i--) {
      action.accept(members.get(i));
    }
  }

  /**
   * Closes the allocator and returns all memory to the driver. If the driver fails, another call
   * returns the rest. On a lost device another call has no effect. The close of an allocator that
   * an error of the JVM has broken also returns the memory of open allocations.
   */
  @Override
  public void close() {
    pools.ending.toClose(
        () -> {
          if (!ended) {
            health.run(health.isBroken() ? this::abandon : this::closeIntact);
          }
        });
  }

  private void closeIntact() {
    try {
      if (!closed) {
        pools.quietly(
            () -> {
              requireNothingLive();
              shut();
              return true;
            });
      }
      giveAllBack();
      end();
    } catch (FatalDeviceException lost) {
      shut();
      pools.members().forEach(Arena::giveUpEvents);
      Batch.after(lost, this::end);
      throw lost;
    }
  }

  private void abandon() {
    pools.requireNoGraphs();
    closed = true;
    try {
      pools.abandon();
      end();
    } catch (FatalDeviceException lost) {
      Batch.after(lost, this::end);
      throw lost;
    }
  }

  PoolRegistry pools() {
    return pools;
  }

  private void requireNothingLive() {
    pools.requireNoGraphs();
    long live = main.statistics.liveCount();
    if (live != 0) {
      throw new IllegalStateException(
          "cannot close: "
              + Count.of(live, "open allocation")
              + " of "
              + ByteSize.format(main.statistics.liveBytes())
              + "; close first:"
              + SnapshotTaker.listLive(getSnapshot(), device));
    }
  }

  /** Refuses allocations from all pools from now on. */
  private void shut() {
    closed = true;
    pools.members().forEach(Arena::shut);
    scopes.update();
  }

  private void giveAllBack() {
    // Blocks closed before may still be carried to the heap.
    pools.members().forEach(each -> each.gate.awaitDeserted());
    pools.close();
    main.giveAllBack();
  }

  private void end() {
    ended = true;
    flight.close();
    captured.removeListener(captureListener);
    events.close();
  }

  /** Names the device alone, for other descriptions. */
  String describe() {
    return main.toString();
  }

  /** Names the device, the live and reserved bytes, and the limit. */
  @Override
  public String toString() {
    AllocatorStatistics now = getStatistics();
    long limit = getLimit();
    return describe()
        + ": live "
        + ByteSize.format(now.getLiveBytes())
        + " in "
        + Count.of(now.allocations().current(), "allocation")
        + ", reserved "
        + ByteSize.format(now.reserved().current())
        + (limit == Long.MAX_VALUE ? "" : ", limit " + ByteSize.format(limit))
        + (closed ? ", closed" : "");
  }
}
