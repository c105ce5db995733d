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
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.allocator.Tags;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.caching.internal.arena.Arena;
import org.vramkit.pool.caching.internal.arena.PoolRegistry;
import org.vramkit.pool.caching.internal.arena.SnapshotTaker;
import org.vramkit.pool.caching.internal.cache.ArenaGate;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.flight.FlightLog;
import org.vramkit.pool.caching.internal.heap.MoveBudget;
import org.vramkit.pool.caching.internal.history.HistoryObserver;
import org.vramkit.pool.caching.internal.history.HistoryRing;
import org.vramkit.pool.caching.internal.history.NoHistory;
import org.vramkit.pool.caching.internal.leak.LeakDetector;
import org.vramkit.pool.caching.internal.leak.LeakTeller;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.EventPool;
import org.vramkit.pool.support.TrimTarget;

/**
 * Memory of one device, kept and handed out again instead of going back to the driver. Safe for any
 * thread; allocations may be closed by any thread.
 */
public final class CachingAllocator implements Allocator, AllocatorManagement.Managed {
  private final Device device;
  private final AtomicReference<OutOfMemoryHandler> outOfMemoryHandler;
  private final CapturedStreams captured;
  private final EventPool events;
  private final PoolRegistry pools;
  private final Arena main;
  private volatile @Nullable HistoryRing history;
  private final CachingAllocatorOptions options;
  private final FlightLog flight;
  private final PoolObserver.All observers;

  private final ThreadScopes routes = new ThreadScopes(this::detour);

  /** Hears of captures, as long as it is open. */
  private final Runnable captureListener = routes::tell;

  private volatile boolean closed;

  /** Whether nothing is left to give back. Guarded by {@link PoolRegistry#ending}. */
  private boolean ended;

  /** Whether it is closed, some thread allocates from private pools, or a stream is captured. */
  private volatile boolean detoured;

