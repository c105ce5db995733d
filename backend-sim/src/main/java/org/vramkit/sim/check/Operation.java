package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.AccessKind;

/** An operation in stream order: work, or what a pool or the driver does to memory. */
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

  /** Epochs of other streams that its stream came after at the submission. */
  private Epochs known;

  /** Starts and ends of the accessed ranges, in pairs. */
  private long[] touched = NONE;

  private int touchedLength;

  /** The captured work that the operation belongs to; null for other work. */
  private @Nullable GraphNode node;

  /**
   * Operations that this one races with, collected while its ranges are checked; null otherwise.
   */
  private @Nullable List<Operation> assumed;

  private boolean byPool;

  /** The lines of the kernel that made the accesses; null for other work. */
  private @Nullable KernelLines lines;

  /** The line of the kernel of what is being reported; empty unless it is one. */
  private String line = "";

  /** The action of the kernel, in words, while one of its accesses is reported; else empty. */
  private String detail = "";

  /** The host function that made the access; null for most operations. */
  private @Nullable HostThread function;

  /**
   * Creates an operation of the calling thread; the kind is null if its accesses differ in kind.
   */
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

  /** Marks this as an access by a host function. {@code queued} is the function in its stream. */
  Operation inside(HostThread hostFunction, Operation queued) {
    function = hostFunction;
    known = queued.known;
    gates = queued.gates;
    return this;
  }

  /** Returns whether a pool submitted this work on its own behalf, such as a copy to a backup. */
  boolean isByPool() {
    return byPool;
  }

  boolean isByFunction() {
    return function != null;
  }

  /** Returns whether a host thread or a host function made the access. */
  boolean isByHost() {
    return function != null || stream.device == Clocks.HOST;
  }

  /**
   * Returns whether this is ordered with an access that was entered into the history earlier. For
   * work of a stream, the other access must come before this one. For an access of a host function,
   * it may also come after: work that follows the function may have been entered before the
   * function ran.
   */
  boolean isOrderedWith(Operation other) {
    HostThread by = function;
    return other.isBefore(by == null ? stream : by.known)
        || (by != null && other.comesAfter(this, by));
  }

  /**
   * Returns whether this was ordered after another operation when it was submitted, or by a gate
   * since.
   */
  boolean comesAfter(Operation other) {
    return getKnown(other.stream.slot) >= other.epoch || isGatedAfter(other);
  }

  /**
   * Like {@link #comesAfter(Operation)}, for what a host function does from now on: a gate that the
   * function itself has opened does not order it.
   */
  boolean comesAfter(Operation access, HostThread hostFunction) {
    return getKnown(access.slot()) >= access.epoch
        || (isGatedAfter(access)
            && gates.stream().noneMatch(gate -> gate.isOpenedBy(hostFunction.known)));
  }

  /**
   * Returns the order in which the successors of retained accesses count. For a function none
   * counts, because the function may come between an access and its successor.
   */
  Order orderOfRetained() {
    return function == null ? stream : (slot, epoch) -> false;
  }

  /**
   * Returns whether this, which was entered later, comes after another operation for certain. The
   * order of work with a closed gate is decided at its opening; what pools do has been ordered.
   */
  boolean hasFollowed(Operation other) {
    return isVirtual() || comesAfter(other) || (closedGate() == null && other.closedGate() == null);
  }

  /**
   * Returns whether this counts as done after another operation. The order of submission decides,
   * except for accesses of a function: they are entered late, but count as done before work that
   * was submitted in the meantime and comes after the function.
   */
  boolean isEnteredAfter(Operation other) {
    if (function != null) {
      return comesAfter(other) || !other.comesAfter(this);
    }
    return index > other.index || (other.function != null && comesAfter(other));
  }

  /** Returns the epoch of a slot that the stream knew at the submission. */
  long getKnown(int slot) {
    return slot == stream.slot ? epoch : known.get(slot);
  }

  /** Returns whether this waits for a closed gate that another operation does not wait for. */
  boolean isHeldLongerThan(Operation other) {
    for (GateOrder gate : gates) {
      if (!gate.isOpen() && !other.gates.contains(gate)) {
        return true;
      }
    }
    return false;
  }

  /** Makes this a part of captured work. */
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

  /** Returns the captured work that this launches; null for a capture, and for other work. */
  @Nullable GraphNode launched() {
    return node != null && node.isCaptured() ? node : null;
  }

  /** Returns whether this is only captured, and runs with a launch. */
  public boolean isCaptured() {
    return node != null && !node.isCaptured();
  }

  public long index() {
    return index;
  }

  /** Returns its place in stream order; for an access of a host function, that of the function. */
  long position() {
    HostThread by = function;
    return by == null || by.function == null ? index : by.function.index;
  }

  public int device() {
    return stream.device;
  }

  /**
   * Returns whether this has the slot and the epoch of another operation, and so the same order.
   */
  boolean isAt(Operation other) {
    return stream.slot == other.stream.slot && epoch == other.epoch;
  }

  /** Returns whether this comes after another operation of the same stream. */
  boolean isInStreamAfter(Operation other) {
    return stream == other.stream
        && (epoch > other.epoch || (epoch == other.epoch && index > other.index));
  }

  /** Returns how the host waits for this; {@code otherwise} if its stream is open. */
  String howToWait(String otherwise) {
    return stream.isClosed() ? "wait for the device, because the stream is closed" : otherwise;
  }

  /** Orders the next operation of a stream after this one. */
  void comeBefore(StreamClock later) {
    later.join(stream.slot, epoch);
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

  /**
   * Returns whether this represents an allocation, free or recorded use, and accesses no bytes
   * itself.
   */
  boolean isVirtual() {
    return kind == AccessKind.ALLOCATE || kind == AccessKind.FREE || kind == AccessKind.RECORD;
  }

  /** Returns a closed gate that this waits for; null if there is none. */
  @Nullable GateOrder closedGate() {
    for (GateOrder gate : gates) {
      if (!gate.isOpen()) {
        return gate;
      }
    }
    return null;
  }

  /** Returns whether the opening of a gate orders another operation before this one. */
  boolean isGatedAfter(Operation other) {
    return Snapshot.isGated(gates, other.stream.slot, other.epoch);
  }

  /**
   * Returns whether this may also come before an operation that was submitted earlier. Two accesses
   * may run in either order; an allocation comes before the uses, and a free after them.
   */
  private boolean mayPrecede(Operation earlier) {
    return !isVirtual() && !earlier.isVirtual();
  }

  /**
   * Returns a closed gate whose opening may order this and an operation that was submitted earlier;
   * null if there is none.
   */
  @Nullable GateOrder closedGateBetween(Operation earlier) {
    GateOrder gate = closedGate();
    return gate == null && mayPrecede(earlier) ? earlier.closedGate() : gate;
  }

  /**
   * Returns whether the opening of a gate orders this and an operation that was submitted earlier.
   */
  boolean isGatedWith(Operation earlier) {
    return isGatedAfter(earlier) || (mayPrecede(earlier) && earlier.isGatedAfter(this));
  }

  /** Begins the check of several independent ranges, which ends with {@link #settle}. */
  public void begin() {
    if (assumed == null) {
      assumed = new ArrayList<>(0);
    }
  }

  /**
   * Assumes that this operation comes after another one with which it races: at once, or when all
   * ranges are checked.
   */
  void assumeAfter(Operation earlier) {
    if (assumed == null) {
      earlier.comeBefore(stream);
      if (function != null) {
        function.known.join(earlier.slot(), earlier.epoch);
      }
    } else {
      assumed.add(earlier);
    }
  }

  /** Ends a check of several ranges: assumes the order that was missing. */
  public void settle() {
    List<Operation> earlier = assumed;
    assumed = null;
    if (earlier != null) {
      earlier.forEach(this::assumeAfter);
    }
  }

  /** Returns the stacks of both submissions; empty without stacks. */
  public List<List<StackTraceElement>> lines(Operation other) {
    return List.of(stack, other.stack);
  }

  /** Returns whether a host thread of the same name submitted another operation. */
  boolean isOfThread(Operation other) {
    return thread.equals(other.thread);
  }

  public boolean isBefore(Order other) {
    return other.covers(stream.slot, epoch);
  }

  /** Keeps an accessed range for reports, because the history may divide it. */
  public void touches(long start, long end) {
    if (touchedLength == touched.length) {
      touched = Arrays.copyOf(touched, Math.max(2, 2 * touchedLength));
    }
    touched[touchedLength++] = start;
    touched[touchedLength++] = end;
  }

  /**
   * Converts this to one side of a report, with the whole accessed range that contains the given
   * part. {@code otherwise} is the kind of an operation that has none of its own.
   */
  Access toAccess(AccessKind otherwise, long start, long end) {
    for (int i = 0; i < touchedLength; i += 2) {
      if (touched[i] <= start && touched[i + 1] >= end) {
        return access(otherwise, touched[i], touched[i + 1]);
      }
    }
    return access(otherwise, start, end);
  }

  /** Sets the lines of the kernel that made the accesses. */
  void ran(KernelLines code) {
    lines = code;
  }

  /** Sets the line of the kernel of what is reported next; empty for none. */
  void ranAt(String codeLine) {
    line = codeLine;
  }

  /** Sets the action of the kernel for the next report; empty for none. */
  void says(String words) {
    detail = words;
  }

  /** Returns the action of the kernel; empty for none. */
  String detail() {
    return detail;
  }

  private Access access(AccessKind otherwise, long start, long end) {
    AccessKind how = kind == null ? otherwise : kind;
    String code = lines == null ? line : lines.of(how, start);
    return new Access(
        name,
        index,
        stream.name,
        thread,
        how,
        start,
        end - start,
        stack,
        line.isEmpty() ? code : line);
  }

  /**
   * An access of work to a range.
   *
   * @param device ordinal of the accessing device
   * @param end the address after the last byte
   */
  record Touch(Operation by, int device, long start, long end, AccessKind kind) {
    /** Returns the part in a range, which this overlaps. */
    Touch within(long from, long to) {
      return new Touch(by, device, Math.max(from, start), Math.min(to, end), kind);
    }
  }

  /** Numbers operations in the order of the calls, and determines what comes before each. */
  static final class Factory {
    private final HostThreads hosts;
    private final long maxStacks;
    private long latest;
    private long stacks;

    /** Creates a factory that captures the stacks of the first {@code maxStacks} operations. */
    Factory(HostThreads hosts, long maxStacks) {
      this.hosts = hosts;
      this.maxStacks = maxStacks;
    }

    /** Returns a number for something that is no operation, such as the record of an event. */
    long nextNumber() {
      return ++latest;
    }

    /** Creates a submission to a stream, ordered after everything that the calling thread knows. */
    Operation submit(String name, StreamClock stream) {
      stream.join(hosts.current().known);
      Operation work = new Operation(++latest, name, null, stream, stream.nextEpoch(), stack());
      work.byPool = hosts.isInPool();
      return work;
    }

    /** Creates captured work, which does not run and has no order yet. */
    Operation captured(String name, StreamClock stream) {
      return new Operation(++latest, name, null, stream, stream.getEpoch(), stack());
    }

    /** Creates an operation that accesses no memory, at the current point of a stream. */
    Operation point(String name, AccessKind kind, StreamClock stream) {
      stream.join(hosts.current().known);
      return new Operation(++latest, name, kind, stream, stream.getEpoch(), stack());
    }

    /**
     * Creates an allocation or free that the driver makes in stream order. It has an epoch of its
     * own, so that knowing the operation before it does not imply knowing it. Allocations of pools
     * have none, because they enter the history, where an unused one must not replace pending work.
     */
    Operation ofDriver(String name, AccessKind kind, StreamClock stream) {
      stream.join(hosts.current().known);
      return new Operation(++latest, name, kind, stream, stream.nextEpoch(), stack());
    }

    /** Creates an operation of the calling thread that accesses no memory. */
    Operation hostPoint(String name, AccessKind kind) {
      StreamClock own = hosts.own();
      return new Operation(++latest, name, kind, own, own.getEpoch(), stack());
    }

    /** Creates a write of the host that was noticed later, without a call or a stack. */
    Operation noticedWrite() {
      StreamClock own = hosts.own();
      return new Operation(
          ++latest, "write through a view", AccessKind.WRITE, own, own.getEpoch(), List.of());
    }

    /** Creates an access of the calling thread or host function. */
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
     * Returns the caller's frames outside the simulator; empty if no more stacks are kept. The cost
     * of a stack grows with its depth, so only the first operations of a long program have one.
     */
    List<StackTraceElement> stack() {
      return ++stacks > maxStacks ? List.of() : Stacks.ofCaller();
    }

    /** Returns the number of stacks that were left out. */
    long getStacksLeftOut() {
      return Math.max(0, stacks - maxStacks);
    }
  }
}
