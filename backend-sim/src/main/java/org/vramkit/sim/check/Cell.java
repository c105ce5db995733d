package org.vramkit.sim.check;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The accesses that still matter for a range of bytes: the last write, and the last read of each
 * stream since. Earlier ones are ordered before these, or were reported.
 */
final class Cell {
  private static final Operation[] NONE = {};

  final long start;
  final long end;
  @Nullable Operation write;
  private Operation[] reads = NONE;

  /** Whether all of them were made at another address of the same memory. */
  private boolean elsewhere;

  Cell(long start, long end) {
    this.start = start;
    this.end = end;
  }

  /** The same accesses for a part of the range. */
  Cell part(long from, long to) {
    Cell part = new Cell(from, to);
    part.write = write;
    part.reads = reads.length > 0 ? reads.clone() : NONE;
    part.elsewhere = elsewhere;
    return part;
  }

  /** The same accesses, which were made here, for a range where the same memory lies too. */
  Cell alias(long from, long to) {
    Cell alias = part(from, to);
    alias.elsewhere = true;
    return alias;
  }

  /** Whether anything was accessed at just this address. */
  boolean isHere() {
    return !elsewhere;
  }

  void wrote(Operation operation) {
    write = operation;
    reads = NONE;
    elsewhere = false;
  }

  void read(Operation operation) {
    elsewhere = false;
    for (int i = 0; i < reads.length; i++) {
      if (reads[i].stream() == operation.stream()) {
        reads[i] = operation;
        return;
      }
    }
    reads = Arrays.copyOf(reads, reads.length + 1);
    reads[reads.length - 1] = operation;
  }

  /**
   * An access that is not ordered before a point.
   *
   * @param writes whether the operation there writes, so that reads matter too
   */
  @Nullable Operation conflict(Order point, boolean writes) {
    Operation last = write;
    if (last != null && !last.isBefore(point)) {
      return last;
    }
    if (writes) {
      for (Operation read : reads) {
        if (!read.isBefore(point)) {
          return read;
        }
      }
    }
    return null;
  }

  /** Whether an operation is the last write here. */
  boolean isWrite(Operation operation) {
    Operation last = write;
    return last != null && last.index() == operation.index();
  }

  /** Number of the latest access. */
  long latest() {
    Operation last = write;
    long latest = last == null ? 0 : last.index();
    for (Operation read : reads) {
      latest = Math.max(latest, read.index());
    }
    return latest;
  }
}
