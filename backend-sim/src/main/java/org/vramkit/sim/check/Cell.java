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

  /** What was done at other addresses of the same memory before it was mapped here. */
  private @Nullable Cell elsewhere;

  Cell(long start, long end) {
    this.start = start;
    this.end = end;
  }

  /** The same accesses for a part of the range. */
  Cell part(long from, long to) {
    Cell part = new Cell(from, to);
    part.write = write;
    part.reads = reads.length > 0 ? reads.clone() : NONE;
    part.elsewhere = elsewhere == null ? null : elsewhere.part(from, to);
    return part;
  }

  /** Enters accesses to a range where the same memory lies too. */
  void alias(Cell other) {
    Cell known = elsewhere == null ? new Cell(start, end) : elsewhere;
    known.add(other);
    Cell further = other.elsewhere;
    if (further != null) {
      known.add(further);
    }
    elsewhere = known;
  }

  private void add(Cell other) {
    Operation last = other.write;
    if (last != null && (write == null || write.index() < last.index())) {
      write = last;
    }
    for (Operation read : other.reads) {
      addRead(read);
    }
  }

  private void addRead(Operation operation) {
    for (Operation read : reads) {
      if (read.stream() == operation.stream() && read.index() > operation.index()) {
        return;
      }
    }
    read(operation);
  }

  void wrote(Operation operation) {
    write = operation;
    reads = NONE;
    elsewhere = null;
  }

  void read(Operation operation) {
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
    Operation here = conflictHere(point, writes);
    return here != null || elsewhere == null ? here : elsewhere.conflictHere(point, writes);
  }

  /** The same of those at just this address. */
  @Nullable Operation conflictHere(Order point, boolean writes) {
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
    return (last != null && last.index() == operation.index())
        || (elsewhere != null && elsewhere.isWrite(operation));
  }

  /** Number of the latest access. */
  long latest() {
    Operation last = write;
    long latest = last == null ? 0 : last.index();
    latest = Math.max(latest, elsewhere == null ? 0 : elsewhere.latest());
    for (Operation read : reads) {
      latest = Math.max(latest, read.index());
    }
    return latest;
  }
}
