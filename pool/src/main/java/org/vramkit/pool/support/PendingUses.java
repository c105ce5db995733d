package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.FatalDeviceException;

/**
 * Freed pieces of memory that streams still use. Each waits for a set of {@linkplain StreamPoint
 * points}, and is released once the streams have passed all of them.
 *
 * <p><b>Cost.</b> Each stream has a queue of uses in the order of the frees. The first use gets a
 * mark, which is an event; later marks are recorded when the queue is polled. A thousand pieces of
 * one stream therefore cost one event, and one query per poll while the stream is behind. {@link
 * #poll} queries each stream at most once, the least recently queried first, and stops after
 * {@value #MOST_IN_VAIN} streams that are still behind.
 *
 * <p><b>Captures.</b> A captured stream is neither queried, marked nor waited for. A piece that
 * captured work uses is used again by every launch of the graph. It is {@linkplain #setAside set
 * aside} until all captures and graphs of the devices have ended.
 *
 * <p><b>Threads.</b> The lock guards all state. The owner may share it, so that a piece is always
 * in exactly one place. No driver is called under it, so no hit waits for a query. A failed driver
 * call leaves every piece here, unless the device is lost: then all pieces are released.
 *
 * @param <T> a piece; its {@code equals} must be identity
 */
public final class PendingUses<T> {
  private static final int MOST_IN_VAIN = 16;

  /** A piece and its uses, with the number of points that are not passed. */
  private static final class Pending<T> extends Chain.Node<Pending<T>> {
    final T piece;
    final List<Use<T>> uses;
    int open;

    Pending(T piece, int uses) {
      this.piece = piece;
      this.uses = new ArrayList<>(uses);
    }
  }

  /** A use of a piece in the queue of a stream. */
  private static final class Use<T> extends Chain.Node<Use<T>> {
    final Pending<T> pending;
    final StreamPoint point;
    final Queue<T> queue;

    Use(Pending<T> pending, StreamPoint point, Queue<T> queue) {
      this.pending = pending;
      this.point = point;
      this.queue = queue;
    }
  }

  /** The uses by a stream, in the order of epochs. */
  private static final class Queue<T> extends Chain.Node<Queue<T>> {
    final StreamProgress clock;
    final Chain<Use<T>> uses = new Chain<>();
    long newest;

    Queue(StreamProgress clock) {
      this.clock = clock;
    }

    void add(Use<T> use) {
      uses.add(use);
      newest = Math.max(newest, use.point.epoch());
    }
  }

  private final StreamClocks clocks;
  private final ReentrantLock lock;
  private final ToLongFunction<T> sizes;
  private final Consumer<T> passed;

  /** Pieces that wait for points, in the order of their frees. */
  private final Chain<Pending<T>> waiting = new Chain<>();

  /** Queues that are not empty, the least recently queried first. */
  private final Chain<Queue<T>> turns = new Chain<>();

  // Indexes of waiting pieces and of queues.
  private final Map<T, Pending<T>> pieces = new HashMap<>();
  private final Map<StreamProgress, Queue<T>> queues = new HashMap<>();

  /** Pieces that graphs use, with the devices of these graphs. */
  private final Map<T, Set<Device>> aside = new LinkedHashMap<>();

  private long bytes;

  /**
   * Creates an empty instance.
   *
   * @param lock guards all state; shared with the owner if it also guards the place that released
   *     pieces go to
   * @param passed receives, under the lock, each piece whose points have all been passed, and each
   *     piece that is released for another reason; must not call a driver
   */
  public PendingUses(
      StreamClocks clocks, ReentrantLock lock, ToLongFunction<T> sizes, Consumer<T> passed) {
    this.clocks = clocks;
    this.lock = lock;
    this.sizes = sizes;
    this.passed = passed;
  }

  /**
   * Adds a piece that waits until its streams have passed this point. Does not block.
   *
   * @param users distinct streams; if there are none, the piece is released
   */
  public void add(T piece, Collection<Stream> users) {
    addPoints(piece, clocks.now(users));
  }

