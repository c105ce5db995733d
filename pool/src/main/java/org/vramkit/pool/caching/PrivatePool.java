package org.vramkit.pool.caching;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Figure;
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
import org.vramkit.pool.caching.internal.arena.PoolRegistry;
import org.vramkit.pool.caching.internal.arena.SnapshotTaker;
import org.vramkit.pool.caching.internal.arena.Standstill;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.support.Sizes;
import org.vramkit.pool.support.Streams;

/**
 * A part of a caching allocator's memory, with its own segments. While the pool is open, its
 * segments serve only allocations from the pool. Its memory counts in the statistics, the snapshot
 * and the limit of the allocator. Created by {@link CachingAllocator#createPool}. Thread-safe.
 *
 * <p>Programs allocate from a pool in two ways: on any thread through {@link #getAllocator}, or on
 * one thread by opening a {@link #use scope}. While a scope is open, all allocations that its
 * thread makes through the allocator come from the pool.
 *
 * <p>An open pool keeps its free memory when the allocator is trimmed. The free memory returns to
 * the driver once the pool is closed and its last scope has ended. Open allocations stay valid, and
 * their memory returns when they are closed. If a stream still uses it then, it returns once a
 * later allocation of any pool of the allocator needs memory from the driver, or with a trim.
 */
public final class PrivatePool implements AutoCloseable {
  final PrivatePoolOptions options;
  private final long id;
  private final PoolRegistry pools;
  private final ThreadScopes scopes;

  /** Captures into this pool; ended ones are removed later. */
  private final Set<PoolCapture> captures = ConcurrentHashMap.newKeySet();

  /** The implementation; null until a call needs it. */
  private volatile @Nullable Arena arena;

  private volatile boolean closed;

  /**
   * Creates a pool without memory.
   *
   * @param arena the implementation; null to create it when a call needs it
   */
  PrivatePool(
      long id,
      PoolRegistry pools,
      ThreadScopes scopes,
      PrivatePoolOptions options,
      @Nullable Arena arena) {
    this.id = id;
    this.pools = pools;
    this.scopes = scopes;
    this.options = options;
    this.arena = arena;
  }

  /**
   * Returns the implementation, created by the first call that needs it. Must not be called from
   * inside a call.
   */
  Arena arena() {
    Arena known = arena;
    return known == null ? makeArena() : known;
  }

  private Arena makeArena() {
    Arena made;
    boolean open = pools.main.gate.enter();
    try {
      synchronized (this) {
        Arena other = arena;
        made = other == null ? pools.add(id, options.limitBytes(), options.source(), open) : other;
        arena = made;
      }
    } finally {
      if (open) {
        pools.main.gate.leave();
      }
    }
    made.whenThreadsFinish(this::closeFinished);
    if (closed) {
      made.close();
    }
    return made;
  }

  /** Returns the number of the pool, from 1; later pools of an allocator have larger numbers. */
  public long getId() {
    return id;
  }

  /** Returns the number of open scopes and graphs, plus one while the pool is not closed. */
  public int getUseCount() {
    Arena used = arena;
    return used != null ? used.uses() : closed ? 0 : 1;
  }

  /** Returns whether the pool is closed; scopes may still be open. */
  public boolean isClosed() {
    Arena used = arena;
    return closed || (used == null ? pools.main.gate.isShut() : used.isClosed());
  }

  /**
   * Opens a scope. Until the scope is closed, allocations that this thread makes through the
   * allocator come from this pool. Other threads are not affected.
   *
   * @throws ClosedException if the pool is closed
   */
  public PoolScope use() {
    if (isClosed() || !arena().retain()) {
      throw closedError();
    }
    boolean opened = false;
    try {
      PoolScope scope = scopes.open(this);
      opened = true;
      return scope;
    } finally {
      if (!opened) {
        arena().release();
      }
    }
  }

