package org.vramkit.pool.caching.internal.heap;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.EventPool;
import org.vramkit.pool.support.Streams;
import org.vramkit.pool.support.Waits;

/**
 * Blocks that were closed while other streams had been recorded as users. Each such stream has a
 * queue of events in its own order, so asking stops at the first that is not complete, and one slow
 * stream holds up only what it uses itself.
 *
 * <p>A block that was closed is never lost, whatever fails: it arrives first, which needs no memory
 * of the JVM, and is queued then, now or with the next look.
 *
 * <p>Guarded by its own lock, under which the driver is called; no hit needs it.
 */
public final class PendingFrees {
  /** One block and how many streams it still waits for. */
  private static final class Pending {
    final Block block;
    int waitingFor;

    Pending(Block block, int waitingFor) {
      this.block = block;
      this.waitingFor = waitingFor;
    }
  }

  /** One block in one stream's queue; the event is null while it could not be recorded. */
  private static final class Use {
    final Pending pending;
    final Stream user;
    final Queue queue;
    @Nullable Event event;
    @Nullable Use next;

    Use(Pending pending, Stream user, Queue queue) {
      this.pending = pending;
      this.user = user;
      this.queue = queue;
    }
  }

  /** The uses by one stream, oldest first; linked, so that adding one needs no memory. */
  private static final class Queue {
    @Nullable Use first;
    private @Nullable Use last;

    void add(Use use) {
      if (last == null) {
        first = use;
      } else {
        last.next = use;
      }
      last = use;
    }

    void removeFirst(Use use) {
      first = use.next;
      last = first == null ? null : last;
    }
  }

  /** Guards everything here. Before the locks of the heap and of thread caches. */
  public final ReentrantLock lock = new ReentrantLock();

  private final EventPool events;
  private final UsageGauge gauge;
  private final Predicate<Stream> unasked;
  private final PoolObserver observer;

  /** By handle: a closed stream and the one that has its handle now share a queue, not a user. */
  private final Map<Stream, Queue> queues = new LinkedHashMap<>();

  private final Set<Pending> all = new LinkedHashSet<>();

  /** Closed and not queued yet, linked by {@code nextCached}. */
  private @Nullable Block arrived;

  /** Passed by all their users and not taken yet, linked by {@code nextCached}. */
  private @Nullable Block passed;

  private volatile int count;

  /**
   * None.
   *
   * @param unasked whether a stream may not be asked, marked or waited for now
   * @param observer hears what can be used again
   */
  public PendingFrees(
      EventPool events, UsageGauge gauge, Predicate<Stream> unasked, PoolObserver observer) {
    this.events = events;
    this.gauge = gauge;
    this.unasked = unasked;
    this.observer = observer;
  }

  public boolean isEmpty() {
    return count == 0;
  }

  /**
   * Keeps a block until the streams that use it have passed this point. It is kept also where this
   * throws.
   */
  public void add(Block block) {
    lock.lock();
    try {
      block.pending = true;
      block.nextCached = arrived;
      arrived = block;
      changeCount(1);
      queueArrived();
    } finally {
      lock.unlock();
    }
  }

  private void changeCount(int change) {
    int before = count;
    count = before + change;
  }

  private void queueArrived() {
    while (arrived != null) {
      Block block = arrived;
      List<Use> uses = usesOf(block);
      // From here on nothing needs memory of the JVM.
      arrived = block.nextCached;
      block.nextCached = null;
      block.clearUses();
      for (Use use : uses) {
        use.queue.add(use);
      }
      for (Use use : uses) {
        markIfPossible(use);
      }
    }
  }

  private List<Use> usesOf(Block block) {
    List<Stream> users = block.uses();
    Pending pending = new Pending(block, users.size());
    List<Use> uses = new ArrayList<>(users.size());
    for (Stream user : users) {
      uses.add(new Use(pending, user, queues.computeIfAbsent(user, key -> new Queue())));
    }
    all.add(pending);
    return uses;
  }

  private void markIfPossible(Use use) {
    if (unasked.test(use.user)) {
      return;
    }
    try {
      use.event = events.mark(use.user);
    } catch (FatalDeviceException e) {
      throw e;
    } catch (RuntimeException unrecorded) {
      // The block stays here without an event; the next look records it, later than need be.
    }
  }

  /**
   * Blocks whose streams have all passed, linked by {@code nextCached}; asks the driver. If that
   * fails when some are ready already, these are returned, and the next call meets the failure
   * again.
   */
  public @Nullable Block poll() {
    lock.lock();
    try {
      queueArrived();
      try {
        askQueues();
      } catch (RuntimeException | Error e) {
        if (passed == null) {
          throw e;
        }
      }
      return takePassed();
    } finally {
      lock.unlock();
    }
  }

  private void askQueues() {
    for (Iterator<Queue> it = queues.values().iterator(); it.hasNext(); ) {
      Queue queue = it.next();
      for (Use use = queue.first; use != null && isPassed(use); use = queue.first) {
        queue.removeFirst(use);
        pass(use);
      }
      if (queue.first == null) {
        it.remove();
      }
    }
  }

  /** Tells of each before it leaves, so that one whose telling fails waits for the next call. */
  private @Nullable Block takePassed() {
    Block ready = null;
    Block last = null;
    try {
      for (Block block = passed; block != null; block = passed) {
        observer.freeCompleted(block.address, block.requested, block.owner().stream, block.tag());
        passed = block.nextCached;
        changeCount(-1);
        gauge.pendingRemoved(block.size);
        block.requested = 0;
        block.pending = false;
        block.nextCached = null;
        if (last == null) {
          ready = block;
        } else {
          last.nextCached = block;
        }
        last = block;
      }
    } catch (RuntimeException | Error e) {
      if (ready == null) {
        throw e;
      }
    }
    return ready;
  }