  /**
   * Adds a piece that waits for points. Does not block. If this throws, the caller still owns the
   * piece, unless it throws {@link FatalDeviceException}, which may come after the piece was
   * released.
   */
  public void addPoints(T piece, List<StreamPoint> points) {
    lock.lock();
    try {
      if (points.isEmpty()) {
        passed.accept(piece);
        return;
      }
      enter(new Pending<>(piece, points.size()), points);
    } finally {
      lock.unlock();
    }
    if (!lock.isHeldByCurrentThread()) {
      mark(points);
    }
  }

  /**
   * Adds a piece to the queues. Allocates Java objects first, so that a full Java heap changes
   * nothing.
   */
  private void enter(Pending<T> pending, List<StreamPoint> points) {
    long size = sizes.applyAsLong(pending.piece);
    try {
      for (StreamPoint each : points) {
        Queue<T> queue = queues.computeIfAbsent(each.clock(), Queue::new);
        pending.uses.add(new Use<>(pending, each, queue));
      }
      pieces.put(pending.piece, pending);
    } catch (Error e) {
      // A map that failed to grow may contain the entry.
      pieces.remove(pending.piece);
      for (int i = 0; i < pending.uses.size(); i++) {
        Queue<T> queue = pending.uses.get(i).queue;
        if (!queue.isLinked()) {
          queues.remove(queue.clock);
        }
      }
      throw e;
    }
    for (int i = 0; i < pending.uses.size(); i++) {
      Use<T> use = pending.uses.get(i);
      use.queue.add(use);
      if (!use.queue.isLinked()) {
        turns.add(use.queue);
      }
    }
    pending.open = points.size();
    waiting.add(pending);
    bytes += size;
  }

  /** Records marks for points. Called by an owner that has added a piece under the lock. */
  public void mark(List<StreamPoint> points) {
    unlessLost(() -> points.forEach(each -> each.clock().markUnlessBehind()));
  }

