package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.KeyedStore.Idle;

/**
 * Leases pieces of memory. A piece whose lease is closed waits in a {@link KeyedStore} until no
 * stream uses it, and then serves the next request of its key. Beyond the limits and the {@link
 * GrowthBound}, the least recently used pieces return to their source. Thread-safe.
 *
 * <p>No driver and no allocator is called under the store's lock, so a hit never waits for another
 * thread's query, wait or miss. Pieces return to their source under the lock of {@link
 * OutOfMemoryRetry}, so that a thread that is out of memory waits for them.
 *
 * <p>A JVM error in the middle of a call breaks the {@link #gate()}: every later call fails, and
 * the close returns the pieces that no caller holds.
 */
public final class LeasePool<K, P extends Piece<K>> {

  /** A request for a piece. */
  public record Request<K, P>(
      K key, long size, Predicate<P> preferred, Predicate<P> suits, Supplier<P> maker) {}

  /**
   * Limits of a pool.
   *
   * @param givesBackInUse whether pieces may return to their source while streams use them, as to
   *     an allocator
   */
  public record Limits(long idleBytes, int perKey, long reservedBytes, boolean givesBackInUse) {}

  private final String name;
  private final Limits limits;
  private final Stats stats;
  private final StreamClocks clocks;
  private final Gate gate;
  private final OutOfMemoryRetry retry = new OutOfMemoryRetry();
  private final KeyedStore<K, P> store;

  /** All pieces with memory, or about to get some; guarded by its monitor, a leaf. */
  private final Set<P> all = new LinkedHashSet<>();

  /** Creates a pool whose owner counts live pieces; statistics are kept by stream. */
  public LeasePool(String name, StreamClocks clocks, Limits limits, Stats stats) {
    this(name, clocks, limits, stats, /* byStream= */ true);
  }

  /** Creates a pool with its own statistics. */
  public LeasePool(String name, StreamClocks clocks, Limits limits) {
    this(name, clocks, limits, new Stats(), /* byStream= */ false);
  }

  private LeasePool(
      String name, StreamClocks clocks, Limits limits, Stats stats, boolean byStream) {
    this.name = name;
    this.limits = limits;
    this.stats = stats;
    this.clocks = clocks;
    this.gate = new Gate(name);
    this.store = new KeyedStore<>(clocks, stats, byStream);
  }

  // ---- leasing ----

  /**
   * Leases an idle piece, or a new one.
   *
   * @param handle creates the caller's handle; if that fails, the piece returns to the pool
   * @throws DeviceOutOfMemoryException if there is no memory even with all free pieces returned
   */
  public <H> H lease(Request<K, P> request, Function<Lease<P>, H> handle) {
    try {
      H lent = handOut(acquire(request), handle);
      if (lent != null) {
        return lent;
      }
    } catch (Error e) {
      gate.brokenBy = e;
      throw e;
    }
    throw gate.broken();
  }

  /** Leases an idle piece; null if there is none. Never blocks. */
  public <H> @Nullable H tryLease(Request<K, P> request, Function<Lease<P>, H> handle) {
    try {
      P there = takeIdle(request);
      if (there == null && !store.pending.isEmpty()) {
        store.pending.pollOpen();
        there = takeIdle(request);
      }
      return there == null ? null : handOut(there, handle);
    } catch (Error e) {
      gate.brokenBy = e;
      throw e;
    }
  }

  /**
   * Returns null if another thread has broken the pool meanwhile; the close returns the piece then.
   */
  private <H> @Nullable H handOut(P piece, Function<Lease<P>, H> handle) {
    stats.allocated(piece.size, null);
    H lent;
    try {
      lent = handle.apply(new Lease<>(this, piece));
    } catch (RuntimeException | Error e) {
      Batch.after(e, () -> give(piece, none -> {}));
      throw e;
    }
    piece.held = true;
    if (gate.brokenBy == null) {
      return lent;
    }
    piece.held = false;
    return null;
  }

