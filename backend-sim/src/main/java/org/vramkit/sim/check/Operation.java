package org.vramkit.sim.check;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.AccessKind;

/** One operation in stream order: work, or what a pool or the driver does to memory. */
public final class Operation {
  private static final long[] NONE = {};

  private final long index;
  private final String name;
  private final @Nullable AccessKind kind;
  private final StreamClock stream;
  private final long epoch;
  private final String thread;
  private final List<StackTraceElement> stack;

  /** Starts and ends of the ranges it touched, in pairs. */
  private long[] touched = NONE;

  private int touchedLength;

  /**
   * An operation of the calling thread.
   *
   * @param index its number among all operations of the backend
   * @param name what it is, such as {@code kernel relu}
   * @param kind what it does to memory; null if its ranges differ in that
   * @param stream the clock of its stream
   * @param epoch its number on that stream
   * @param stack where it was submitted; empty without stacks
   */
  Operation(
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
  }

  long index() {
    return index;
  }

  String name() {
    return name;
  }

  StreamClock stream() {
    return stream;
  }

  long epoch() {
    return epoch;
  }

  /** Its number, what it is, and where. */
  @Override
  public String toString() {
    return "operation " + index + ", " + name + " on " + stream.getName();
  }

  /** Whether it is ordered before a point. */
  boolean isBefore(Order other) {
    return other.covers(stream.getSlot(), epoch);
  }

  /** Keeps a range for reports, because histories know only parts of it. */
  void touches(long start, long end) {
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
        stream.getName(),
        thread,
        kind == null ? otherwise : kind,
        start,
        end - start,
        stack);
  }
}