  /**
   * Keeps a piece that captured work uses, until all captures and graphs of the streams' devices
   * have ended and their work is done.
   */
  public void setAside(T piece, Collection<Stream> users) {
    Set<Device> devices = new HashSet<>();
    users.forEach(each -> devices.add(each.getDevice()));
    lock.lock();
    try {
      aside.put(piece, devices);
      bytes += sizes.applyAsLong(piece);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes a piece.
   *
   * @return the points that the piece still waits for; null if it is set aside or not here
   */
  public @Nullable List<StreamPoint> remove(T piece) {
    lock.lock();
    try {
      Pending<T> pending = pieces.get(piece);
      if (pending == null) {
        return null;
      }
      List<StreamPoint> left = new ArrayList<>(pending.open);
      pieces.remove(piece);
      waiting.remove(pending);
      for (Use<T> each : pending.uses) {
        if (leaveQueue(each)) {
          left.add(each.point);
        }
      }
      bytes -= sizes.applyAsLong(piece);
      return left;
    } finally {
      lock.unlock();
    }
  }

  private boolean leaveQueue(Use<T> use) {
    Queue<T> queue = use.queue;
    boolean there = queue.uses.remove(use);
    if (there && queue.uses.isEmpty()) {
      turns.remove(queue);
      queues.remove(queue.clock);
    }
    return there;
  }

  /** Returns the oldest piece that may be waited for now; null if there is none. */
  public @Nullable T oldest() {
    Pending<T> oldest = locked(() -> cheapest(Long.MAX_VALUE));
    return oldest == null ? null : oldest.piece;
  }

  /** Returns whether no piece is waiting or set aside. */
  public boolean isEmpty() {
    return locked(() -> pieces.isEmpty() && aside.isEmpty());
  }

  /** Returns whether a piece waits for a stream. */
  public boolean isAwaited(StreamProgress clock) {
    return locked(
        () -> {
          Queue<T> queue = queues.get(clock);
          return queue != null && queue.isLinked();
        });
  }

  /** Returns the bytes of all pieces, including those set aside. */
  public long bytes() {
    return locked(() -> bytes);
  }

  /** Returns the bytes of the pieces that match {@code some}. */
  public long bytesOf(Predicate<T> some) {
    return locked(
        () ->
            pieces.keySet().stream().filter(some).mapToLong(sizes).sum()
                + aside.keySet().stream().filter(some).mapToLong(sizes).sum());
  }

  /** Returns the bytes that wait for each stream, by its name. */
  public Map<String, Long> bytesByStream() {
    lock.lock();
    try {
      Map<String, Long> result = new HashMap<>();
      for (Queue<T> queue = turns.first; queue != null; queue = queue.next) {
        String name = Streams.nameOf(queue.clock.stream());
        for (Use<T> use = queue.uses.first; use != null; use = use.next) {
          result.merge(name, sizes.applyAsLong(use.pending.piece), Long::sum);
        }
      }
      return result;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Queries streams until {@value #MOST_IN_VAIN} were found behind; the next call continues from
   * there. Waits for the device only if a stream is closed and no mark follows its uses, because
   * their end is unknown otherwise.
   */
  public void poll() {
    poll(MOST_IN_VAIN, /* waits= */ true, /* soon= */ false);
  }

  /**
   * Does the same as {@link #poll()}, but also marks at once any uses that no mark in flight
   * covers, so that a piece does not wait for work submitted later. Records at most one event for
   * each stream.
   */
  public void pollSoon() {
    poll(MOST_IN_VAIN, /* waits= */ true, /* soon= */ true);
  }

  /** Does the same as {@link #poll()} without waiting: pieces of closed streams stay. */
  public void pollOpen() {
    poll(MOST_IN_VAIN, /* waits= */ false, /* soon= */ false);
  }

  /** Queries all streams, as {@link #poll()} does, without a limit. */
  public void pollAll() {
    poll(Integer.MAX_VALUE, /* waits= */ true, /* soon= */ false);
  }

  private void poll(int mostInVain, boolean waits, boolean soon) {
    if (waits) {
      takeBackAside();
    }
    int round = locked(queues::size);
    int vain = 0;
    for (int i = 0; i < round && vain < mostInVain; i++) {
      StreamPoint newest = nextInTurn();
      if (newest == null) {
        return;
      }
      StreamProgress clock = newest.clock();
      if (waits || !clock.stream().isClosed()) {
        unlessLost(() -> clock.queryEpoch(newest.epoch(), soon));
      }
      vain += isDrained(clock) ? 0 : 1;
    }
  }

  /** Returns the newest point of the next stream to query; null if there is none. */
  private @Nullable StreamPoint nextInTurn() {
    lock.lock();
    try {
      Queue<T> next = turns.first;
      if (next == null) {
        return null;
      }
      turns.remove(next);
      turns.add(next);
      return new StreamPoint(next.clock, next.newest);
    } finally {
      lock.unlock();
    }
  }

  /** Releases the uses that a stream has passed; returns whether its queue is empty. */
  private boolean isDrained(StreamProgress clock) {
    lock.lock();
    try {
      Queue<T> queue = queues.get(clock);
      if (queue == null) {
        return true;
      }
      for (Use<T> first = queue.uses.first; first != null; first = queue.uses.first) {
        if (!first.point.hasPassed()) {
          return false;
        }
        leaveQueue(first);
        pass(first.pending);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void pass(Pending<T> pending) {
    if (--pending.open == 0) {
      pieces.remove(pending.piece);
      waiting.remove(pending);
      bytes -= sizes.applyAsLong(pending.piece);
      passed.accept(pending.piece);
    }
  }

  /** Releases pieces set aside whose graphs are closed and whose launches are complete. */
  private void takeBackAside() {
    if (locked(aside::isEmpty)) {
      return;
    }
    Map<T, Set<Device>> ended = locked(() -> new LinkedHashMap<>(aside));
    ended.values().removeIf(CapturedStreams::areAlive);
    try {
      takeBack(ended);
    } catch (CaptureException e) {
      // Another capture has just begun. Pieces stay until it has ended.
    }
  }

  /**
   * Releases all pieces set aside. Called by an owner that knows that no graph is launched again.
   */
  public void takeBackFromGraphs() {
    takeBack(locked(() -> new LinkedHashMap<>(aside)));
  }

  private void takeBack(Map<T, Set<Device>> ended) {
    Set<Device> devices = new HashSet<>();
    ended.values().forEach(devices::addAll);
    unlessLost(() -> devices.forEach(OwnCalls::awaitAll));
    lock.lock();
    try {
      for (T piece : ended.keySet()) {
        if (aside.remove(piece) != null) {
          bytes -= sizes.applyAsLong(piece);
          passed.accept(piece);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits on the host for one piece: the smallest that is large enough, else the oldest. Skips
   * pieces of captured streams.
   *
   * @param wanted bytes; {@link Long#MAX_VALUE} for the oldest piece
   * @return false if there is no piece to wait for
   */
  public boolean awaitCheapest(long wanted) {
    return awaitCheapest(wanted, StreamPoint::await);
  }

  /**
   * Does the same as {@link #awaitCheapest(long)}, but leaves pieces of closed streams to {@link
   * #poll()}. For use while a capture may begin: a wait for the device would invalidate the
   * capture.
   */
  public boolean awaitCheapestIfOpen(long wanted) {
    return awaitCheapest(wanted, StreamPoint::awaitIfOpen);
  }

  private boolean awaitCheapest(long wanted, Consumer<StreamPoint> wait) {
    Pending<T> chosen = locked(() -> cheapest(wanted));
    if (chosen == null) {
      return false;
    }
    List<StreamPoint> points = chosen.uses.stream().map(use -> use.point).toList();
    unlessLost(() -> points.forEach(wait));
    points.forEach(each -> isDrained(each.clock()));
    return true;
  }

  private static <T> boolean isBlocked(Pending<T> pending) {
    return pending.uses.stream().anyMatch(use -> use.point.clock().isUnqueryable());
  }

  /** Returns the pieces whose streams must not be waited for now. */
  public Set<T> heldUp() {
    lock.lock();
    try {
      Set<T> held = new HashSet<>();
      for (Pending<T> each = waiting.first; each != null; each = each.next) {
        if (isBlocked(each)) {
          held.add(each.piece);
        }
      }
      return held;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Pending<T> cheapest(long wanted) {
    Pending<T> cheapest = null;
    for (Pending<T> each = waiting.first; each != null; each = each.next) {
      if (isBlocked(each)) {
        continue;
      }
      long size = sizes.applyAsLong(each.piece);
      if (cheapest == null) {
        cheapest = each;
        if (wanted == Long.MAX_VALUE) {
          break;
        }
      } else if (size >= wanted) {
        long best = sizes.applyAsLong(cheapest.piece);
        cheapest = best < wanted || size < best ? each : cheapest;
      }
    }
    return cheapest;
  }

  /**
   * Waits on the host for all pieces, even if the wait for one stream fails. Pieces that captures
   * or graphs use stay.
   */
  public void awaitAll() {
    takeBackAside();
    List<StreamPoint> newest = new ArrayList<>();
    for (int i = locked(queues::size); i > 0; i--) {
      StreamPoint next = nextInTurn();
      if (next != null) {
        newest.add(next);
      }
    }
    Batch.forEach(
        newest,
        point -> {
          unlessLost(point::await);
          isDrained(point.clock());
        });
  }

  /**
   * Removes and returns all pieces, even if streams use them, because the device is lost or the
   * owner closes.
   */
  public List<T> takeAll() {
    lock.lock();
    try {
      List<T> all = new ArrayList<>(pieces.size() + aside.size());
      for (Pending<T> each = waiting.first; each != null; each = each.next) {
        all.add(each.piece);
      }
      all.addAll(aside.keySet());
      // From here on nothing allocates Java objects.
      for (Pending<T> each = waiting.first; each != null; each = waiting.first) {
        waiting.remove(each);
      }
      for (Queue<T> each = turns.first; each != null; each = turns.first) {
        turns.remove(each);
      }
      pieces.clear();
      queues.clear();
      aside.clear();
      bytes = 0;
      return all;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Runs a driver call. If it finds the device lost, releases all pieces, because no work runs any
   * longer.
   */
  private void unlessLost(Runnable call) {
    try {
      call.run();
    } catch (FatalDeviceException e) {
      lock.lock();
      try {
        takeAll().forEach(passed);
      } finally {
        lock.unlock();
      }
      throw e;
    }
  }

  private <R extends @Nullable Object> R locked(Supplier<R> question) {
    lock.lock();
    try {
      return question.get();
    } finally {
      lock.unlock();
    }
  }
}
