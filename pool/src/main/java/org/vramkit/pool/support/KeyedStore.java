package org.vramkit.pool.support;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;

/**
 * Idle pieces of memory by key, the newest first. Pieces that streams still use are included, and
 * lie in {@link PendingUses}. One lock guards both, so a piece is always in exactly one place.
 * Every method is atomic and calls no driver.
 *
 * <p>For a backend that checks order: adding a piece, or finding that its streams have passed,
 * happens before taking the piece.
 *
 * @param <K> the key: a piece serves requests with an equal key
 * @param <P> a piece; its {@code equals} must be identity
 */
final class KeyedStore<K, P extends Piece<K>> {
  /** When this many free pieces exist, those of closed streams are evicted. */
  private static final int FIRST_CROWD = 64;

  /** A removed piece, with the points that it still waits for. */
  record Idle<P>(P piece, List<StreamPoint> uses) {}

  private final PoolLock lock;
  private final Map<K, ArrayDeque<P>> byKey = new HashMap<>();

  /** Pieces that no stream uses, the least recently used first. */
  private final Set<P> free = new LinkedHashSet<>();

  /** Pieces that streams or graphs still use. */
  final PendingUses<P> pending;

  /** Counts a piece that enters or leaves the store. */
  private final BiConsumer<P, Boolean> counter;

  /**
   * A happens-before edge between threads that take the lock in turn. It orders accesses of the
   * pool alone: the chance order of locking orders nothing in the program.
   */
  private final HostEdge edge;

  private final MemoryObserver observer;
  private long freeBytes;
  private int crowd = FIRST_CROWD;

  KeyedStore(PoolHealth health, StreamClocks clocks, BiConsumer<P, Boolean> counter) {
    this.lock = new PoolLock(health);
    this.pending = new PendingUses<>(lock, Piece::size, this::passed);
    this.counter = counter;
    this.edge = clocks.device().createHostEdge();
    this.observer = clocks.device().getMemoryObserver();
  }

  // ---- adding ----

  void add(P piece, List<StreamPoint> uses) {
    lock.run(
        () -> {
          edge.publish();
          counter.accept(piece, /* isCached */ true);
          list(piece);
          pending.add(piece, uses);
        });
  }

  /** Adds a piece that graphs use. It serves no request until the graphs have ended. */
  void setAside(P piece, List<Stream> users) {
    lock.run(
        () -> {
          counter.accept(piece, /* isCached */ true);
          pending.setAside(piece, users);
        });
  }

  /** Marks a piece as free, because no stream uses it any longer. Called under the lock. */
  private void passed(P piece) {
    // On the thread that queried the streams.
    edge.publish();
    piece.free = true;
    free.add(piece);
    freeBytes += piece.size;
    if (!piece.listed) { // it was set aside for a graph
      list(piece);
    }
  }

  private void list(P piece) {
    byKey.computeIfAbsent(piece.key, unused -> new ArrayDeque<>()).addFirst(piece);
    piece.listed = true;
  }

  // ---- removing ----

  /**
   * Removes and returns the newest piece of a key that is preferred by a stream, else the newest
   * free one that suits it; null if there is none.
   */
  @Nullable P take(K key, @Nullable Stream stream) {
    return lock.change(
        () -> {
          P found = null;
          for (P each : of(key)) {
            if (each.isPreferredBy(stream)) {
              found = each;
              break;
            }
            if (found == null && each.free && each.suits(stream)) {
              found = each;
            }
          }
          if (found != null) {
            remove(found);
          }
          return found;
        });
  }

  /**
   * Removes and returns the oldest piece of a key that streams still use; null if there is none.
   */
  @Nullable Idle<P> takePending(K key) {
    return lock.change(
        () -> {
          P oldest = null;
          for (P each : of(key)) {
            oldest = each.free ? oldest : each;
          }
          return oldest == null ? null : takeOut(oldest);
        });
  }

  /** Removes a piece, unless it is not listed, or in use while {@code inUse} is false. */
  List<Idle<P>> takeIfHere(P piece, boolean inUse) {
    return lock.change(
        () -> piece.listed && (piece.free || inUse) ? List.of(takeOut(piece)) : List.of());
  }

  /**
   * Removes free pieces, the least recently used first, while more than {@code keepBytes} are left
   * or the next piece is old.
   *
   * @param inUse whether to go on with pieces that streams still use, while more than {@code
   *     keepBytes} are left
   */
  List<Idle<P>> evict(long keepBytes, Predicate<P> old, boolean inUse) {
    return lock.change(
        () -> {
          List<P> leaving = new ArrayList<>();
          long left = bytes();
          for (P each : free) {
            if (left <= keepBytes && !old.test(each)) {
              break;
            }
            leaving.add(each);
            left -= each.size;
          }
          List<Idle<P>> evicted = takeOut(leaving);
          for (P each = next(left, keepBytes, inUse); each != null; ) {
            left -= each.size;
            evicted.add(takeOut(each));
            each = next(left, keepBytes, inUse);
          }
          return evicted;
        });
  }

  private @Nullable P next(long left, long keepBytes, boolean inUse) {
    return inUse && left > keepBytes ? pending.oldest() : null;
  }

  /**
   * Removes free pieces of closed streams if there are many free pieces, or if one of them has this
   * key.
   */
  List<Idle<P>> evictOrphans(K key) {
    return lock.change(
        () -> {
          if (free.size() < crowd && of(key).stream().noneMatch(Piece::isOrphan)) {
            return List.of();
          }
          List<Idle<P>> evicted = takeOut(free.stream().filter(Piece::isOrphan).toList());
          crowd = Math.max(FIRST_CROWD, 2 * free.size());
          return evicted;
        });
  }

  private List<Idle<P>> takeOut(List<P> pieces) {
    List<Idle<P>> taken = new ArrayList<>(pieces.size());
    pieces.forEach(each -> taken.add(takeOut(each)));
    return taken;
  }

  private Idle<P> takeOut(P piece) {
    return new Idle<>(piece, remove(piece));
  }

  private List<StreamPoint> remove(P piece) {
    PoolDriverCalls.make(observer, edge::receive);
    counter.accept(piece, /* isCached */ false);
    unlist(piece);
    if (piece.free) {
      free.remove(piece);
      freeBytes -= piece.size;
      piece.free = false;
      return List.of();
    }
    List<StreamPoint> uses = pending.remove(piece);
    return uses == null ? List.of() : uses;
  }

  private void unlist(P piece) {
    ArrayDeque<P> same = of(piece.key);
    // Mostly the newest or the oldest piece, which are at the ends.
    if (same.peekLast() == piece) {
      same.removeLast();
    } else {
      same.removeFirstOccurrence(piece);
    }
    if (same.isEmpty()) {
      byKey.remove(piece.key);
    }
    piece.listed = false;
  }

  private ArrayDeque<P> of(K key) {
    return byKey.getOrDefault(key, new ArrayDeque<>(0));
  }

  // ---- figures ----

  int count(K key) {
    return lock.read(() -> of(key).size());
  }

  int freeCount() {
    return lock.read(free::size);
  }

  long freeBytes() {
    return lock.read(() -> freeBytes);
  }

  /** Returns the bytes of all pieces, including those that streams and graphs use. */
  long bytes() {
    return lock.read(() -> freeBytes + pending.bytes());
  }

  /** Returns whether the oldest free piece or the oldest pending one is old. */
  boolean hasOld(Predicate<P> old) {
    return lock.read(
        () -> {
          P waiting = pending.oldest();
          return (waiting != null && old.test(waiting)) || free.stream().limit(1).anyMatch(old);
        });
  }
}
