package org.vramkit.pool.support;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.device.Stream;

/**
 * Pieces of memory that no user has, by key, the newest first; those that streams still use among
 * them, in {@link PendingUses}. One lock guards both, so a piece is always in one place. Every
 * method is atomic, and calls no driver.
 *
 * <p>A backend that checks order hears that a thread that adds a piece, or learns that streams have
 * passed it, comes before the one that takes it.
 *
 * @param <K> what must be equal for a piece to serve
 * @param <P> a piece; its {@code equals} must be identity
 */
final class KeyedStore<K, P extends Piece<K>> {
  /** As many free pieces as there may be before those of closed streams are looked for. */
  private static final int FIRST_CROWD = 64;

  /** A piece that was taken out, with what it still waits for. */
  record Idle<P>(P piece, List<StreamPoint> uses) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<K, ArrayDeque<P>> byKey = new HashMap<>();

  /** Those that no stream uses, the least recently used first. */
  private final Set<P> free = new LinkedHashSet<>();

  /** The others. */
  final PendingUses<P> pending;

  private final Stats stats;

  /** Tells whether the figures tell streams apart. */
  private final boolean byStream;

  private final HostEdge edge;
  private long freeBytes;
  private int crowd = FIRST_CROWD;

  KeyedStore(StreamClocks clocks, Stats stats, boolean byStream) {
    this.pending = new PendingUses<>(clocks, lock, Piece::size, this::passed);
    this.stats = stats;
    this.byStream = byStream;
    this.edge = PoolEdge.of(clocks.device());
  }

  // ---- coming in ----

  /** Keeps a piece that waits for some points. */
  void add(P piece, List<StreamPoint> uses) {
    locked(
        () -> {
          edge.publish();
          count(piece, /* isCached= */ true);
          list(piece);
          pending.addPoints(piece, uses);
          return piece;
        });
  }

  /** Keeps a piece that graphs use, which serves no request until they have ended. */
  void setAside(P piece, List<Stream> users) {
    locked(
        () -> {
          count(piece, /* isCached= */ true);
          pending.setAside(piece, users);
          return piece;
        });
  }

  /** Lets a piece serve that no stream uses any more; locked. */
  private void passed(P piece) {
    // By the thread that asked the streams.
    edge.publish();
    piece.free = true;
    free.add(piece);
    freeBytes += piece.size;
    if (!piece.listed) { // a graph had it
      list(piece);
    }
  }

  private void list(P piece) {
    byKey.computeIfAbsent(piece.key, unused -> new ArrayDeque<>()).addFirst(piece);
    piece.listed = true;
  }

  private void count(P piece, boolean isCached) {
    Stream stream = byStream ? piece.own() : null;
    if (isCached) {
      stats.cached(piece.size, stream);
    } else {
      stats.uncached(piece.size, stream);
    }
  }

  // ---- going out ----

  /**
   * Takes the newest piece of a key that is preferred, else the newest free one that suits.
   *
   * @param preferred may choose one that streams still use
   * @return null if there is none
   */
  @Nullable P take(K key, Predicate<P> preferred, Predicate<P> suits) {
    return locked(
        () -> {
          P found = null;
          for (P each : of(key)) {
            if (preferred.test(each)) {
              found = each;
              break;
            }
            if (found == null && each.free && suits.test(each)) {
              found = each;
            }
          }
          if (found != null) {
            remove(found);
          }
          return found;
        });
  }

  /** Takes the piece of a key that came back first of those that streams use; null if none is. */
  @Nullable Idle<P> takePending(K key) {
    return locked(
        () -> {
          P oldest = null;
          for (P each : of(key)) {
            oldest = each.free ? oldest : each;
          }
          return oldest == null ? null : takeOut(oldest);
        });
  }

  /** Takes a piece out, if it is here and free; that it is still in use may be no hindrance. */
  List<Idle<P>> takeIfHere(P piece, boolean inUse) {
    return locked(
        () -> piece.listed && (piece.free || inUse) ? List.of(takeOut(piece)) : List.of());
  }

  /**
   * Takes free pieces out, the least recently used first, while too many bytes are left or while
   * they are old.
   *
   * @param inUse whether pieces that streams use follow, where too many bytes are left
   */
  List<Idle<P>> evict(long keepBytes, Predicate<P> old, boolean inUse) {
    return locked(
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

  /** Takes free pieces of closed streams out, where they are many or in the way of a key. */
  List<Idle<P>> evictOrphans(K key) {
    return locked(
        () -> {
          if (free.size() < crowd && of(key).stream().noneMatch(Piece::isOrphan)) {
            return List.of();
          }
          List<Idle<P>> evicted = takeOut(free.stream().filter(Piece::isOrphan).toList());
          crowd = Math.max(FIRST_CROWD, 2 * free.size());
          return evicted;
        });
  }

  /** Takes everything out, because the device is lost. */
  List<Idle<P>> takeAll() {
    return locked(
        () -> {
          pending.takeAll().forEach(this::passed);
          return takeOut(List.copyOf(free));
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
    edge.receive();
    count(piece, /* isCached= */ false);
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
    // Mostly the newest or the oldest, which stand at the ends.
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

  /** How many pieces of a key there are. */
  int count(K key) {
    return locked(() -> of(key).size());
  }

  /** How many pieces are free. */
  int freeCount() {
    return locked(free::size);
  }

  /** How many bytes those have. */
  long freeBytes() {
    return locked(() -> freeBytes);
  }

  /** How many bytes all have, those that streams and graphs use included. */
  long bytes() {
    return locked(() -> freeBytes + pending.bytes());
  }

  /** Tells whether one of those that came first, free or not, is old. */
  boolean hasOld(Predicate<P> old) {
    return locked(
        () -> {
          P waiting = pending.oldest();
          return (waiting != null && old.test(waiting)) || free.stream().limit(1).anyMatch(old);
        });
  }

  private <R extends @Nullable Object> R locked(Supplier<R> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }
}