  /**
   * Captures a stream into a graph whose memory comes from this pool. Until the capture ends, the
   * pool serves allocations on captured streams: those that this thread makes through the
   * allocator, and those that any thread makes through {@link #getAllocator}. The graph keeps the
   * memory until it is closed, even if the allocations or this pool are closed before. Until then
   * the pool serves only captures, and neither returns nor moves memory.
   *
   * <p>If the pool has served streams before, the call waits for these streams.
   *
   * <p>Graphs of one pool may share memory. Order their launches, because each launch may overwrite
   * memory that another launch uses.
   *
   * @param stream a stream of the allocator's device, other than the default stream
   * @return the capture; the caller ends and closes it
   * @throws ClosedException if the pool is closed
   * @throws IllegalStateException if the pool is suspended
   * @throws org.vramkit.api.error.CaptureException if the stream cannot be captured
   * @throws org.vramkit.api.error.NotSupportedException if the device has no graphs
   */
  public PoolCapture capture(Stream stream) {
    Streams.refuseForeign(stream, getDevice(), "the pool");
    if (arena().suspension.isSuspended()) {
      throw arena().suspension.refusal("begin a capture into");
    }
    Graphs graphs = getDevice().getGraphs();
    PoolScope scope = use();
    boolean begun = false;
    try {
      PoolCapture capture = new PoolCapture(stream, scope::close, toString(), this::endGraph);
      // A launch on any stream reuses memory that the pool's streams freed before the capture.
      arena().trimming.awaitStreams();
      beginGraph();
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

  private void beginGraph() {
    if (!arena().retain()) {
      throw closedError();
    }
    arena().beginGraph();
  }

  /** Ends the hold and the use of a graph that was closed, or whose capture failed. */
  private void endGraph() {
    arena().endGraph();
    arena().release();
  }

  /** Returns the number of captures and graphs that keep memory of the pool. */
  public int getGraphCount() {
    Arena used = arena;
    return used == null ? 0 : used.graphs();
  }

  /**
   * Returns the device memory of this pool to the driver and keeps the addresses. Allocations stay
   * open, and have memory again after {@link #resume}. Free memory of the pool does not come back.
   * Once the call returns, other programs can allocate the memory.
   *
   * <p>The contents are copied on {@code stream}, after the work submitted so far to the pool's
   * streams and to streams with recorded uses. The caller must order work of other streams before
   * the copies. Until the resume no work may access the memory.
   *
   * <p>A suspended pool serves no allocation and no capture until the resume. Closing an allocation
   * frees it as usual. The pool keeps the host memory for the next suspension, until the pool is
   * trimmed or has ended. What should go by itself, such as a cache beside weights, needs a pool of
   * its own.
   *
   * <p>If the driver fails, no contents are lost. The pool is unchanged or, if some memory was
   * already returned or copies may be in progress, {@linkplain #isSuspended suspended}, and can be
   * resumed.
   *
   * @param backup whether the contents of allocations are kept
   * @param stream a stream of the allocator's device, which runs the copies
   * @throws ClosedException if the pool or the stream is closed
   * @throws IllegalStateException if the pool is already suspended
   * @throws CaptureException while a stream is captured, or graphs hold memory of the pool
   * @throws org.vramkit.api.error.NotSupportedException if the pool has no virtual memory
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the host has too little memory
   */
  public void suspend(Backup backup, Stream stream) {
    Objects.requireNonNull(backup, "backup");
    Objects.requireNonNull(stream, "stream");
    if (!arena().retain()) {
      throw closedError();
    }
    try {
      arena().suspension.suspend(backup, stream);
    } finally {
      arena().release();
    }
  }

  /**
   * Ends the suspension. All open allocations have memory at their addresses again. It has the
   * former contents if these were kept. The call returns once the contents are copied, so any
   * stream may use them. If memory is short, this pool and other pools of the allocator return free
   * memory first. A closed pool can be resumed too.
   *
   * <p>If the resume fails, the pool stays suspended, and can be resumed later.
   *
   * @param stream a stream of the allocator's device, which runs the copies
   * @throws ClosedException if the stream is closed
   * @throws IllegalStateException if the pool is not suspended
   * @throws org.vramkit.api.error.NotSupportedException if the pool has no virtual memory
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the device or the limit has too
   *     little memory
   */
  public void resume(Stream stream) {
    Objects.requireNonNull(stream, "stream");
    arena().suspension.resume(stream);
  }

  /** Returns whether the pool is suspended. */
  public boolean isSuspended() {
    Arena used = arena;
    return used != null && used.suspension.isSuspended();
  }

  /** Returns the bytes of device memory that the suspended pool has returned to the driver. */
  public long getSuspendedBytes() {
    Arena used = arena;
    return used == null ? 0 : used.heap.stats.current(Figure.SUSPENDED);
  }

  /**
   * Refuses an allocation on a captured stream if no capture or graph holds memory of this pool,
   * and an allocation on any other stream if one does.
   */
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
              + (graphs == 1 ? " uses" : " use")
              + " the memory of the pool with each launch; allocate from the allocator outside of"
              + " the capture, or let the stream wait for an event of the capture first");
    }
  }

  /**
   * Returns the pool as an allocator, which any thread may use whether or not scopes are open. Its
   * statistics cover this pool alone. Its trim returns free memory even while the pool is open, and
   * its close does nothing.
   */
  public Allocator getAllocator() {
    return new PoolAllocator(this);
  }

  /**
   * Returns every segment and block of this pool, and its usage by tag, at one moment. Other calls
   * of the pool wait meanwhile.
   */
  public AllocatorSnapshot getSnapshot() {
    List<TagUsage> tags = arena().statistics.read().tags();
    List<Arena> alone = List.of(arena());
    return Standstill.of(alone, () -> SnapshotTaker.take(alone, tags));
  }

  /**
   * Returns whether exactly these allocations are live in this pool, for example to check that a
   * step has closed its allocations. The result is false if one of them is closed. Empty
   * allocations are ignored. Exact while no thread allocates.
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
        .blocks()
        .filter(block -> block.state() == BlockState.LIVE)
        .forEach(block -> live.add(block.address()));
    return live.equals(expected);
  }

  /**
   * Closes the scopes that finished threads left open, and their captures, which no other thread
   * can end. Must not be called by a thread that is inside the gate of a pool.
   */
  private void closeFinished() {
    captures.forEach(PoolCapture::closeIfFinished);
    captures.removeIf(PoolCapture::isEnded);
    scopes.closeFinished();
  }

  /**
   * Closes the pool. Its allocations stay valid. Waits for the streams of its memory and returns
   * free memory. If scopes are open, the close of the last scope does this. Repeated calls have no
   * effect.
   */
  @Override
  public void close() {
    Arena used;
    synchronized (this) {
      closed = true;
      used = arena;
    }
    if (used != null) {
      used.close();
    }
  }

  @Override
  public String toString() {
    return Arena.nameOf(id, getDevice()) + (isClosed() ? ", closed" : "");
  }

  /** Ends the use of a closed scope. */
  void release() {
    arena().release();
  }

  private ClosedException closedError() {
    return new ClosedException(
        Arena.nameOf(id, getDevice()), "it no longer allocates", "make a new one");
  }

  // ---- implementation ----

  Device getDevice() {
    return pools.device();
  }

  Arena allocatorArena() {
    return pools.main;
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

  /** Allocates memory; null if the pool has ended. */
  @Nullable Allocation tryAllocate(long bytes, long alignment, Stream stream, String tag) {
    requireRightStream(bytes, stream);
    Arena used = arena();
    try {
      return used.gate.isShut() ? null : used.allocate(bytes, alignment, stream, tag);
    } catch (ClosedException e) {
      if (used.gate.isShut()) {
        return null;
      }
      throw e;
    }
  }

  void trim(long keepBytes) {
    Sizes.requireTrimTarget(keepBytes);
    Arena used = arena;
    if (used != null) {
      used.gate.insideIfOpen(() -> used.trimming.trimOwn(keepBytes));
      used.suspension.giveHostBack();
    }
  }
}