  /**
   * Acquires an idle piece, or a new one, for an owner that counts live pieces.
   *
   * @throws DeviceOutOfMemoryException if there is no memory even with all free pieces returned
   */
  public P acquire(Request<K, P> request) {
    P there = acquireIdle(request);
    return there == null ? acquireNew(request) : there;
  }

  /** Acquires an idle piece, after querying a few streams; null if there is none. */
  public @Nullable P acquireIdle(Request<K, P> request) {
    P there = takeIdle(request);
    if (there == null && !store.pending.isEmpty()) {
      store.pending.poll();
      there = takeIdle(request);
    }
    return there;
  }

  private @Nullable P takeIdle(Request<K, P> request) {
    gate.requireOpen();
    P found = store.take(request.key, request.preferred, request.suits);
    if (found != null) {
      stats.hit();
    }
    return found;
  }

  private P acquireNew(Request<K, P> request) {
    List<Idle<P>> orphans = store.evictOrphans(request.key);
    if (!orphans.isEmpty()) {
      retry.giveBack(() -> release(orphans));
    }
    keepBound(request.size);
    // Doubles from round to round, so that a few rounds return everything.
    long size = request.size;
    return retry.allocate(
        () -> tryAcquire(request),
        round -> makeRoom(size > Long.MAX_VALUE >> round ? Long.MAX_VALUE : size << (round - 1)));
  }

  /**
   * Acquires an idle piece or a new one, without returning others.
   *
   * @throws DeviceOutOfMemoryException if there is no memory
   */
  public P tryAcquire(Request<K, P> request) {
    P there = takeIdle(request);
    return there == null ? make(request) : there;
  }

