package org.vramkit.pool.caching;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.allocator.Tags;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.internal.arena.Arena;
import org.vramkit.pool.caching.internal.arena.SnapshotTaker;
import org.vramkit.pool.caching.internal.arena.Standstill;
import org.vramkit.pool.caching.internal.heap.HeldChunks;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.support.StackRoom;
import org.vramkit.pool.support.TrimTarget;

/**
 * Memory of a caching allocator set apart: segments of its own, which serve nobody else while it is
 * open. What it holds counts in the statistics, the snapshot and the limit of the allocator. Made
 * by {@link CachingAllocator#createPool}. Safe for any thread.
 *
 * <p>Memory comes from it in either of two ways: through {@link #getAllocator}, which can be handed
 * to whoever is to use the pool, or for all that one thread allocates while a {@link #use scope} is
 * open.
 *
 * <p>When the allocator is trimmed an open pool keeps its free memory. Once it is closed and the
 * last scope has ended it gives back what is free; allocations that are still open stay valid, and
 * their memory goes back with a later trim of the allocator, or before anybody runs out of memory.
 */
public final class PrivatePool implements AutoCloseable {
  final PrivatePoolOptions options;
  private final long id;
  private final PrivatePools pools;
  private final Supplier<Arena> factory;
  private final ThreadScopes routes;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Its open scopes and graphs, and one while it is not closed. */
  private final AtomicInteger uses = new AtomicInteger(1);

  /** Captures into it that were begun and perhaps not ended. */
  private final Set<PoolCapture> captures = ConcurrentHashMap.newKeySet();

  /** Its inside, once it is used. */
  private volatile @Nullable Arena core;

  /** Whether nothing is made inside any more. Set under the monitor. */
  private volatile boolean shut;

  private boolean gone;

  /**
   * A pool that nobody has used yet.
   *
   * @param factory makes its inside
   */
  PrivatePool(
      long id,
      PrivatePools pools,
      ThreadScopes routes,
      PrivatePoolOptions options,
      Supplier<Arena> factory) {
    this.id = id;
    this.pools = pools;
    this.routes = routes;
    this.options = options;
    this.factory = factory;
  }

  /** Its number: larger than that of every pool of the allocator that was made before; from 1. */
  public long getId() {
    return id;
  }

  /** Its open scopes and graphs, and one more while it is not closed. */
  public int getUseCount() {
    return uses.get();
  }

  /** Whether it was closed; scopes may still be open. */
  public boolean isClosed() {
    return closed.get();
  }

  /**
   * Has all that this thread allocates through the allocator come from this pool, until the scope
   * is closed. What other threads allocate is not concerned.
   *
   * @throws ClosedException if the pool is closed
   */
  public PoolScope use() {
    if (isClosed() || !retain()) {
      throw closedError();
    }
    boolean opened = false;
    try {
      PoolScope scope = routes.open(this);
      opened = true;
      return scope;
    } finally {
      if (!opened) {
        release();
      }
    }
  }

  /**
   * Captures a stream into a graph whose memory is of this pool: what this thread allocates through
   * the allocator until the capture is ended, and what anybody allocates through {@link
   * #getAllocator}, on streams that are captured. The graph holds the memory until it is closed,
   * also where the allocations, or this pool, are closed before. Until then the pool serves
   * captures only, gives nothing back and moves nothing.
   *
   * <p>Where the pool has served before, this waits for the streams that it served.
   *
   * <p>Several graphs of one pool may share memory. As with any memory, launches that do are to be
   * ordered; and each of them may overwrite what another one left.
   *
   * @param stream of the allocator's device, and not its default stream
   * @return the capture; the caller ends and closes it
   * @throws ClosedException if the pool is closed
   * @throws org.vramkit.api.error.CaptureException if the stream cannot be captured
   * @throws org.vramkit.api.error.NotSupportedException if the device has no graphs
   */
  public PoolCapture capture(Stream stream) {
    Objects.requireNonNull(stream, "stream");
    Graphs graphs = getDevice().getGraphs();
    PoolScope scope = use();
    boolean begun = false;
    try {
      PoolCapture capture = new PoolCapture(stream, scope::close, toString(), this::endGraph);
      Arena used = requireCore();
      // A launch on any stream uses again what the pool's streams freed before the capture.
      used.trimming.awaitStreams();
      beginGraph(used);
      try {
        pools.beginCapture(() -> graphs.beginCapture(stream));
        begun = true;
        captures.removeIf(PoolCapture::isEnded);
        captures.add(capture);
        return capture;
      } finally {
        if (!begun) {
          endGraph();
        }
      }
    } finally {
      if (!begun) {
        scope.close();
      }
    }
  }

