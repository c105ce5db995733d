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
 * Pieces of memory that came back while streams still use them. Each waits for a set of {@linkplain
 * StreamPoint points}, and has passed once all of these have.
 *
 * <p><b>Cost.</b> Each stream has a queue of its uses in the order of their return, and a mark at
 * the first; the marks behind it are recorded when they are asked for. So a thousand pieces of one
 * stream cost one event, and one question as long as the stream is behind. {@link #poll} asks each
 * stream at most once, the one that was asked longest ago first, and stops after {@value
 * #MOST_IN_VAIN} that had not come far enough.
 *
 * <p><b>Captures.</b> A stream that is captured is neither asked, marked nor waited for. A piece
 * that a captured stream uses belongs to the graph, which uses it with each launch: it is {@link
 * #setAside}, and comes back once all captures and graphs of the devices have ended.
 *
 * <p><b>Threads.</b> The lock, which the owner may share so that a piece is always in exactly one
 * place, guards what is here. Drivers are called without it: no hit waits for a question. Where a
 * call of the driver fails, every piece is still here.
 *
 * @param <T> a piece; its {@code equals} must be identity
 */
public final class PendingUses<T> {
  private static final int MOST_IN_VAIN = 16;

  /** One piece, and how many of its points have not passed. */
  private static final class Pending<T> extends Chain.Node<Pending<T>> {
    final T piece;
    final List<Use<T>> uses;
    int open;

    Pending(T piece, int uses) {
      this.piece = piece;
      this.uses = new ArrayList<>(uses);
    }
  }

  /** One piece in the queue of one stream. */
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

  /** The uses by one stream, in the order of epochs. */
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

  /** All that wait for points, in the order of their return. */
  private final Chain<Pending<T>> waiting = new Chain<>();

  /** The queues with uses; the one whose stream was asked last at the end. */
  private final Chain<Queue<T>> turns = new Chain<>();

  // By which they are found.
  private final Map<T, Pending<T>> pieces = new HashMap<>();
  private final Map<StreamProgress, Queue<T>> queues = new HashMap<>();

  /** Pieces that graphs use, with the devices whose graphs these are. */
  private final Map<T, Set<Device>> aside = new LinkedHashMap<>();

  private long bytes;

  /**
   * Creates an empty one.
   *
   * @param lock guards what is here; the owner's, where a piece that passes goes to a place that it
   *     guards
   * @param sizes tells the bytes of a piece
   * @param passed takes a piece that no stream uses any more, under the lock; must not call a
   *     driver
   */
  public PendingUses(
      StreamClocks clocks, ReentrantLock lock, ToLongFunction<T> sizes, Consumer<T> passed) {
    this.clocks = clocks;
    this.lock = lock;
    this.sizes = sizes;
    this.passed = passed;
  }

  /**
   * Keeps a piece until the streams that use it have passed this moment. Does not block.
   *
   * @param users no stream twice; with none the piece has passed
   */
  public void add(T piece, Collection<Stream> users) {
    addPoints(piece, clocks.now(users));
  }

  /**
   * Keeps a piece until streams have passed some points. Does not block. Where this throws, the
   * piece is still the caller's.
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

  /** Makes all that needs memory of the JVM first: where that runs out, nothing waits. */
  private void enter(Pending<T> pending, List<StreamPoint> points) {
    long size = sizes.applyAsLong(pending.piece);
    try {
      for (StreamPoint each : points) {
        Queue<T> queue = queues.computeIfAbsent(each.clock(), Queue::new);
        pending.uses.add(new Use<>(pending, each, queue));
      }
      pieces.put(pending.piece, pending);
    } catch (Error e) {
      // A map that could not grow may have the entry nevertheless.
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

  /** Marks points; for an owner that has added a piece under the lock. */
  public void mark(List<StreamPoint> points) {
    unlessLost(() -> points.forEach(each -> each.clock().markUnlessBehind()));
  }

  /**
   * Keeps a piece that a captured stream uses until all captures and graphs have ended, and all
   * work after that.
   *
   * @param users its streams, captured or not
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
   * Takes a piece out.
   *
   * @return what it still waits for; null if it is not here, or set aside
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

  /** The piece that came first, of those that may be waited for now; null if there is none. */
  public @Nullable T oldest() {
    Pending<T> oldest = locked(() -> cheapest(Long.MAX_VALUE));
    return oldest == null ? null : oldest.piece;
  }

  /** Tells whether there is no piece, set aside or not. */
  public boolean isEmpty() {
    return locked(() -> pieces.isEmpty() && aside.isEmpty());
  }

  /** Tells whether a piece waits for the stream of a clock. */
  public boolean isAwaited(StreamProgress clock) {
    return locked(
        () -> {
          Queue<T> queue = queues.get(clock);
          return queue != null && queue.isLinked();
        });
  }

  /** How many bytes all pieces have, those that are set aside included. */
  public long bytes() {
    return locked(() -> bytes);
  }

  /** How many bytes of some pieces there are. */
  public long bytesOf(Predicate<T> some) {
    return locked(
        () ->
            pieces.keySet().stream().filter(some).mapToLong(sizes).sum()
                + aside.keySet().stream().filter(some).mapToLong(sizes).sum());
  }

  /** Bytes that wait for each stream, by its name. */
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
   * Asks streams how far they have come, until {@value #MOST_IN_VAIN} were asked in vain; the next
   * call goes on from there. Waits for the device only where a stream is closed and no mark is
   * behind its uses, as nothing else can tell when they end.
   */
  public void poll() {
    poll(MOST_IN_VAIN, /* waits= */ true, /* soon= */ false);
  }

  /**
   * Does the same, and marks what is new since earlier marks at once: a piece waits for no work
   * that came after this, and an event is recorded for each call and stream at most.
   */
  public void pollSoon() {
    poll(MOST_IN_VAIN, /* waits= */ true, /* soon= */ true);
  }

  /** The same without any wait: what closed streams use stays as it is. */
  public void pollOpen() {
    poll(MOST_IN_VAIN, /* waits= */ false, /* soon= */ false);
  }

  /** Asks every stream, as {@link #poll} does. */
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
        unlessLost(() -> clock.askFor(newest.epoch(), soon));
      }
      vain += isDrained(clock) ? 0 : 1;
    }
  }

  /** The newest point of the stream whose turn it is to be asked; null if no stream is left. */
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

  /** Lets everything pass that a stream has passed; whether nothing is left of its queue. */
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

  /** Lets pieces pass that graphs have used, once these are closed and their launches over. */
  private void takeBackAside() {
    if (locked(aside::isEmpty)) {
      return;
    }
    Map<T, Set<Device>> ended = locked(() -> new LinkedHashMap<>(aside));
    ended.values().removeIf(CapturedStreams::areAlive);
    try {
      takeBack(ended);
    } catch (CaptureException e) {
      // The next capture has just begun; what is here stays until that one has ended.
    }
  }

  /** Takes all back that is set aside, for an owner that knows that no graph is launched again. */
  public void takeBackFromGraphs() {
    takeBack(locked(() -> new LinkedHashMap<>(aside)));
  }

  private void takeBack(Map<T, Set<Device>> ended) {
    Set<Device> devices = new HashSet<>();
    ended.values().forEach(devices::addAll);
    unlessLost(() -> devices.forEach(Waits::awaitAll));
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
   * Waits on the host for one piece: the smallest that is large enough, else the one that came
   * first. Those of captured streams are left out.
   *
   * @param wanted bytes; {@link Long#MAX_VALUE} for the piece that came first
   * @return false if there is none to wait for
   */
  public boolean awaitCheapest(long wanted) {
    return awaitCheapest(wanted, StreamPoint::await);
  }

  /**
   * Does the same where a capture may begin meanwhile, which the wait for the device of a closed
   * stream would spoil: what such a stream uses is left to {@link #poll}.
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

  private static <T> boolean isHeldUp(Pending<T> pending) {
    return pending.uses.stream().anyMatch(use -> use.point.clock().isUnasked());
  }

  /** Pieces that wait for a stream that may not be waited for now. */
  public Set<T> heldUp() {
    lock.lock();
    try {
      Set<T> held = new HashSet<>();
      for (Pending<T> each = waiting.first; each != null; each = each.next) {
        if (isHeldUp(each)) {
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
      if (isHeldUp(each)) {
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
   * Waits on the host for all pieces, also where the wait for one stream fails. Those that captures
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

  /** Takes all pieces out, whatever they wait for: because the device is lost, or at the end. */
  public List<T> takeAll() {
    lock.lock();
    try {
      List<T> all = new ArrayList<>(pieces.size() + aside.size());
      for (Pending<T> each = waiting.first; each != null; each = each.next) {
        all.add(each.piece);
      }
      all.addAll(aside.keySet());
      // From here on nothing needs memory of the JVM.
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

  /** Lets all pieces pass if the device is lost: no work runs on it any more. */
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