  private boolean isPassed(Use use) {
    if (unasked.test(use.user)) {
      return false;
    }
    Event mark = markOf(use);
    if (mark == null) {
      try {
        mark = events.mark(use.user);
        use.event = mark;
      } catch (ClosedException e) {
        // A closed stream's work goes on, and only the whole device can tell when it is done. It
        // may not be asked where the stream was closed since the first question, beside a capture.
        if (unasked.test(use.user)) {
          return false;
        }
        Waits.awaitAll(use.user.getDevice());
        return true;
      }
    }
    return Waits.isOver(mark, events.device());
  }

  /**
   * An event behind a use; null if there is none. Where it could not be marked itself, the mark of
   * a later one is behind it too, and nearer than what the stream was given since.
   */
  private static @Nullable Event markOf(Use use) {
    for (Use each = use; each != null && Streams.areSame(each.user, use.user); each = each.next) {
      if (each.event != null) {
        return each.event;
      }
    }
    return null;
  }

  private void pass(Use use) {
    if (use.event != null) {
      events.give(use.event);
      use.event = null;
    }
    Pending pending = use.pending;
    if (--pending.waitingFor > 0) {
      return;
    }
    all.remove(pending);
    pending.block.nextCached = passed;
    passed = pending.block;
  }

  /**
   * Waits on the host for one block: the smallest that is large enough, else the oldest. The wait
   * itself is outside of the lock, so that others go on; {@link #poll} then has the block, unless
   * another thread was first.
   *
   * @return false if none is pending
   */
  public boolean awaitCheapest(long size) {
    List<Event> awaited;
    lock.lock();
    try {
      awaited = eventsOfCheapest(size);
    } finally {
      lock.unlock();
    }
    if (awaited == null) {
      return false;
    }
    // An event that was recorded again meanwhile is waited for longer than need be, never less.
    awaited.forEach(event -> Waits.await(event, events.device()));
    return true;
  }

  /** Whether one is pending that may be waited for, or passed and only to be polled. */
  public boolean isAwaitable() {
    lock.lock();
    try {
      queueArrived();
      return passed != null || cheapest(0) != null;
    } finally {
      lock.unlock();
    }
  }

  /** The smallest that is large enough, else the oldest, of those that may be waited for. */
  private @Nullable Pending cheapest(long size) {
    Set<Pending> held = held();
    Pending cheapest = null;
    for (Pending pending : all) {
      if (held.contains(pending)) {
        continue;
      }
      if (cheapest == null) {
        cheapest = pending;
      } else if (pending.block.size >= size
          && (cheapest.block.size < size || pending.block.size < cheapest.block.size)) {
        cheapest = pending;
      }
    }
    return cheapest;
  }

  /** Tells whether a stream may not be asked, marked or waited for now. */
  boolean isUnasked(Stream stream) {
    return unasked.test(stream);
  }

  /** Blocks that wait for a stream that may not be waited for now. */
  Set<Block> heldUp() {
    lock.lock();
    try {
      queueArrived();
      Set<Block> blocks = new HashSet<>();
      held().forEach(each -> blocks.add(each.block));
      return blocks;
    } finally {
      lock.unlock();
    }
  }

  /** Those that wait for a stream that nobody may wait for now. */
  private Set<Pending> held() {
    Set<Pending> held = new HashSet<>();
    for (Queue queue : queues.values()) {
      for (Use use = queue.first; use != null; use = use.next) {
        if (unasked.test(use.user)) {
          held.add(use.pending);
        }
      }
    }
    return held;
  }

  private @Nullable List<Event> eventsOfCheapest(long size) {
    queueArrived();
    if (passed != null) {
      return List.of();
    }
    Pending cheapest = cheapest(size);
    if (cheapest == null) {
      return null;
    }
    List<Event> waitedFor = new ArrayList<>();
    for (Queue queue : queues.values()) {
      for (Use use = queue.first; use != null; use = use.next) {
        // One that could not be recorded when it was closed is recorded now.
        if (use.pending == cheapest && (use.event != null || !isPassed(use))) {
          Event mark = markOf(use);
          if (mark != null) {
            waitedFor.add(mark);
          }
        }
      }
    }
    return waitedFor;
  }

  /** Gives all events back, because the device is lost and nothing will be passed any more. */
  public void giveUp() {
    lock.lock();
    try {
      for (Queue queue : queues.values()) {
        for (Use use = queue.first; use != null; use = use.next) {
          if (use.event != null) {
            events.give(use.event);
            use.event = null;
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Bytes that wait for each stream, by its handle in hexadecimal. */
  public Map<String, Long> bytesByStream() {
    lock.lock();
    try {
      Map<String, Long> bytes = new HashMap<>();
      queues.forEach(
          (stream, queue) -> {
            for (Use use = queue.first; use != null; use = use.next) {
              bytes.merge(Streams.nameOf(stream), use.pending.block.size, Long::sum);
            }
          });
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  /** Pending bytes of the blocks of one stream. */
  public long bytesOf(StreamState heap) {
    lock.lock();
    try {
      long bytes = 0;
      for (Pending pending : all) {
        bytes += pending.block.heap == heap ? pending.block.size : 0;
      }
      return bytes + bytesOf(arrived, heap) + bytesOf(passed, heap);
    } finally {
      lock.unlock();
    }
  }

  private static long bytesOf(@Nullable Block first, StreamState heap) {
    long bytes = 0;
    for (Block block = first; block != null; block = block.nextCached) {
      bytes += block.heap == heap ? block.size : 0;
    }
    return bytes;
  }
}
