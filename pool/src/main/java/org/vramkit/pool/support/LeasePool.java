package org.vramkit.pool.support;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.KeyedStore.Idle;

/**
 * Leases pieces of memory. After its lease, a piece waits in a {@link KeyedStore} until no stream
 * uses it, and then serves the next request of its key. Beyond the limits and the {@linkplain
 * Stats#growthBound growth bound}, the least recently used pieces return to their source.
 * Thread-safe.
 *
 * <p>No driver and no allocator is called under the store's lock, so a request that a free piece
 * serves never waits for a query, a wait or an allocation of another thread. Pieces return to their
 * source under the lock of {@link OutOfMemoryRetry}, so that a thread that is out of memory waits
 * for them.
 */
public final class LeasePool<K, P extends Piece<K>> {

  /**
   * A request for a piece.
   *
   * @param key the key of the pieces that can serve the request
   * @param size size of a new piece in bytes
   * @param stream stream that uses the piece; null for none or any
   * @param maker creates a piece without memory
   */
  public record Request<K, P>(K key, long size, @Nullable Stream stream, Supplier<P> maker) {}

  /**
   * Limits of the idle and reserved pieces of a pool.
   *
   * @param idleBytes most bytes of idle pieces; a piece beyond it returns to its source
   * @param perKey most idle pieces of one key
   * @param reservedBytes most bytes of all pieces; {@link Long#MAX_VALUE} for no limit
   * @param givesBackInUse whether pieces may return to their source while streams use them, as to
   *     an allocator
   * @param steals whether a stream waits for a piece in use if there is no other memory
   */
  public record Limits(
      long idleBytes, int perKey, long reservedBytes, boolean givesBackInUse, boolean steals) {}

  private final String name;
  private final Limits limits;
  private final BlockStats stats;

  private final boolean byStream;

  private final StreamClocks clocks;
  private final PoolHealth health;
  private final Gate gate;
  private final OutOfMemoryRetry retry;
  private final KeyedStore<K, P> store;

  /**
   * All pieces that have memory or are about to allocate it, for the close of a broken pool.
   * Iterated under the monitor of the set, a leaf lock.
   */
  private final Set<P> all = Collections.synchronizedSet(new LinkedHashSet<>());

  /** Creates a pool of an allocator, with the statistics of the allocator, by stream. */
  public LeasePool(
      String name, PoolHealth health, StreamClocks clocks, Limits limits, BlockStats stats) {
    this(name, health, clocks, limits, stats, /* byStream= */ true);
  }

  public LeasePool(String name, StreamClocks clocks, Limits limits) {
    this(name, new PoolHealth(name), clocks, limits, new BlockStats(), /* byStream= */ false);
  }

  private LeasePool(
      String name,
      PoolHealth health,
      StreamClocks clocks,
      Limits limits,
      BlockStats stats,
      boolean byStream) {
    this.name = name;
    this.health = health;
    this.limits = limits;
    this.stats = stats;
    this.byStream = byStream;
    this.clocks = clocks;
    this.gate = new Gate(name, health);
    this.retry = new OutOfMemoryRetry(health);
    this.store = new KeyedStore<>(health, clocks, this::count);
    Holders.add(this);
  }

  /** Returns whether a piece is the allocation at an address of a device. */
  boolean holds(Device device, long address) {
    synchronized (all) {
      return clocks.device().equals(device)
          && all.stream().anyMatch(piece -> !piece.isGone() && piece.isAllocatedAt(address));
    }
  }

  @Override
  public String toString() {
    return name;
  }

  private void count(P piece, boolean isCached) {
    Stream stream = byStream ? piece.own() : null;
    if (isCached) {
      stats.cached(piece.size, stream);
    } else {
      stats.uncached(piece.size, stream);
    }
  }

  // ---- leasing ----

