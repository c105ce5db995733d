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
 * Lends pieces of memory to one user after the other. A piece that comes back waits in a {@link
 * KeyedStore} until no stream uses it, and serves the next request of its key. Beyond its limits,
 * and beyond the {@link GrowthBound}, the least recently used goes back to where it came from. Safe
 * for any thread.
 *
 * <p>Neither a driver nor an allocator is called under the store's lock: no hit waits for another
 * thread's question, wait or miss. What goes back goes under the lock of {@link OutOfMemoryRetry},
 * so that a thread without memory waits for what is on its way.
 *
 * <p>An error of the JVM in the middle of a call leaves unclear what is here: the {@link #gate()}
 * is broken then, every later call says so, and the close gives back what no user has.
 *
 * @param <K> what must be equal for a piece to serve, such as a size class
 * @param <P> a piece
 */
public final class Lender<K, P extends Piece<K>> {

  /**
   * A request for a piece.
   *
   * @param size bytes of a new one
   * @param preferred a piece that is better than others, if possibly still in use; calls nothing
   * @param suits a free piece that will do; calls nothing
   * @param maker makes a new one, without memory
   * @param <K> the key
   * @param <P> the piece
   */
  public record Request<K, P>(
      K key, long size, Predicate<P> preferred, Predicate<P> suits, Supplier<P> maker) {}

  /**
   * Limits of what a lender may keep.
   *
   * @param idleBytes how many bytes no user has
   * @param perKey how many such pieces there are of a key
   * @param reservedBytes how many bytes there are in all
   * @param givesBackInUse whether pieces can go back while streams use them, as to an allocator
   */
  public record Limits(long idleBytes, int perKey, long reservedBytes, boolean givesBackInUse) {}

  private final String name;
  private final Limits limits;
  private final Stats stats;
  private final StreamClocks clocks;
  private final Gate gate;
  private final OutOfMemoryRetry retry = new OutOfMemoryRetry();
  private final KeyedStore<K, P> store;

  /** All that have memory or are about to; guarded by its monitor, a leaf. */
  private final Set<P> all = new LinkedHashSet<>();

  /** Creates the lender of a pool that counts what is live by itself, and streams apart. */
  public Lender(String name, StreamClocks clocks, Limits limits, Stats stats) {
    this(name, clocks, limits, stats, /* byStream= */ true);
  }

  /**
   * Creates a lender with figures of its own.
   *
   * @param name of the pool, for errors
   */
  public Lender(String name, StreamClocks clocks, Limits limits) {
    this(name, clocks, limits, new Stats(), /* byStream= */ false);
  }

  private Lender(String name, StreamClocks clocks, Limits limits, Stats stats, boolean byStream) {
    this.name = name;
    this.limits = limits;
    this.stats = stats;
    this.clocks = clocks;
    this.gate = new Gate(name);
    this.store = new KeyedStore<>(clocks, stats, byStream);
  }

  // ---- taking ----

  /**
   * Lends a piece that is here, or a new one.
   *
   * @param handle makes what the user gets; where that fails the piece comes back
   * @throws DeviceOutOfMemoryException if there is no memory even with all free pieces gone
   */
  public <H> H lend(Request<K, P> request, Function<Loan<P>, H> handle) {
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

  /** Lends a piece that is here; null if there is none. Never blocks. */
  public <H> @Nullable H tryLend(Request<K, P> request, Function<Loan<P>, H> handle) {
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

  /** Null if another thread has broken the lender meanwhile, whose close has the piece then. */
  private <H> @Nullable H handOut(P piece, Function<Loan<P>, H> handle) {
    stats.allocated(piece.size, null);
    H lent;
    try {
      lent = handle.apply(new Loan<>(this, piece));
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
   * Takes a piece that is here, or a new one, for a caller that counts what is live.
   *
   * @throws DeviceOutOfMemoryException if there is no memory even with all free pieces gone
   */
  public P acquire(Request<K, P> request) {
    P there = acquireIdle(request);
    return there == null ? acquireNew(request) : there;
  }

  /** Takes a piece that is here, after a few questions to streams; null if there is none. */
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
    // Twice as much from round to round, so that a few rounds give all back.
    long size = request.size;
    return retry.allocate(
        () -> tryAcquire(request),
        round -> makeRoom(size > Long.MAX_VALUE >> round ? Long.MAX_VALUE : size << (round - 1)));
  }

  /**
   * Takes a piece that is here or a new one, and gives nothing back for it.
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
              + " leaves no room for "
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
      // Closed is closed, also while memory was looked for.
      Batch.after(e, () -> takeBack(fresh));
      throw e;
    }
  }

  /** Takes a piece of a key that is still in use, the one that came back first; null if none is. */
  public @Nullable P takePending(K key, List<StreamPoint> uses) {
    Idle<P> oldest = store.takePending(key);
    if (oldest == null) {
      return null;
    }
    stats.hit();
    uses.addAll(oldest.uses());
    return oldest.piece();
  }

  /** Has the caller keep account of a piece that it acquired, until it is restored. */
  public void disown(P piece) {
    change(() -> all.remove(piece));
  }

  private void change(Runnable change) {
    synchronized (all) {
      change.run();
    }
  }

  // ---- coming back ----

  /**
   * Takes a lent piece back, whatever is thrown. It serves again once the streams that use it have
   * passed this moment.
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
   * Takes a piece back that waits for some points.
   *
   * @throws RuntimeException if a driver fails; then the piece is still the caller's
   */
  public void restore(P piece, List<StreamPoint> points) {
    store.pending.mark(points);
    change(() -> all.add(piece));
    put(piece, points);
  }

  private void put(P piece, List<StreamPoint> points) {
    // One beyond the budget would drive all others out before it goes itself.
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

  // ---- going back ----

  private List<Idle<P>> evict(long keepBytes) {
    return store.evict(keepBytes, none -> false, limits.givesBackInUse);
  }

  /** Gives pieces back; those that cannot go yet stay here. */
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

  /** Gives free pieces back so that the {@link GrowthBound} holds once some bytes are taken. */
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
   * Gives something back because there is no memory: all, where what is in use can go back; else
   * free pieces of some bytes, and where there are none what was waited for, which may serve as it
   * is.
   *
   * @return how many bytes went back or came free
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

  /**
   * Gives idle pieces back, the least recently used first.
   *
   * @param keepBytes how many idle bytes may stay
   * @param waits whether to wait for pieces that streams still use
   * @return how many bytes went back
   */
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
   * Gives free pieces back that are old, or more than may be kept, unless another thread does so;
   * asks a few streams, and never blocks.
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

  // ---- figures and the end ----

  /** Bytes of pieces that no user has. */
  public long idleBytes() {
    return gate.brokenBy == null ? store.bytes() : unheld().stream().mapToLong(Piece::size).sum();
  }

  /** Bytes of pieces that no stream uses either; asks all streams. */
  public long freeBytes() {
    requireWhole();
    store.pending.pollAll();
    return store.freeBytes();
  }

  /** How many pieces neither a user nor, as far as is known, a stream uses. */
  public long freePieces() {
    return gate.brokenBy == null ? store.freeCount() : unheld().size();
  }

  /** The figures. */
  public Stats stats() {
    return stats;
  }

  /** Tells whether the lender is open and whole. */
  public Gate gate() {
    return gate;
  }

  private List<P> unheld() {
    synchronized (all) {
      return all.stream().filter(piece -> !piece.held).toList();
    }
  }

  /**
   * Gives all back that no user has, and waits for streams where that cannot go back in use. What
   * is still held goes back when it is given. May be called again after a failure, for what is
   * left.
   *
   * @throws CaptureException if a capture uses something
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

  /** Takes back what graphs use: the pool's user launches none of these after its close. */
  private void takeBackFromGraphs() {
    long inUse = store.bytes() - store.freeBytes();
    if (inUse > 0 && clocks.captured().isAny()) {
      throw new CaptureException(
          "cannot close "
              + name
              + ": "
              + ByteSize.format(inUse)
              + " are used by a stream that is captured; end the capture, and close it again");
    }
    store.pending.takeBackFromGraphs();
  }

  /** Gives all back that no user has, whatever the store knows of it. */
  private void releaseUnheld() {
    clocks.captured().requireNone("close " + name + ", which is broken and waits for its device");
    Waits.awaitAll(clocks.device());
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

  /** Forgets all that no user has, because the device is lost and its memory with it. */
  public void forget() {
    store.takeAll().forEach(each -> stats.givenBack(each.piece().size));
    clocks.close();
  }
}
