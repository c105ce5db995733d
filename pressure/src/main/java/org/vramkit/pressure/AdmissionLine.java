package org.vramkit.pressure;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The open grants and the line of waiters; decides which waiter is served next. Uses no device,
 * clock or thread; guarded by the lock of its {@link Admission}.
 *
 * <p><b>Order.</b> Growths of open grants come first, then demands by priority. Equals keep the
 * order of arrival.
 *
 * <p><b>Overtaking.</b> A waiter that fits may overtake waiters that do not fit yet, if it leaves
 * room for each of them: the capacity must suffice for the overtaken waiter and all grants that
 * overtook it. So a waiter fits at the latest when all jobs before it have ended, even if the jobs
 * that overtook it still run. Memory that the first waiter cannot use yet does not lie idle.
 *
 * <p><b>Progress.</b> If no grant is open, the first waiter is served even if it does not fit. Only
 * other processes can hold the missing memory then, so no close of a grant would help. If every
 * open grant waits to grow, no grant would ever be closed, so the latest growth is refused.
 */
final class AdmissionLine {
  private final List<Waiter> waiters = new ArrayList<>();

  /** Open grants, and ended ones whose memory is still held. */
  private final List<Grant> grants = new ArrayList<>();

  private long grantedBytes;
  private int running;

  long getGrantedBytes() {
    return grantedBytes;
  }

  int getRunning() {
    return running;
  }

  List<Waiter> getWaiters() {
    return waiters;
  }

  long getUsedBytes() {
    long used = 0;
    for (int i = 0; i < grants.size(); i++) {
      used += grants.get(i).getUsedBytes();
    }
    return used;
  }

  /** Returns whether a new demand can be granted without waiting. */
  boolean admitsAtOnce(long bytes, long capacity) {
    return waiters.isEmpty() && (running == 0 || bytes <= capacity - grantedBytes);
  }

  void open(Grant grant) {
    grants.add(grant);
    grantedBytes += grant.getBytes();
    running++;
  }

  void add(Waiter waiter) {
    int place = waiters.size();
    while (place > 0 && !waiters.get(place - 1).isBefore(waiter)) {
      place--;
    }
    waiters.add(place, waiter);
    waiter.inLine = true;
    if (waiter.growing != null) {
      waiter.growing.growths++;
    }
  }

  /** Removes a waiter; returns false if it has left already. */
  boolean remove(Waiter waiter) {
    if (!waiter.inLine) {
      return false;
    }
    waiters.remove(waiter);
    leave(waiter);
    return true;
  }

  private static void leave(Waiter waiter) {
    waiter.inLine = false;
    if (waiter.growing != null) {
      waiter.growing.growths--;
    }
  }

  /** Ends a grant. The bytes that its job still holds stay granted. */
  void end(Grant grant) {
    running--;
    settle(grant);
  }

  /** Releases the bytes that an ended grant does not hold. */
  void settle(Grant grant) {
    resize(grant, grant.getUsedBytes() - grant.getBytes());
    if (grant.getBytes() == 0) {
      grants.remove(grant);
      grant.overtook.clear();
    }
  }

  /** Reduces an open grant by up to {@code bytes}, but not below the bytes in use. */
  void shrink(Grant grant, long bytes) {
    resize(grant, -bytes);
    // Read the bytes in use only now, because later claims see the smaller size.
    resize(grant, Math.max(0, grant.getUsedBytes() - grant.getBytes()));
  }

  private void resize(Grant grant, long change) {
    grantedBytes += change;
    grant.overtook.forEach(waiter -> waiter.overtaken += change);
    grant.resize(change);
  }

  /**
   * Serves all waiters that may be served.
   *
   * @param capacity maximum sum of all grants
   * @param opener creates the grant of a demand
   * @return the waiters that have left the line, each with a grant, or without one if a growth was
   *     refused
   */
  List<Waiter> serve(long capacity, Function<Demand, Grant> opener) {
    List<Waiter> served = new ArrayList<>();
    List<Waiter> passed = new ArrayList<>();
    long room = Long.MAX_VALUE;
    Iterator<Waiter> line = waiters.iterator();
    while (line.hasNext() && room > 0) {
      Waiter waiter = line.next();
      boolean fits = waiter.bytes() <= Math.min(room, capacity - grantedBytes);
      if (fits || (running == 0 && passed.isEmpty())) {
        line.remove();
        leave(waiter);
        long less = grant(waiter, passed, opener);
        room = passed.isEmpty() ? room : room - less;
        served.add(waiter);
      } else {
        room = Math.min(room, capacity - waiter.need() - waiter.overtaken);
        passed.add(waiter);
      }
    }
    Waiter last = lastOfDeadlock();
    if (last != null) {
      remove(last);
      served.add(last);
      // The refused growth may have kept others waiting.
      served.addAll(serve(capacity, opener));
    }
    return served;
  }

  /** Serves a waiter; returns the bytes by which the room of overtaken waiters shrinks. */
  private long grant(Waiter waiter, List<Waiter> passed, Function<Demand, Grant> opener) {
    Grant grown = waiter.growing;
    if (grown == null) {
      Grant opened = opener.apply(waiter.demand);
      open(opened);
      waiter.granted = opened;
      return overtake(opened, passed);
    }
    resize(grown, waiter.bytes());
    waiter.granted = grown;
    return overtake(grown, passed.stream().filter(each -> !grown.overtook.contains(each)).toList());
  }

  private static long overtake(Grant grant, List<Waiter> passed) {
    passed.forEach(other -> other.overtaken += grant.getBytes());
    grant.overtook.addAll(passed);
    return grant.getBytes();
  }

  /** Returns the latest growth if every open grant waits to grow; otherwise null. */
  private @Nullable Waiter lastOfDeadlock() {
    if (running == 0 || grants.stream().anyMatch(each -> !each.isClosed() && each.growths == 0)) {
      return null;
    }
    Waiter last = null;
    for (Waiter waiter : waiters) {
      last = waiter.growing == null ? last : waiter;
    }
    return last;
  }
}