  CachingAllocator(Device device, boolean pages, CachingAllocatorOptions options) {
    this.device = device;
    this.outOfMemoryHandler = new AtomicReference<>(options.outOfMemoryHandler());
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
                pages,
                options,
                events,
                captured,
                new MoveBudget(options.moveTime(), options.clock()),
                this::getOutOfMemoryHandler,
                observers,
                () -> history,
                new LeakDetector(options, new LeakTeller(options.leakListener(), observers)),
                refusal -> OutOfMemorySnapshots.take(refusal, device, this::writeSnapshot)));
    this.main = pools.main;
    if (options.historyBytes() > 0) {
      startHistory(options.historyBytes(), options.historyStacks());
    }
    captured.addListener(captureListener);
    flight.start();
  }

  /**
   * Settings for an allocator of this device's memory. They begin as the system properties {@code
   * vramkit.allocator.NAME} say, else as the environment variable {@code VRAMKIT_ALLOCATOR_CONF}
   * does, by {@code name=value,name=value}, else as by default. Names and values are those of
   * {@link CachingAllocatorBuilder#set}.
   *
   * @throws InvalidArgumentException if one of those names no option, naming those there are, or if
   *     a value does not fit
   */
  public static CachingAllocatorBuilder builder(Device device) {
    CachingAllocatorBuilder builder = new CachingAllocatorBuilder(device);
    ConfiguredOptions.apply(builder, System.getenv(), System.getProperties());
    return builder.begunOutside();
  }

  /** An allocator with the settings of {@link #builder}. */
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

  /**
   * Takes memory before anybody asks for it, which is nobody's then.
   *
   * @throws DeviceOutOfMemoryException if it cannot be had
   */
  void reserve(long bytes) {
    main.reserve(bytes);
  }

  Allocation allocate(long bytes, Stream stream, String tag) {
    return detoured
        ? allocateRouted(bytes, SizeRules.ALIGNMENT, stream, tag)
        : main.allocate(bytes, stream, tag);
  }

  // The way of a close: CachingAllocation.close, ThreadCache.close.

  // ---- beside it ----

  /**
   * Allocates memory whose address is a multiple of more than 256, as some libraries want it for
   * their work. Kept and reused like any other; may take a little more memory where none that is
   * free lies right.
   *
   * @param alignment a power of two up to 2 MiB
   * @throws InvalidArgumentException if it is none, or as {@link #allocate(long, Stream)} does
   * @see #allocate(long, Stream)
   */
  @Override
  public Allocation allocateAligned(long bytes, long alignment, Stream stream) {
    SizeRules.requireAlignment(alignment);
    return allocate(bytes, alignment, stream, Tags.current());
  }

  /** The same for an alignment that is one. */
  Allocation allocate(long bytes, long alignment, Stream stream, String tag) {
    ArenaGate.requireStack();
    return detoured
        ? allocateRouted(bytes, alignment, stream, tag)
        : main.allocate(bytes, alignment, stream, tag);
  }

  private Allocation allocateRouted(long bytes, long alignment, Stream stream, String tag) {
    Allocation routed = findRouted(bytes, alignment, stream, tag);
    if (routed != null) {
      return routed;
    }
    captured.refuseOutside(bytes, stream);
    return main.allocate(bytes, alignment, stream, tag);
  }

  /** What the pool gives that this thread's innermost scope leads to; null if none is open. */
  private @Nullable Allocation findRouted(long bytes, long alignment, Stream stream, String tag) {
    requireOpen();
    for (PoolScope scope = routes.find(); scope != null; scope = routes.find()) {
      Allocation routed = scope.tryAllocate(bytes, alignment, stream, tag);
      if (routed != null) {
        return routed;
      }
      // Another thread has closed the scope just now, or the whole allocator.
      requireOpen();
    }
    return null;
  }

  private void requireOpen() {
    if (closed) {
      throw main.gate.closedError();
    }
  }

  private void detour(boolean anyScopeOpen) {
    detoured = closed || anyScopeOpen || captured.isAny();
  }

  /**
   * Records a use by any address inside a live allocation, for callers that have no handle. Walks
   * the blocks: use {@link Allocation#recordUse} where speed matters.
   *
   * @param address first byte or any other of a live allocation
   * @param stream who uses it
   * @return false if no live allocation holds that address
   */
  public boolean recordUse(long address, Stream stream) {
    main.requireUser(stream);
    for (Arena each : pools.members()) {
      Boolean live = each.recordUse(address, stream);
      if (live != null) {
        return live;
      }
    }
    return false;
  }

  /**
   * The same allocator under a name: what is allocated through it is listed under the tag in
   * statistics, snapshots and out-of-memory reports, whatever scope of {@link Tags} is open.
   * Closing it does nothing.
   *
   * @param tag for people, such as {@code weights}
   */
  public Allocator tagged(String tag) {
    return new TaggedAllocator(this, Objects.requireNonNull(tag, "tag").isEmpty() ? "" : tag);
  }

  /** A private pool with the default options. */
  public PrivatePool createPool() {
    return createPool(PrivatePoolOptions.DEFAULT);
  }

  /**
   * A part of this allocator with memory of its own. Takes no memory yet.
   *
   * @return the pool; the caller closes it, or this allocator's close does
   * @throws ClosedException if this allocator is closed
   */
  public PrivatePool createPool(PrivatePoolOptions poolOptions) {
    Objects.requireNonNull(poolOptions, "poolOptions");
    return main.gate.inside(
        () -> new PrivatePool(pools.nextId(), pools, routes, poolOptions, null));
  }

  /** The limit in bytes that was set; {@link Long#MAX_VALUE} for none. */
  public long getLimit() {
    return main.heap.books.limitOfAll();
  }

  /**
   * Changes the limit. What is reserved beyond it stays until it is trimmed.
   *
   * @param bytes not negative
   */
  public void setLimit(long bytes) {
    if (bytes < 0) {
      throw new InvalidArgumentException("limit must not be negative: " + bytes);
    }
    main.heap.books.limit(bytes);
    pools.members().forEach(Arena::adoptLimit);
  }

  /** Who is asked before an allocation fails. */
  public OutOfMemoryHandler getOutOfMemoryHandler() {
    return Objects.requireNonNull(outOfMemoryHandler.get());
  }

  /**
   * Changes who is asked before an allocation fails, from this allocator and its private pools.
   *
   * @param handler {@link OutOfMemoryHandler#NONE} for nobody
   */
  public void setOutOfMemoryHandler(OutOfMemoryHandler handler) {
    outOfMemoryHandler.set(Objects.requireNonNull(handler, "handler"));
  }

  /**
   * The size of the block that a request takes: what it adds to {@link
   * AllocatorStatistics#allocated}. A block from a cache may be larger.
   *
   * @param bytes not negative
   * @throws InvalidArgumentException if that is negative, or above 1 EiB
   */
  public long sizeOf(long bytes) {
    if (bytes < 0 || bytes > SizeRules.MAX_REQUEST) {
      throw new InvalidArgumentException(
          "no block has " + bytes + " bytes: wanted from 0 to 1 EiB");
    }
    return bytes == 0 ? 0 : main.sizeOf(bytes);
  }

  /** Gives all free memory back to the driver: {@code trim(0)}. */
  public void emptyCache() {
    trim(0);
  }

  /**
   * Gives free memory back to the driver until at most so much is reserved. If that is not reached
   * with what is known to be free, waits for closed allocations that other streams still use, and
   * once for each stream whose frees are not passed yet. Private pools that are open keep theirs.
   */
  @Override
  public void trim(long keepBytes) {
    TrimTarget.requireNotNegative(keepBytes);
    pools.closeFinished();
    if (main.gate.enter()) {
      try {
        pools.drainEnded(keepBytes, true);
        main.trimming.trim(keepBytes);
        if (!main.gate.isShut()) {
          main.maybeDecay();
        }
      } finally {
        main.gate.leave();
      }
    }
  }

  /**
   * Gives memory back to the driver that has been free for some time. The age of free memory is the
   * time since it was last needed. Memory older than {@link CachingAllocatorBuilder#decay the idle
   * time} goes back as a whole. Of younger memory a share goes back, which grows with the age. Does
   * nothing where the option is off, or where it was done within the last twentieth of the idle
   * time.
   *
   * <p>No thread does this in the background: an allocator that nobody calls does not decay by
   * itself. Allocations that miss the caches and {@link #trim} do it beside their own work, so a
   * program that is busy at times need not call it. One that may fall silent, and shares its
   * device, has it called by a timer, a few times in each idle time.
   *
   * <p>Caches that nothing was taken from are emptied first. Nothing goes back that work submitted
   * so far may still use, and nothing is waited for; unless a stream was closed whose frees are not
   * passed yet, then for the device. Private pools that are open keep theirs.
   *
   * @return bytes given back
   */
  public long decay() {
    if (!main.gate.enter()) {
      return 0;
    }
    try {
      return captured.relaxed(main::decay);
    } finally {
      main.gate.leave();
    }
  }

  @Override
  public AllocatorStatistics getStatistics() {
    return main.statistics.read();
  }

  /**
   * Every segment and block, and usage by tag, at one moment. Callers of the allocator wait while
   * it is taken.
   */
  public AllocatorSnapshot getSnapshot() {
    List<TagUsage> tags = main.statistics.read().tags();
    return pools.standingStill(members -> SnapshotTaker.take(members, tags));
  }

  /**
   * The latest events and the snapshot that they lead to, of one moment. Callers of the allocator
   * wait while it is taken.
   */
  public AllocatorRecording getRecording() {
    List<TagUsage> tags = main.statistics.read().tags();
    return pools.standingStill(
        members -> {
          HistoryRing kept = history;
          AllocatorHistory events = kept == null ? new NoHistory() : kept.read();
          return new AllocatorRecording(SnapshotTaker.take(members, tags), events);
        });
  }

  /**
   * The latest events, as they are now.
   *
   * @throws NotSupportedException if none are kept, see {@link CachingAllocatorBuilder#history}
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
   * Keeps the latest events from now on, as {@link CachingAllocatorBuilder#history} does from the
   * beginning. Forgets those of a history before. Of a block that is older the close is an event,
   * its allocation is not.
   *
   * @param bytes of the JVM's memory for encoded events, from 64 KiB on
   * @param stacks whether each event has the stack of its caller
   * @throws InvalidArgumentException for fewer bytes
   */
  @Override
  public void startHistory(long bytes, boolean stacks) {
    if (bytes < CachingAllocatorOptions.LEAST_HISTORY) {
      throw new InvalidArgumentException(
          "a history takes at least 64 KiB, not "
              + ByteSize.formatExact(bytes)
              + "; stopHistory ends it");
    }
    HistoryRing ring =
        new HistoryRing(
            bytes,
            stacks,
            options.clock(),
            options.clock() != CachingAllocatorOptions.SYSTEM_CLOCK);
    setHistory(ring, new HistoryObserver(ring));
  }

  /** Keeps events no longer, and forgets those that were kept. Harmless when none are. */
  @Override
  public void stopHistory() {
    setHistory(null, PoolObserver.NONE);
  }

  /** Tells whether events are kept now. */
  @Override
  public boolean isHistoryKept() {
    return history != null;
  }

  private synchronized void setHistory(@Nullable HistoryRing ring, PoolObserver observer) {
    ArenaGate.requireStack();
    history = ring;
    observers.setHistory(observer);
    pools.members().forEach(Arena::renewHistory);
  }

  /**
   * Writes the snapshot, and the history if one is kept, to a file that {@code ./vramkit view} and
   * PyTorch's memory viewer show. Needs {@code vramkit-export} on the class path. The system
   * property {@code vramkit.snapshot-on-out-of-memory} names a folder in which this is done at each
   * of the first 8 out-of-memory errors of the JVM.
   *
   * @throws NotSupportedException if {@code vramkit-export} is not there
   * @throws java.io.UncheckedIOException if the file cannot be written
   */
  @Override
  public void writeSnapshot(Path file) {
    Objects.requireNonNull(file, "file");
    SnapshotWriter.find().write(device, getRecording(), file);
  }

  /**
   * The figures as a table for people, at most 80 columns wide: memory and allocations now, at the
   * peak, and in all, what the driver was asked for, and the largest tags and streams.
   */
  @Override
  public String getSummary() {
    return AllocatorSummary.of(device, getLimit(), getStatistics());
  }

  /** The part of small and of large requests in some of those figures. */
  public SizeStatistics getSizeStatistics() {
    return main.statistics.readBySize();
  }

  /** The cost of allocations that were no cache hits. */
  public WorkStatistics getWorkStatistics() {
    return new WorkStatistics(
        main.heap.books.searches.sum(),
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
   * Makes every peak the current value, and counts all that happens anew: what was ever added and
   * removed, cache hits, misses, calls of the driver. What is held stays. Exact at a quiet moment.
   */
  public void resetStatistics() {
    eachMember(each -> each.statistics.resetHistory());
    observers.reset();
  }

  /** The pools first: what they have claimed ahead counts in the figure over all. */
  private void eachMember(Consumer<Arena> action) {
    List<Arena> members = pools.members();
    for (int i = members.size() - 1; i >= 0; i--) {
      action.accept(members.get(i));
    }
  }

  /**
   * Gives all memory back to the driver, and events. Where the driver fails it goes on from there
   * when it is called again; a lost device has taken its memory along, and nothing is left to do.
   */
  @Override
  public void close() {
    ArenaGate.requireStack();
    pools.ending.lock();
    try {
      if (ended) {
        return;
      }
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
    } finally {
      pools.ending.unlock();
    }
  }

  /** Its pools, the default one first. */
  PoolRegistry pools() {
    return pools;
  }

  private void requireNothingLive() {
    pools.requireNoGraphs();
    long live = main.statistics.liveCount();
    // Of a broken pool some may have been lost on their way, which cannot be closed.
    if (live != 0 && !pools.isAnyBroken()) {
      throw new IllegalStateException(
          "cannot close: "
              + Count.of(live, "open allocation")
              + " of "
              + ByteSize.format(main.statistics.liveBytes())
              + "; close first:"
              + SnapshotTaker.listLive(getSnapshot(), device.getMemoryObserver()));
    }
  }

  /** Nobody allocates from now on, from whichever pool. */
  private void shut() {
    closed = true;
    pools.members().forEach(each -> each.gate.shut());
    routes.tell();
  }

  private void giveAllBack() {
    // What was closed before may be on its way home.
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

  /** The device alone, for descriptions that have it in them. */
  String getWords() {
    return main.toString();
  }

  /** Names the device, with what is live, reserved and allowed now. */
  @Override
  public String toString() {
    AllocatorStatistics now = getStatistics();
    long limit = getLimit();
    return getWords()
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
