package org.vramkit.sim.check.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.order.GateOrder;
import org.vramkit.sim.check.order.Order;
import org.vramkit.sim.check.order.Snapshot;
import org.vramkit.sim.check.order.StreamClock;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.AccessKind;

/** One operation in stream order: work, or what a pool or the driver does to memory. */
public final class Operation implements Order.Work {
  private static final long[] NONE = {};

  private final long index;
  public final String name;
  private final @Nullable AccessKind kind;
  public final StreamClock stream;
  private final long epoch;
  private final String thread;
  private final List<StackTraceElement> stack;

  private final List<GateOrder> gates;

  /** Starts and ends of the ranges it touched, in pairs. */
  private long[] touched = NONE;

  private int touchedLength;

  /** The captured work that it belongs to; null for work that is submitted as such. */
  private @Nullable GraphNode node;

  /** What it came too early after, while its ranges are judged; null otherwise. */
  private @Nullable List<Operation> assumed;

  /** The host function that did it; null for most. */
  private @Nullable Operation function;

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
  }

  /** It was done by a host function, which stood in its stream before it ran. */
  public Operation inside(Operation hostFunction) {
    function = hostFunction;
    return this;
  }

  /**
   * What comes before it. For a host function's that is all which is queued on its stream, as what
   * is queued behind it comes after it, and all that was queued anywhere after it was.
   */
  public Order point() {
    Operation queued = function;
    return queued == null ? stream : stream.or(other -> other.index() > queued.index);
  }

  /** The same as a part of captured work. */
  public Operation of(GraphNode captured) {
    node = captured;
    return this;
  }

  public @Nullable GraphNode node() {
    return node;
  }

  /** Whether it is only captured, and runs with a launch. */
  public boolean isCaptured() {
    return node != null && !node.isCaptured();
  }

  @Override
  public long index() {
    return index;
  }

  @Override
  public int device() {
    return stream.device;
  }

  @Override
  public int slot() {
    return stream.slot;
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public String toString() {
    return "operation " + index + ", " + name + " on " + stream.name;
  }

  /** Whether it stands for the coming and going of an owner, and touches nothing itself. */
  public boolean isVirtual() {
    return kind == AccessKind.ALLOCATE || kind == AccessKind.FREE || kind == AccessKind.RECORD;
  }

  /** A gate that it waits for and that nobody has opened; null if there is none. */
  public @Nullable GateOrder closedGate() {
    for (GateOrder gate : gates) {
      if (!gate.isOpen()) {
        return gate;
      }
    }
    return null;
  }

  /** Whether another one comes before it by the opening of a gate. */
  public boolean isGatedAfter(Operation other) {
    return Snapshot.isGated(gates, other.stream.slot, other.epoch);
  }

  /** Several ranges of it are judged, each as if none of the others were. */
  public void begin() {
    if (assumed == null) {
      assumed = new ArrayList<>(0);
    }
  }

  /** It counts as coming after another one, which it does not: at once, or when all is judged. */
  public void assumeAfter(Operation earlier) {
    if (assumed == null) {
      stream.join(earlier);
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

  /** Just this one and what comes before it on its stream. */
  public Order exactly() {
    return (slot, until) -> slot == stream.slot && until <= epoch;
  }

  /** Where it and another were submitted; empty without stacks. */
  public List<List<StackTraceElement>> lines(Operation other) {
    return List.of(stack, other.stack);
  }

  /** Whether the same thread of the host submitted another one. */
  public boolean isOfThread(Operation other) {
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
  public Access toAccess(AccessKind otherwise, long start, long end) {
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
}