  private Arena requireCore() {
    Arena used = core;
    if (used == null) {
      used = makeCore();
    }
    if (used == null) {
      throw closedError();
    }
    return used;
  }

  private void beginGraph(Arena used) {
    if (!retain()) {
      throw closedError();
    }
    used.beginGraph();
  }

  /** A graph is closed, or nothing came of its capture: one hold and one use less. */
  private void endGraph() {
    Arena used = core;
    if (used != null) {
      used.endGraph();
    }
    release();
  }

  /** How many captures and graphs hold its memory. */
  public int getGraphCount() {
    Arena used = core;
    return used == null ? 0 : used.graphs();
  }

  /** Refuses memory for what is captured elsewhere, and for anything else while graphs hold it. */
  private void requireRightStream(long bytes, Stream stream) {
    int graphs = getGraphCount();
    boolean capturing = bytes > 0 && pools.captured().has(stream);
    if (capturing && graphs == 0) {
      throw new CaptureException(
          "cannot allocate "
              + ByteSize.format(bytes)
              + " from "
              + this
              + " on "
              + stream
              + " while it is captured: the graph would not hold the memory; begin the capture with"
              + " PrivatePool.capture");
    }
    if (bytes > 0 && graphs > 0 && !capturing) {
      throw new CaptureException(
          "cannot allocate "
              + ByteSize.format(bytes)
              + " from "
              + this
              + " on "
              + stream
              + ", which is not captured: "
              + Count.of(graphs, "graph")
              + " use the memory of the pool with each launch; allocate from the allocator outside"
              + " of the capture, or let the stream wait for an event of the capture first");
    }
  }

  /**
   * The pool as an allocator, for any thread and whatever scopes are open. Its figures are those of
   * the pool alone; trimming it gives back memory that the pool would keep. Closing it does
   * nothing.
   */
  public Allocator getAllocator() {
    return new PoolAllocator(this);
  }

  /**
   * Every segment and block of this pool, and usage by tag in it, at one moment. Users of the pool
   * wait while it is taken.
   */
  public AllocatorSnapshot getSnapshot() {
    Arena used = core;
    if (used == null) {
      return new AllocatorSnapshot(List.of(), 0, List.of());
    }
    List<TagUsage> tags = used.statistics.read().tags();
    List<Arena> alone = List.of(used);
    return Standstill.of(alone, () -> SnapshotTaker.take(alone, tags));
  }

  /**
   * Whether these allocations, and no others, live in this pool: tells that a step has closed what
   * it was to close, and kept the rest. Closed allocations live in no pool, and empty ones need
   * none. Exact at a quiet moment.
   */
  public boolean holdsExactly(Collection<? extends Allocation> allocations) {
    Set<Long> expected = new HashSet<>();
    for (Allocation each : allocations) {
      if (each.isClosed()) {
        return false;
      }
      if (each.getSize() > 0) {
        expected.add(each.getAddress());
      }
    }
    Set<Long> live = new HashSet<>();
    getSnapshot()
        .segments()
        .forEach(
            segment ->
                segment.blocks().stream()
                    .filter(block -> block.state() == BlockState.LIVE)
                    .forEach(block -> live.add(block.address())));
    return live.equals(expected);
  }

  /**
   * Ends what threads left open here that have finished: scopes, and captures, which no other
   * thread can end. Not from inside of a call.
   */
  void closeFinished() {
    captures.forEach(PoolCapture::closeIfFinished);
    captures.removeIf(PoolCapture::isEnded);
    routes.closeFinished();
  }

