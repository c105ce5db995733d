package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.AccessKind;

/** One operation in stream order: work, or what a pool or the driver does to memory. */
public final class Operation {
  private static final long[] NONE = {};

  private final long index;
  public final String name;
  private final @Nullable AccessKind kind;
  public final StreamClock stream;
  private final long epoch;
  private final String thread;
  private List<StackTraceElement> stack;

  private List<GateOrder> gates;

  /** Holds what its stream came after on other streams when it was submitted. */
  private Epochs known;

  /** Starts and ends of the ranges it touched, in pairs. */
  private long[] touched = NONE;

  private int touchedLength;

  /** The captured work that it belongs to; null for work that is submitted as such. */
  private @Nullable GraphNode node;

  /** Collects what it came too early after, while its ranges are judged; null otherwise. */
  private @Nullable List<Operation> assumed;

  /** The host function that did it; null for most. */
  private @Nullable HostThread function;

  /** Of the calling thread; the kind is null if its ranges differ in that. */
  public Operation(
      long index,
      String name,
      @Nullable AccessKind kind,
      StreamClock stream,
      long epoch,
      List<StackTraceElement> stack) {
    this.index = index;
    this.name = name;
    this.kind = kind;
    this.stream = stream;
    this.epoch = epoch;
    this.thread = Thread.currentThread().getName();
    this.stack = stack;
    this.gates = stream.gates();
    this.known = stream.getKnown();
  }

  /** It was done by a host function, which stood in its stream before it ran. */
  Operation inside(HostThread hostFunction, Operation queued) {
    function = hostFunction;
    known = queued.known;
    gates = queued.gates;
    return this;
  }

  boolean isByFunction() {
    return function != null;
  }

  /** Returns whether the host did it itself: one of its threads, or a function of it. */
  boolean isByHost() {
    return function != null || stream.device == Clocks.HOST;
  }

  /**
   * What it is ordered with. Work comes after what its stream does. A host function may have been
   * queued long before it runs: it is ordered with what comes before it, and also with what was
   * submitted meanwhile and comes after it.
   */
  Order point() {
    HostThread by = function;
    return by == null ? stream : by.known.or(other -> other.comesAfter(this));
  }

  /**
   * Returns whether it came after another one of an earlier submission when it was submitted
   * itself.
   */
  boolean comesAfter(Operation other) {
    return getKnown(other.stream.slot) >= other.epoch || isGatedAfter(other);
  }

  /**
   * Returns whether it counts as done after another one, or would after a report. What a function
   * does is entered late, and before what was submitted meanwhile and comes after the function.
   */
  boolean isEnteredAfter(Operation other) {
    if (function != null) {
      return comesAfter(other) || !other.comesAfter(this);
    }
    return index > other.index || (other.function != null && comesAfter(other));
  }

  /** How far a slot had come, at least, when this was submitted, as its stream knew. */
  long getKnown(int slot) {
    return slot == stream.slot ? epoch : known.get(slot);
  }

  /** Returns whether it waits for a closed gate that another one does not wait for. */
  boolean isHeldLongerThan(Operation other) {
    for (GateOrder gate : gates) {
      if (!gate.isOpen() && !other.gates.contains(gate)) {
        return true;
      }
    }
    return false;
  }

  /** The same as a part of captured work. */
  Operation of(GraphNode captured) {
    node = captured;
    if (isCaptured()) {
      captured.stack = stack;
    } else {
      stack = Stacks.ofLaunch(captured.stack, stack);
    }
    return this;
  }

  public @Nullable GraphNode node() {
    return node;
  }

  /** The captured work that it launches; null for what is captured itself, and for other work. */
  @Nullable GraphNode launched() {
    return node != null && node.isCaptured() ? node : null;
  }

  /** Returns whether it is only captured, and runs with a launch. */
  public boolean isCaptured() {
    return node != null && !node.isCaptured();
  }

  public long index() {
    return index;
  }

  public int device() {
    return stream.device;
  }

  int slot() {
    return stream.slot;
  }

  long epoch() {
    return epoch;
  }

  @Override
  public String toString() {
    return "operation " + index + ", " + name + " on " + stream.name;
  }

  /** Returns whether it stands for the coming and going of an owner, and touches nothing itself. */
  boolean isVirtual() {
    return kind == AccessKind.ALLOCATE || kind == AccessKind.FREE || kind == AccessKind.RECORD;
  }

  /** A gate that it waits for and that nobody has opened; null if there is none. */
  @Nullable GateOrder closedGate() {
    for (GateOrder gate : gates) {
      if (!gate.isOpen()) {
        return gate;
      }
    }
    return null;
  }

  /** Returns whether another one comes before it by the opening of a gate. */
  boolean isGatedAfter(Operation other) {
    return Snapshot.isGated(gates, other.stream.slot, other.epoch);
  }

  /** Several ranges of it are judged, each as if none of the others were. */
  public void begin() {
    if (assumed == null) {
      assumed = new ArrayList<>(0);
    }
  }