  /**
   * Leases an idle piece, or a new one.
   *
   * @param handle creates the caller's handle; if that fails, the piece returns to the pool
   * @throws DeviceOutOfMemoryException if there is no memory even with all free pieces returned
   */
  public <H> H lease(Request<K, P> request, Function<Lease<P>, H> handle) {
    return health.change(
        () -> {
          P idle = takeIdle(request);
          if (idle == null && !store.pending.isEmpty()) {
            store.pending.poll();
            idle = takeIdle(request);
          }
          P piece = idle == null ? acquireNew(request) : idle;
          return createHandle(piece, request.stream, handle);
        });
  }

  /** Leases an idle piece; null if there is none. Never blocks. */
  public <H> @Nullable H tryLease(Request<K, P> request, Function<Lease<P>, H> handle) {
    return health.change(
        () -> {
          P idle = takeIdle(request);
          if (idle == null && !store.pending.isEmpty()) {
            store.pending.pollOpen();
            idle = takeIdle(request);
          }
          return idle == null ? null : createHandle(idle, request.stream, handle);
        });
  }

  private <H> H createHandle(P piece, @Nullable Stream stream, Function<Lease<P>, H> handle) {
    piece.begin(stream);
    stats.allocated(piece.size, byStream ? piece.own() : null);
    try {
      return handle.apply(new Lease<>(this, piece));
    } catch (RuntimeException | Error e) {
      Batch.after(e, () -> give(piece, none -> {}));
      throw e;
    }
  }

  private @Nullable P takeIdle(Request<K, P> request) {
    gate.requireOpen();
    P found = store.take(request.key, request.stream);
    if (found != null) {
      stats.add(Figure.SERVED_FROM_POOL, 1);
    }
    return found;
  }

  private P acquireNew(Request<K, P> request) {
    List<Idle<P>> orphans = store.evictOrphans(request.key);
    if (!orphans.isEmpty()) {
      retry.giveBack(() -> release(orphans));
    }
    enforceBound(request.size);
    // Each round returns twice as many bytes as the last, so that a few rounds return everything.
    long size = request.size;
    boolean[] refused = {false};
    P piece =
        retry.allocate(
            () -> acquire(request, refused),
            round ->
                makeRoom(size > Long.MAX_VALUE >> round ? Long.MAX_VALUE : size << (round - 1)));
    if (refused[0]) {
      stats.add(Figure.RETRIES, 1);
    }
    return piece;
  }

  /** Acquires a piece without returning others to make room; notes whether memory was refused. */
  private P acquire(Request<K, P> request, boolean[] refused) {
    P idle = takeIdle(request);
    if (idle != null) {
      return idle;
    }
    try {
      return make(request);
    } catch (DeviceOutOfMemoryException e) {
      refused[0] = true;
      P stolen = limits.steals ? steal(request) : null;
      if (stolen == null) {
        throw e;
      }
      return stolen;
    }
  }

  private P make(Request<K, P> request) {
    P fresh = request.maker.get();
    if (!stats.claim(request.size, limits.reservedBytes)) {
      throw new DeviceOutOfMemoryException(
          "the limit of "
              + ByteSize.format(limits.reservedBytes)
              + " leaves too little for "
              + ByteSize.format(request.size),
          request.size,
          DriverStatus.NONE,
          null);
    }
    try {
      all.add(fresh);
      fresh.fill();
    } finally {
      stats.unclaim(request.size, limits.reservedBytes);
      if (fresh.isGone()) {
        all.remove(fresh);
      }
    }
    stats.taken(request.size);
    try {
      gate.requireOpen();
      return fresh;
    } catch (IllegalStateException e) {
      // The pool was closed during the allocation.
      Batch.after(e, () -> takeBack(fresh));
      throw e;
    }
  }

  /** Takes the oldest piece of a key that streams use, and makes a stream wait for these uses. */
  private @Nullable P steal(Request<K, P> request) {
    Stream waiter = requireNonNull(request.stream);
    Idle<P> oldest = store.takePending(request.key);
    if (oldest == null) {
      return null;
    }
    try {
      oldest.uses().forEach(each -> each.orderBefore(waiter));
    } catch (RuntimeException | Error e) {
      Batch.after(e, () -> put(oldest.piece(), oldest.uses()));
      throw e;
    }
    stats.add(Figure.SERVED_FROM_POOL, 1);
    stats.add(Figure.STEALS, 1);
    return oldest.piece();
  }