  /**
   * Ends it. Gives free memory back, after a wait for streams that still use some; unless scopes
   * are open, then with the last of them. Allocations of it stay valid. Harmless when repeated.
   */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      closeFinished();
      release();
    }
  }

  @Override
  public String toString() {
    return getWords() + (isClosed() ? ", closed" : "");
  }

  private String getWords() {
    return "private pool " + id + " of device " + getDevice().getOrdinal();
  }

  private boolean retain() {
    return uses.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
  }

  /** One use less. */
  void release() {
    if (uses.decrementAndGet() == 0) {
      pools.end(this);
    }
  }

  private ClosedException closedError() {
    return new ClosedException(getWords(), "it allocates no memory any more", "make a new one");
  }

  // ---- inside ----

  Device getDevice() {
    return pools.getDevice();
  }

  /** What is inside; null as long as nobody has used it. */
  @Nullable Arena core() {
    return core;
  }

  /**
   * Makes what is inside, unless another thread has; null if the pool has ended without it. While
   * somebody looks at all pools alone none is made. Not from inside of a call.
   */
  private @Nullable Arena makeCore() {
    return pools.inside(
        () -> {
          synchronized (this) {
            if (core == null && !shut) {
              pools.enter(
                  () -> {
                    Arena made = factory.get();
                    // The limit may have changed since, while it was not among the pools yet.
                    made.adoptLimit();
                    core = made;
                  });
            }
            return core;
          }
        });
  }

  /** Bytes that it reserves and no live allocation holds. */
  long keptBytes() {
    Arena used = core;
    return used == null ? 0 : used.heap.books.held() - new HeldChunks(used.heap).bytes();
  }

  /** What has it give back what it keeps, while it has not ended. */
  String remedy() {
    if (getGraphCount() > 0) {
      return "close the graphs of " + getWords() + (isClosed() ? "" : " and trim it");
    }
    if (isClosed()) {
      return "end the open scopes of " + getWords();
    }
    return (getUseCount() > 1 ? "trim " : "close or trim ") + getWords();
  }

  Allocation allocate(long bytes, Stream stream) {
    return allocate(bytes, SizeRules.ALIGNMENT, stream);
  }

  Allocation allocate(long bytes, long alignment, Stream stream) {
    Allocation allocation =
        isClosed() ? null : tryAllocate(bytes, alignment, stream, Tags.current());
    if (allocation == null) {
      throw closedError();
    }
    return allocation;
  }

  /** Null if it has ended. */
  @Nullable Allocation tryAllocate(long bytes, long alignment, Stream stream, String tag) {
    StackRoom.forMiss();
    requireRightStream(bytes, stream);
    try {
      Arena used = core;
      if (used == null) {
        used = makeCore();
      }
      return used == null || used.calls.isShut()
          ? null
          : used.allocate(bytes, alignment, stream, tag);
    } catch (ClosedException e) {
      if (isShut()) {
        return null;
      }
      throw e;
    }
  }

  void resetPeaks() {
    Arena used = core;
    if (used != null) {
      pools.resetPeaksOf(used);
    }
  }

  void trim(long keepBytes) {
    TrimTarget.requireNotNegative(keepBytes);
    Arena used = core;
    if (used != null && used.calls.enter()) {
      try {
        used.trimming.trimOwn(keepBytes);
      } finally {
        used.calls.leave();
      }
    }
  }

  /** Whether no scope can be opened any more and none is open. */
  boolean isEnded() {
    return uses.get() == 0;
  }

  /** Its allocator is closed, whatever scopes are open. */
  void markClosed() {
    closed.set(true);
    shut();
  }

  /** Nobody allocates here from now on; who is inside may end what was begun. */
  void shut() {
    synchronized (this) {
      shut = true;
    }
    Arena used = core;
    if (used != null) {
      used.admission.shut();
    }
  }

  private boolean isShut() {
    Arena used = core;
    return used == null ? shut : used.calls.isShut();
  }

  /** Whether it holds nothing. */
  boolean isEmpty() {
    Arena used = core;
    return used == null || used.statistics.isNothingHeld();
  }

  /** Waits until nobody is inside, once it is shut. */
  void awaitDeserted() {
    Arena used = core;
    if (used != null) {
      used.calls.awaitDeserted();
    }
  }

  private boolean isDeserted() {
    Arena used = core;
    return used == null ? shut : used.calls.isDeserted();
  }

  /** Gives up the rest of an ended pool that holds nothing any more; true for the call that did. */
  synchronized boolean vanish() {
    if (gone || !isDeserted() || !isEmpty()) {
      return false;
    }
    Arena used = core;
    if (used != null) {
      used.giveUpHeap();
    }
    gone = true;
    return true;
  }
}