  /** It counts as coming after another one, which it does not: at once, or when all is judged. */
  void assumeAfter(Operation earlier) {
    if (assumed == null) {
      stream.join(earlier);
      if (function != null) {
        function.known.join(earlier.slot(), earlier.epoch);
      }
    } else {
      assumed.add(earlier);
    }
  }

  public void settle() {
    List<Operation> earlier = assumed;
    assumed = null;
    if (earlier != null) {
      earlier.forEach(this::assumeAfter);
    }
  }

  /** This one and no other. */
  Order exactly() {
    return (slot, other) -> slot == stream.slot && other == epoch;
  }

  /** Returns where it and another were submitted; empty without stacks. */
  public List<List<StackTraceElement>> lines(Operation other) {
    return List.of(stack, other.stack);
  }

  /** Returns whether the same thread of the host submitted another one. */
  boolean isOfThread(Operation other) {
    return thread.equals(other.thread);
  }

  public boolean isBefore(Order other) {
    return other.covers(this);
  }

  /** Keeps a range for reports, because histories know only parts of it. */
  public void touches(long start, long end) {
    if (touchedLength == touched.length) {
      touched = Arrays.copyOf(touched, Math.max(2, 2 * touchedLength));
    }
    touched[touchedLength++] = start;
    touched[touchedLength++] = end;
  }

  /** As one side of a report: with the whole range that it touched around a part in conflict. */
  Access toAccess(AccessKind otherwise, long start, long end) {
    for (int i = 0; i < touchedLength; i += 2) {
      if (touched[i] <= start && touched[i + 1] >= end) {
        return access(otherwise, touched[i], touched[i + 1]);
      }
    }
    return access(otherwise, start, end);
  }

  private Access access(AccessKind otherwise, long start, long end) {
    return new Access(
        name,
        index,
        stream.name,
        thread,
        kind == null ? otherwise : kind,
        start,
        end - start,
        stack);
  }

  /**
   * One access of work to a range.
   *
   * @param device ordinal of the device that works
   * @param end the address after the last byte
   */
  record Touch(Operation by, int device, long start, long end, AccessKind kind) {}

  /** Numbers operations in the order of the calls, and says of each what comes before it. */
  static final class Factory {
    private final HostThreads hosts;
    private final long maxStacks;
    private long latest;
    private long stacks;

    /** So many operations from the start know where they were submitted. */
    Factory(HostThreads hosts, long maxStacks) {
      this.hosts = hosts;
      this.maxStacks = maxStacks;
    }

    /** A number for something that is no operation, such as a record of an event. */
    long nextNumber() {
      return ++latest;
    }

    /** A submission to a stream, which comes after all that the calling thread knows. */
    Operation submit(String name, StreamClock stream) {
      stream.join(hosts.current().known);
      return new Operation(++latest, name, null, stream, stream.nextEpoch(), stack());
    }

    /** Work that does not run yet, and comes after nothing. */
    Operation captured(String name, StreamClock stream) {
      return new Operation(++latest, name, null, stream, stream.getEpoch(), stack());
    }

    /** A point of a stream that is no work of its own. */
    Operation point(String name, AccessKind kind, StreamClock stream) {
      stream.join(hosts.current().known);
      return new Operation(++latest, name, kind, stream, stream.getEpoch(), stack());
    }

    /**
     * An allocation or a free of the driver's in stream order. It has a number of its own on the
     * stream, unlike other points: who knows what came before it does not know of it. Those of
     * pools enter the history of accesses, where one that nobody used must not stand for work that
     * is left.
     */
    Operation ofDriver(String name, AccessKind kind, StreamClock stream) {
      stream.join(hosts.current().known);
      return new Operation(++latest, name, kind, stream, stream.nextEpoch(), stack());
    }

    Operation hostPoint(String name, AccessKind kind) {
      StreamClock own = hosts.own();
      return new Operation(++latest, name, kind, own, own.getEpoch(), stack());
    }

    /** What the host did some time ago, without a call: where it did so, nobody knows any more. */
    Operation noticed(String name, AccessKind kind) {
      StreamClock own = hosts.own();
      return new Operation(++latest, name, kind, own, own.getEpoch(), List.of());
    }

    /** What the calling thread does to memory itself. */
    Operation byHost(String name, AccessKind kind) {
      HostThread caller = hosts.current();
      Operation at = caller.function;
      if (at != null) {
        return new Operation(++latest, name, kind, at.stream, at.epoch(), stack())
            .inside(caller, at);
      }
      StreamClock own = hosts.own();
      Operation operation = new Operation(++latest, name, kind, own, own.nextEpoch(), stack());
      hosts.did(operation);
      return operation;
    }

    /**
     * Where the caller is, outside the simulator; empty if no more stacks are kept. The price of
     * one is that of all methods on it, so a long program has them only for its beginning.
     */
    List<StackTraceElement> stack() {
      return ++stacks > maxStacks ? List.of() : Stacks.ofCaller();
    }

    /** How many stacks were asked for and not noted. */
    long getStacksLeftOut() {
      return Math.max(0, stacks - maxStacks);
    }
  }
}