  private P make(Request<K, P> request) {
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
    P fresh = request.maker.get();
    try {
      change(() -> all.add(fresh));
      fresh.fill();
    } finally {
      stats.unclaim(request.size, limits.reservedBytes);
      if (fresh.isGone()) {
        disown(fresh);
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

  /** Acquires the oldest piece of a key that streams still use; null if there is none. */
  public @Nullable P takePending(K key, List<StreamPoint> uses) {
    Idle<P> oldest = store.takePending(key);
    if (oldest == null) {
      return null;
    }
    stats.hit();
    uses.addAll(oldest.uses());
    return oldest.piece();
  }

  /** Leaves an acquired piece to its owner until {@link #restore}. */
  public void disown(P piece) {
    change(() -> all.remove(piece));
  }

  private void change(Runnable change) {
    synchronized (all) {
      change.run();
    }
  }

  // ---- the end of a lease ----

  /**
   * Ends the lease of a piece, whatever is thrown. The piece serves again once the streams that use
   * it have passed this point.
   */
  void give(P piece, Consumer<P> told) {
    if (gate.brokenBy == null) {
      stats.freed(piece.size, null);
      Batch.run(() -> told.accept(piece), () -> takeBack(piece));
    } else if (gate.isClosed()) {
      Batch.run(() -> told.accept(piece), this::close);
    }
  }

  private void takeBack(P piece) {
    List<Stream> users = new ArrayList<>(piece.uses.users());
    boolean inGraph = piece.uses.isInGraph(piece.own());
    piece.uses.clear();
    if (!inGraph) {
      List<StreamPoint> points = clocks.now(users);
      Batch.run(() -> store.pending.mark(points), () -> put(piece, points));
      return;
    }
    Stream own = piece.own();
    if (own != null) {
      users.add(own);
    }
    store.setAside(piece, users);
    if (gate.isClosed()) {
      close();
    }
  }

  /**
   * Returns a piece to the pool, which waits for some points.
   *
   * @throws RuntimeException if a driver fails; the caller still owns the piece then
   */
  public void restore(P piece, List<StreamPoint> points) {
    store.pending.mark(points);
    change(() -> all.add(piece));
    put(piece, points);
  }

  private void put(P piece, List<StreamPoint> points) {
    // A piece beyond the budget would evict all others before itself.
    boolean useless =
        piece.size == 0 || piece.size > limits.idleBytes || store.count(piece.key) >= limits.perKey;
    store.add(piece, points);
    if (gate.isClosed()) {
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

  /** Returns pieces to their source; those that cannot return yet stay. */
  private long release(List<Idle<P>> pieces) {
    Batch.forEach(
        pieces,
        each -> {
          try {
            each.piece().giveBack(each.uses());
          } finally {
            if (each.piece().isGone()) {
              disown(each.piece());
              stats.givenBack(each.piece().size);
            } else {
              store.add(each.piece(), each.uses());
            }
          }
        });
    return pieces.stream().mapToLong(each -> each.piece().size).sum();
  }

  /**
   * Returns free pieces so that the {@link GrowthBound} holds once {@code wanted} bytes are taken.
   */
  public void keepBound(long wanted) {
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
   * Makes room after an out of memory: returns all pieces if those in use can return; else returns
   * free pieces of {@code bytes}; else waits for pieces in use, which may then serve as they are.
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
      stats.synchronizedOnHost();
    }
    return awaited;
  }

  /** Returns idle pieces to their source, the least recently used first. */
  public long trim(long keepBytes, boolean waits) {
    requireWhole();
    return retry.giveBack(
        () -> {
          store.pending.pollAll();
          long bytes = release(evict(keepBytes));
          while (waits && store.bytes() > keepBytes && awaitOldest()) {
            bytes += release(evict(keepBytes));
          }
          return bytes;
        });
  }

  /**
   * Returns free pieces that are old or exceed {@code keepBytes}, unless another thread is doing
   * so. Queries a few streams and never blocks.
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

  private void requireWhole() {
    if (gate.brokenBy != null) {
      throw gate.broken();
    }
  }

  // ---- figures and the close ----

  /** Returns the bytes of idle pieces. */
  public long idleBytes() {
    return gate.brokenBy == null ? store.bytes() : unheld().stream().mapToLong(Piece::size).sum();
  }

  /** Returns the bytes of pieces that no stream uses; queries all streams. */
  public long freeBytes() {
    requireWhole();
    store.pending.pollAll();
    return store.freeBytes();
  }

  /** Returns the number of pieces that no caller holds and, as far as is known, no stream uses. */
  public long freePieces() {
    return gate.brokenBy == null ? store.freeCount() : unheld().size();
  }

  /** Returns the statistics. */
  public Stats stats() {
    return stats;
  }

  /** Returns the gate, which tells whether the pool is open and intact. */
  public Gate gate() {
    return gate;
  }

  private List<P> unheld() {
    synchronized (all) {
      return all.stream().filter(piece -> !piece.held).toList();
    }
  }

  /**
   * Returns all idle pieces to their source, and waits for streams if pieces cannot return in use.
   * Leased pieces return when their lease ends. May be repeated after a failure, for the rest.
   *
   * @throws CaptureException if a capture uses a piece
   */
  public void close() {
    gate.shut();
    if (gate.brokenBy == null) {
      retry.giveBack(this::releaseAll);
    } else {
      releaseUnheld();
    }
    if (gate.brokenBy != null || stats.getReservedBytes() == 0) {
      clocks.close();
    }
  }

  private long releaseAll() {
    long before = store.bytes();
    Batch.run(
        limits.givesBackInUse ? store.pending::pollOpen : store.pending::awaitAll,
        this::takeBackFromGraphs,
        () -> release(evict(0)));
    return before - store.bytes();
  }

  /** Takes back the pieces of graphs, which are not launched after the close. */
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

  /** Returns all pieces that no caller holds, whatever the store knows of them. */
  private void releaseUnheld() {
    clocks.captured().requireNone("close " + name + ", which is broken and waits for its device");
    OwnCalls.awaitAll(clocks.device());
    Batch.forEach(
        unheld(),
        piece -> {
          disown(piece);
          if (!piece.isGone()) {
            piece.giveBack(List.of());
          }
        });
    change(
        () -> {
          if (all.isEmpty()) {
            stats.forget();
          }
        });
  }

  /** Drops all idle pieces, because the device and its memory are lost. */
  public void forget() {
    store.takeAll().forEach(each -> stats.givenBack(each.piece().size));
    clocks.close();
  }
}
