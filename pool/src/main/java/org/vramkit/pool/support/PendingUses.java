package org.vramkit.pool.support;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
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

  /** The points that a piece waits for, and how many of them its stream has not passed. */
  private static final class Pending {
    final List<StreamPoint> points;
    int open;

    Pending(List<StreamPoint> points) {
      this.points = List.copyOf(points);
      this.open = points.size();
    }
  }

  /** The pieces that wait for a stream, with their points, in the order of the frees. */
  private static final class Queue<T> {
    final StreamProgress clock;
    final Map<T, StreamPoint> pieces = new LinkedHashMap<>();
    long newest;

    Queue(StreamProgress clock) {
      this.clock = clock;
    }

    StreamPoint newestPoint() {
      return new StreamPoint(clock, newest);
    }
  }

  private final PoolLock lock;
  private final ToLongFunction<T> sizes;
  private final Consumer<T> passed;

  /** Pieces that wait for points, in the order of their frees. */
  private final Map<T, Pending> waiting = new LinkedHashMap<>();

  private final Map<StreamProgress, Queue<T>> queues = new HashMap<>();

  /** The queues in the order of access, the least recently queried first. */
  private final Map<StreamProgress, Queue<T>> turns = new LinkedHashMap<>(16, 0.75f, true);

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
  public PendingUses(PoolLock lock, ToLongFunction<T> sizes, Consumer<T> passed) {
    this.lock = lock;
    this.sizes = sizes;
    this.passed = passed;
  }

  /**
   * Adds a piece that waits for points; if there are none, the piece is released. Does not block.
   * The owner {@linkplain #mark marks} the points afterwards. If this throws, the caller still owns
   * the piece.
   */
  public void add(T piece, List<StreamPoint> points) {
    lock.run(
        () -> {
          if (points.isEmpty()) {
            passed.accept(piece);
          } else {
            enter(piece, points);
          }
        });
  }

  private void enter(T piece, List<StreamPoint> points) {
    waiting.put(piece, new Pending(points));
    for (StreamPoint each : points) {
      Queue<T> queue = queueOf(each.clock());
      queue.pieces.put(piece, each);
      queue.newest = Math.max(queue.newest, each.epoch());
    }
    bytes += sizes.applyAsLong(piece);
  }

  private Queue<T> queueOf(StreamProgress clock) {
    Queue<T> queue = queues.get(clock);
    if (queue == null) {
      queue = new Queue<>(clock);
      queues.put(clock, queue);
      turns.put(clock, queue);
    }
    return queue;
  }

  private void leave(T piece, List<StreamPoint> points) {
    waiting.remove(piece);
    for (StreamPoint each : points) {
      Queue<T> queue = queues.get(each.clock());
      if (queue != null) {
        queue.pieces.remove(piece);
        dropIfEmpty(queue);
      }
    }
  }

  private void dropIfEmpty(Queue<T> queue) {
    if (queue.pieces.isEmpty()) {
      queues.remove(queue.clock);
      turns.remove(queue.clock);
    }
  }

  /** Records marks for points, so that the streams are known to have passed them soon. */
  public void mark(List<StreamPoint> points) {
    unlessLost(() -> points.forEach(each -> each.clock().markUnlessBehind()));
  }

  /**
   * Keeps a piece that captured work uses, until all captures and graphs of the streams' devices
   * have ended and their work is done.
   */
  public void setAside(T piece, Collection<Stream> users) {
    Set<Device> devices = Streams.devicesOf(users);
    lock.run(
        () -> {
          aside.put(piece, devices);
          bytes += sizes.applyAsLong(piece);
        });
  }

  /**
   * Removes a piece.
   *
   * @return the points that the piece still waits for; null if it is set aside or not here
   */
  public @Nullable List<StreamPoint> remove(T piece) {
    return lock.change(
        () -> {
          Pending pending = waiting.get(piece);
          if (pending == null) {
            return null;
          }
          List<StreamPoint> left =
              pending.points.stream().filter(each -> !each.hasPassed()).toList();
          leave(piece, pending.points);
          bytes -= sizes.applyAsLong(piece);
          return left;
        });
  }

  /** Returns the oldest piece that may be waited for now; null if there is none. */
  public @Nullable T oldest() {
    Map.Entry<T, Pending> oldest = lock.read(() -> cheapest(Long.MAX_VALUE));
    return oldest == null ? null : oldest.getKey();
  }

  /** Returns whether no piece is waiting or set aside. */
  public boolean isEmpty() {
    return lock.read(() -> waiting.isEmpty() && aside.isEmpty());
  }

  public boolean isAwaited(StreamProgress clock) {
    return lock.read(() -> queues.containsKey(clock));
  }

  /** Returns the streams that pieces wait for. */
  public List<Stream> streams() {
    return lock.read(() -> queues.keySet().stream().map(StreamProgress::stream).toList());
  }

  /** Returns the bytes of all pieces, including those set aside. */
  public long bytes() {
    return lock.read(() -> bytes);
  }

  /** Returns the bytes of the pieces that match {@code some}. */
  public long bytesOf(Predicate<T> some) {
    return lock.read(
        () ->
            waiting.keySet().stream().filter(some).mapToLong(sizes).sum()
                + aside.keySet().stream().filter(some).mapToLong(sizes).sum());
  }

  public Map<String, Long> bytesByStream() {
    return lock.read(
        () -> {
          Map<String, Long> result = new HashMap<>();
          for (Queue<T> each : queues.values()) {
            long sum = each.pieces.keySet().stream().mapToLong(sizes).sum();
            result.merge(Streams.nameOf(each.clock.stream()), sum, Long::sum);
          }
          return result;
        });
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
    int round = lock.read(queues::size);
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
    return lock.change(
        () -> {
          Iterator<StreamProgress> order = turns.keySet().iterator();
          // The access moves the queue to the end.
          Queue<T> next = order.hasNext() ? turns.get(order.next()) : null;
          return next == null ? null : next.newestPoint();
        });
  }

  /** Releases the uses that a stream has passed; returns whether its queue is empty. */
  private boolean isDrained(StreamProgress clock) {
    return lock.change(
        () -> {
          Queue<T> queue = queues.get(clock);
          if (queue == null) {
            return true;
          }
          Iterator<Map.Entry<T, StreamPoint>> uses = queue.pieces.entrySet().iterator();
          while (uses.hasNext()) {
            Map.Entry<T, StreamPoint> first = uses.next();
            if (!first.getValue().hasPassed()) {
              return false;
            }
            uses.remove();
            pass(first.getKey());
          }
          dropIfEmpty(queue);
          return true;
        });
  }

  private void pass(T piece) {
    Pending pending = requireNonNull(waiting.get(piece), "a piece in a queue");
    if (--pending.open == 0) {
      waiting.remove(piece);
      bytes -= sizes.applyAsLong(piece);
      passed.accept(piece);
    }
  }

  /** Releases pieces set aside whose graphs are closed and whose launches are complete. */
  private void takeBackAside() {
    if (lock.read(aside::isEmpty)) {
      return;
    }
    Map<T, Set<Device>> ended = lock.read(() -> new LinkedHashMap<>(aside));
    ended.values().removeIf(CapturedStreams::mayStillUse);
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
    takeBack(lock.read(() -> new LinkedHashMap<>(aside)));
  }

  private void takeBack(Map<T, Set<Device>> ended) {
    Set<Device> devices = new HashSet<>();
    ended.values().forEach(devices::addAll);
    unlessLost(() -> devices.forEach(PoolDriverCalls::awaitAll));
    lock.run(
        () -> {
          for (T piece : ended.keySet()) {
            if (aside.remove(piece) != null) {
              bytes -= sizes.applyAsLong(piece);
              passed.accept(piece);
            }
          }
        });
  }

  /**
   * Waits on the host for one piece: the smallest that is large enough, else the oldest. Skips
   * pieces of captured streams.
   *
   * @param wanted bytes; {@link Long#MAX_VALUE} for the oldest piece
   * @return false if there is no piece to wait for
   */
  public boolean awaitCheapest(long wanted) {
    return awaitCheapest(wanted, /* evenIfClosed= */ true);
  }

  /**
   * Does the same as {@link #awaitCheapest(long)}, but leaves pieces of closed streams to {@link
   * #poll()}. For use while a capture may begin: a wait for the device would invalidate the
   * capture.
   */
  public boolean awaitCheapestIfOpen(long wanted) {
    return awaitCheapest(wanted, /* evenIfClosed= */ false);
  }

  private boolean awaitCheapest(long wanted, boolean evenIfClosed) {
    Map.Entry<T, Pending> chosen = lock.read(() -> cheapest(wanted));
    if (chosen == null) {
      return false;
    }
    List<StreamPoint> points = chosen.getValue().points;
    unlessLost(() -> points.forEach(each -> each.await(evenIfClosed)));
    points.forEach(each -> isDrained(each.clock()));
    return true;
  }

  private static boolean isBlocked(Pending pending) {
    return pending.points.stream().anyMatch(each -> each.clock().isUnqueryable());
  }

  /** Returns the pieces whose streams must not be waited for now. */
  public Set<T> heldUp() {
    return lock.read(
        () -> {
          Set<T> held = new HashSet<>();
          waiting.forEach(
              (piece, pending) -> {
                if (isBlocked(pending)) {
                  held.add(piece);
                }
              });
          return held;
        });
  }

  private Map.@Nullable Entry<T, Pending> cheapest(long wanted) {
    Map.Entry<T, Pending> cheapest = null;
    for (Map.Entry<T, Pending> each : waiting.entrySet()) {
      if (isBlocked(each.getValue())) {
        continue;
      }
      long size = sizes.applyAsLong(each.getKey());
      if (cheapest == null) {
        cheapest = each;
        if (wanted == Long.MAX_VALUE) {
          break;
        }
      } else if (size >= wanted) {
        long best = sizes.applyAsLong(cheapest.getKey());
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
    List<StreamPoint> newest =
        lock.read(() -> queues.values().stream().map(Queue::newestPoint).toList());
    Batch.forEach(
        newest,
        point -> {
          unlessLost(() -> point.await(/* evenIfClosed= */ true));
          isDrained(point.clock());
        });
  }

  /**
   * Runs a driver call. If it finds the device lost, releases all pieces, because no work runs any
   * longer.
   */
  private void unlessLost(Runnable call) {
    try {
      call.run();
    } catch (FatalDeviceException e) {
      releaseAll();
      throw e;
    }
  }

  private void releaseAll() {
    lock.run(
        () -> {
          List<T> all = new ArrayList<>(waiting.keySet());
          all.addAll(aside.keySet());
          waiting.clear();
          queues.clear();
          turns.clear();
          aside.clear();
          bytes = 0;
          all.forEach(passed);
        });
  }
}
