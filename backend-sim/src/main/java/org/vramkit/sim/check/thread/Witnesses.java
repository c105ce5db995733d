package org.vramkit.sim.check.thread;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.order.Order;

/**
 * The threads that know an operation to be done when another one relies on it. If one of them had
 * ended by then, the other may have waited for its end, and knows as well. What counts is the
 * thread as it was at that moment: one that calls again, or is parked, was not about to end.
 */
public final class Witnesses {
  /** A thread, held while it is in question, and how often it had called by then. */
  private record Witness(HostThread host, @Nullable Thread thread, long calls) {
    boolean isSilent() {
      return host.getCalls() == calls;
    }

    boolean hasEnded() {
      return isSilent() && (thread == null || !thread.isAlive());
    }

    boolean livesOn() {
      return !isSilent() || (thread != null && HostThread.isParked(thread));
    }
  }

  private final List<Witness> undecided = new ArrayList<>(1);
  private final List<HostThread> all;

  /** Threads as they are now, which live. */
  public Witnesses(List<HostThread> all) {
    this.all = all;
    all.forEach(host -> undecided.add(new Witness(host, host.getThread(), host.getCalls())));
  }

  public boolean isEmpty() {
    return all.isEmpty();
  }

  public String getName() {
    return all.get(0).name;
  }

  /** What whoever waited for the end of any of them knows. */
  public Order common() {
    return (slot, epoch) ->
        !isEmpty() && all.stream().allMatch(thread -> thread.known.covers(slot, epoch));
  }

  /** Whether one of them ended, without another call since. */
  public boolean haveEnded() {
    return undecided.stream().anyMatch(Witness::hasEnded);
  }

  /** A thread of which it is not known yet whether it is about to end; null if all live on. */
  public @Nullable Thread nextUndecided() {
    undecided.removeIf(Witness::livesOn);
    return undecided.isEmpty() ? null : undecided.get(0).thread();
  }
}