  // ---- the end of a lease ----

  /**
   * Ends the lease of a piece, even if this throws. The piece serves requests again once the
   * streams that use it have passed this point.
   */
  void end(P piece, Consumer<P> beforeReturn) {
    if (!health.isBroken()) {
      health.run(() -> give(piece, beforeReturn));
    } else if (gate.isShut()) {
      close();
    }
  }

  private void give(P piece, Consumer<P> beforeReturn) {
    stats.freed(piece.size, byStream ? piece.own() : null);
    Batch.run(() -> beforeReturn.accept(piece), () -> takeBack(piece));
  }

  private void takeBack(P piece) {
    List<Stream> users = new ArrayList<>(piece.uses.users());
    boolean inGraph = piece.uses.isInGraph(piece.own());
    piece.uses.clear();
    piece.end(users);
    Stream own = piece.own();
    if (own != null && (inGraph || piece.waitsForOwn())) {
      users.add(0, own);
    }
    if (inGraph) {
      store.setAside(piece, users);
      if (gate.isShut()) {
        close();
      }
    } else {
      List<StreamPoint> points = clocks.now(users);
      Batch.run(() -> store.pending.mark(points), () -> put(piece, points));
    }
  }

  private void put(P piece, List<StreamPoint> points) {
    // A piece larger than the limit would evict all others before itself.
    boolean useless =
        piece.size == 0 || piece.size > limits.idleBytes || store.count(piece.key) >= limits.perKey;
    store.add(piece, points);
    if (gate.isShut()) {
      close();
    } else if (useless) {
      retry.tryGiveBack(() -> release(store.takeIfHere(piece, limits.givesBackInUse)));
    } else if (store.bytes() > limits.idleBytes) {
      retry.tryGiveBack(() -> release(evict(limits.idleBytes)));
    }
  }

  // ---- returning memory ----

  private List<Idle<P>> evict(long keepBytes) {
    return store.evict(keepBytes, none -> false, limits.givesBackInUse);
  }

  /** Returns pieces to their source; pieces that cannot return yet stay. */
  private long release(List<Idle<P>> pieces) {
    Batch.forEach(
        pieces,
        each -> {
          try {
            each.piece().giveBack(each.uses());
          } finally {
            if (each.piece().isGone()) {
              all.remove(each.piece());
              stats.givenBack(each.piece().size);
            } else {
              store.add(each.piece(), each.uses());
            }
          }
        });
    return pieces.stream().mapToLong(each -> each.piece().size).sum();
  }

  /**
   * Returns free pieces so that the {@linkplain Stats#growthBound growth bound} holds once {@code
   * wanted} bytes are taken.
   */
  private void enforceBound(long wanted) {
    long excess = stats.excess(wanted);
    if (excess > 0) {
      retry.giveBack(
          () -> {
            store.pending.pollAll();
            return release(evict(Math.max(0, store.bytes() - excess)));
          });
    }
  }

  /**
   * Makes room after an out of memory. Returns all pieces if pieces in use can return. Otherwise
   * returns about {@code bytes} of free pieces, or, if there are none, waits for pieces in use,
   * which may then serve the request.
   */
  private long makeRoom(long bytes) {
    store.pending.pollAll();
    if (limits.givesBackInUse) {
      return release(evict(0));
    }
    List<Idle<P>> spare = evict(Math.max(0, store.bytes() - bytes));
    if (!spare.isEmpty()) {
      return release(spare);
    }
    long before = store.pending.bytes();
    long passed = 0;
    while (passed < bytes && awaitOldest()) {
      passed = before - store.pending.bytes();
    }
    return passed;
  }

  private boolean awaitOldest() {
    boolean awaited = store.pending.awaitCheapest(Long.MAX_VALUE);
    if (awaited) {
      stats.add(Figure.SYNCHRONIZATIONS, 1);
    }
    return awaited;
  }

