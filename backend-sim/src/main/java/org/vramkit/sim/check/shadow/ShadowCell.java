package org.vramkit.sim.check.shadow;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.order.Order;
import org.vramkit.sim.check.order.StreamClock;
import org.vramkit.sim.check.report.Operation;
import org.vramkit.sim.hazard.AccessKind;

/**
 * The accesses that still matter for a range of bytes: the last write, and since then the last read
 * and the last atomic access of each stream. Earlier ones are ordered before these, or were
 * reported.
 */
public final class ShadowCell {
  private static final Operation[] NONE = {};

  public final long start;
  public final long end;
  public @Nullable Operation write;
  private Operation[] reads = NONE;
  private Operation[] atomics = NONE;

  /** What was done at other addresses of the same memory before it was mapped here. */
  private @Nullable ShadowCell elsewhere;

  public ShadowCell(long start, long end) {
    this.start = start;
    this.end = end;
  }

  public ShadowCell part(long from, long to) {
    ShadowCell part = new ShadowCell(from, to);
    part.write = write;
    part.reads = reads.length > 0 ? reads.clone() : NONE;
    part.atomics = atomics.length > 0 ? atomics.clone() : NONE;
    part.elsewhere = elsewhere == null ? null : elsewhere.part(from, to);
    return part;
  }

  /** Enters accesses to a range where the same memory lies too. */
  public void alias(ShadowCell other) {
    ShadowCell known = elsewhere == null ? new ShadowCell(start, end) : elsewhere;
    known.add(other);
    ShadowCell further = other.elsewhere;
    if (further != null) {
      known.add(further);
    }
    elsewhere = known;
  }

  private void add(ShadowCell other) {
    Operation last = other.write;
    if (last != null && (write == null || write.index() < last.index())) {
      write = last;
    }
    for (Operation read : other.reads) {
      reads = withLater(reads, read);
    }
    for (Operation atomic : other.atomics) {
      atomics = withLater(atomics, atomic);
    }
  }

  private static Operation[] withLater(Operation[] known, Operation operation) {
    for (Operation each : known) {
      if (each.stream == operation.stream && each.index() > operation.index()) {
        return known;
      }
    }
    return with(known, operation);
  }

  public void wrote(Operation operation) {
    write = operation;
    reads = NONE;
    atomics = NONE;
    elsewhere = null;
  }

  public void read(Operation operation) {
    reads = with(reads, operation);
  }

  public void changed(Operation operation) {
    atomics = with(atomics, operation);
  }

  /** The last of each stream. */
  private static Operation[] with(Operation[] known, Operation operation) {
    for (int i = 0; i < known.length; i++) {
      if (known[i].stream == operation.stream) {
        known[i] = operation;
        return known;
      }
    }
    Operation[] more = Arrays.copyOf(known, known.length + 1);
    more[known.length] = operation;
    return more;
  }

  public void settle(StreamClock stream) {
    Operation last = write;
    if (last != null && last.stream == stream) {
      write = null;
    }
    reads = without(reads, stream);
    atomics = without(atomics, stream);
    if (elsewhere != null) {
      elsewhere.settle(stream);
    }
  }

  private static Operation[] without(Operation[] known, StreamClock stream) {
    return Arrays.stream(known).filter(each -> each.stream != stream).toArray(Operation[]::new);
  }

  /** An access not ordered before a point, in conflict with what the operation there does. */
  public @Nullable Operation conflict(Order point, AccessKind kind) {
    Operation here = conflictHere(point, kind);
    return here != null || elsewhere == null ? here : elsewhere.conflictHere(point, kind);
  }

  /** A use that is not ordered before a point: an access that touched the bytes itself. */
  public @Nullable Operation use(Order point) {
    Operation last = write;
    if (last != null && isUse(last, point)) {
      return last;
    }
    for (Operation[] known : List.of(reads, atomics)) {
      for (Operation each : known) {
        if (isUse(each, point)) {
          return each;
        }
      }
    }
    return elsewhere == null ? null : elsewhere.use(point);
  }

  private static boolean isUse(Operation operation, Order point) {
    return !operation.isVirtual() && !operation.isBefore(point);
  }

  public void addUsers(Set<Integer> slots) {
    accesses().forEach(each -> slots.add(each.slot()));
  }

  private Stream<Operation> accesses() {
    return Stream.of(Stream.ofNullable(write), Arrays.stream(reads), Arrays.stream(atomics))
        .flatMap(Function.identity());
  }

  /** The same of those at just this address. */
  public @Nullable Operation conflictHere(Order point, AccessKind kind) {
    Operation last = write;
    if (last != null && !last.isBefore(point)) {
      return last;
    }
    Operation atomic = kind == AccessKind.ATOMIC ? null : firstUnordered(atomics, point);
    return atomic != null || kind == AccessKind.READ ? atomic : firstUnordered(reads, point);
  }

  private static @Nullable Operation firstUnordered(Operation[] known, Order point) {
    for (Operation each : known) {
      if (!each.isBefore(point)) {
        return each;
      }
    }
    return null;
  }

  /** Whether an operation is the last write here, or an atomic access since. */
  public boolean isWrite(Operation operation) {
    Operation last = write;
    return (last != null && last.index() == operation.index())
        || Arrays.stream(atomics).anyMatch(atomic -> atomic.index() == operation.index())
        || (elsewhere != null && elsewhere.isWrite(operation));
  }

  /** Number of the latest access. */
  public long latest() {
    long here = accesses().mapToLong(Operation::index).max().orElse(0);
    return Math.max(here, elsewhere == null ? 0 : elsewhere.latest());
  }
}