  /**
   * Returns idle pieces to their source, the least recently used first.
   *
   * @param keepBytes bytes of idle pieces that may stay
   * @param waits whether to wait for pieces that streams still use, until the others fit
   * @return the bytes that were returned
   */
  public long trim(long keepBytes, boolean waits) {
    return health.change(
        () ->
            retry.giveBack(
                () -> {
                  store.pending.pollAll();
                  long bytes = release(evict(keepBytes));
                  while (waits && store.bytes() > keepBytes && awaitOldest()) {
                    bytes += release(evict(keepBytes));
                  }
                  return bytes;
                }));
  }

  /**
   * Returns free pieces that are old or exceed {@code keepBytes}, unless another thread is doing
   * so. Queries a few streams. Does not wait for work, but the source may wait for the device to
   * free memory.
   */
  public void releaseOld(long keepBytes, Predicate<P> old) {
    if (store.bytes() > keepBytes || store.hasOld(old)) {
      retry.tryGiveBack(
          () -> {
            store.pending.pollOpen();
            return release(store.evict(keepBytes, old, limits.givesBackInUse));
          });
    }
  }

  /**
   * Returns idle pieces of about {@code bytes} to their source, for an allocation of any user that
   * would fail. Returns 0 if another thread is returning pieces: the caller may be returning those
   * of another pool, so it must not wait.
   *
   * @return the bytes that were returned
   */
  public long reclaim(long bytes) {
    return health.change(
        () ->
            retry.tryGiveBack(
                () -> {
                  store.pending.pollOpen();
                  return release(evict(Math.max(0, store.bytes() - bytes)));
                }));
  }

  /** Drops the idle pieces without a driver call, because the device and its memory are lost. */
  public void forget() {
    store.evict(0, each -> true, /* inUse= */ true);
    stats.forget();
    clocks.close();
  }

  // ---- figures and the close ----

  public long idleBytes() {
    return stats.current(Figure.CACHED);
  }

  /** Returns the bytes of pieces that no stream uses; queries all streams. */
  public long freeBytes() {
    return health.change(
        () -> {
          store.pending.pollAll();
          return store.freeBytes();
        });
  }

  /**
   * Returns the number of free pieces: no caller holds them, and no stream is known to use them.
   */
  public long freePieces() {
    return gate.isShut() && health.isBroken() ? 0 : store.freeCount();
  }

  public BlockStats stats() {
    return stats;
  }

  /**
   * Closes the pool and returns all idle pieces to their source. Waits for streams if pieces in use
   * cannot return. Leased pieces return when their lease ends. If the pool is broken, waits for the
   * device and returns all pieces. After a failure, another call returns the rest.
   *
   * @throws CaptureException if a capture uses a piece
   */
  public void close() {
    health.run(
        () -> {
          if (health.isBroken()) {
            gate.shutBroken();
            releaseBroken();
          } else {
            gate.shut();
            retry.giveBack(this::releaseAll);
          }
          if (health.isBroken() || stats.current(Figure.RESERVED) == 0) {
            clocks.close();
          }
        });
  }

  private long releaseAll() {
    long before = store.bytes();
    Batch.run(
        limits.givesBackInUse ? store.pending::pollOpen : store.pending::awaitAll,
        this::takeBackFromGraphs,
        () -> release(evict(0)));
    return before - store.bytes();
  }

  /** Takes back pieces set aside for graphs, which are not launched after the close. */
  private void takeBackFromGraphs() {
    long inUse = store.bytes() - store.freeBytes();
    if (inUse > 0 && clocks.captured().isAny()) {
      throw new CaptureException(
          "cannot close "
              + name
              + ": "
              + ByteSize.format(inUse)
              + " are used by a captured stream; end the capture, then close again");
    }
    store.pending.takeBackFromGraphs();
  }

  /** Returns all pieces. Ignores the store, which may be inconsistent. */
  private void releaseBroken() {
    clocks.captured().requireNone("close " + name + ", which is broken and waits for its device");
    PoolDriverCalls.awaitAll(clocks.device());
    List<P> pieces;
    synchronized (all) {
      pieces = List.copyOf(all);
    }
    Batch.forEach(
        pieces,
        piece -> {
          if (!piece.isGone()) {
            piece.giveBack(List.of());
          }
          all.remove(piece);
        });
    stats.forget();
  }
}
