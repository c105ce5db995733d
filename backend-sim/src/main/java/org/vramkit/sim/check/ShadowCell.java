package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.ShadowMemory.OpenOrder;
import org.vramkit.sim.hazard.AccessKind;

/**
 * The accesses that still matter for a range of bytes: the last write and, since then, the last
 * read and the last atomic access of each stream. Earlier accesses are ordered before these, or
 * were reported. Some of them are retained, because an open function, or work behind a closed gate,
 * may still conflict with them, because an allocation waits for them, or because they were made at
 * another address of the same memory.
 */
final class ShadowCell {
  private static final Operation[] NONE = {};

  /**
   * An access that is retained beside the last ones.
   *
   * @param here false for an access at another address of the same memory, before it was mapped
   *     here
   * @param successors later accesses that replace it, except for work that comes before them
   */
  private record RetainedAccess(
      Operation by, AccessKind kind, boolean here, List<Operation> successors) {
    RetainedAccess(Operation by, AccessKind kind) {
      this(by, kind, true, List.of());
    }

    /** Returns this as an access at another address. */
    RetainedAccess elsewhere() {
      return new RetainedAccess(by, kind, false, successors);
    }

    /** Returns whether this access replaces another one for the work that comes after both. */
    boolean succeeds(RetainedAccess other) {
      boolean covers =
          kind == AccessKind.WRITE || (kind == other.kind && by.stream == other.by.stream);
      return covers && by.isEnteredAfter(other.by);
    }

    /** Adds a successor, unless it is not known to come after this, or an earlier one covers it. */
    RetainedAccess before(Operation later) {
      if (!later.hasFollowed(by) || successors.stream().anyMatch(later::comesAfter)) {
        return this;
      }
      return new RetainedAccess(
          by, kind, here, Stream.concat(successors.stream(), Stream.of(later)).toList());
    }

    /**
     * Returns whether this access or a successor comes before a point. An allocation of a pool
     * orders its owner's work after the accesses that it waits for, but not the next owner's, so as
     * a successor it counts only if this access is also before {@code pools}.
     */
    boolean isBefore(Order point, Order pools) {
      if (by.isBefore(point)) {
        return true;
      }
      for (Operation successor : successors) {
        if (successor.isBefore(point) && (!successor.isVirtual() || by.isBefore(pools))) {
          return true;
        }
      }
      return false;
    }
  }

  final long start;
  final long end;
  private @Nullable Operation write;
  private Operation[] reads = NONE;
  private Operation[] atomics = NONE;
  private List<RetainedAccess> retained = List.of();

  ShadowCell(long start, long end) {
    this.start = start;
    this.end = end;
  }

  ShadowCell part(long from, long to) {
    ShadowCell part = new ShadowCell(from, to);
    part.write = write;
    part.reads = reads.length > 0 ? reads.clone() : NONE;
    part.atomics = atomics.length > 0 ? atomics.clone() : NONE;
    part.retained = retained;
    return part;
  }

  /** Adds the accesses at another address of the same memory. */
  void alias(ShadowCell other) {
    retained =
        Stream.concat(retained.stream(), other.accesses().stream().map(RetainedAccess::elsewhere))
            .distinct()
            .toList();
  }

  /** Enters an access that comes after the others; a write replaces those before it. */
  void enter(Operation operation, AccessKind kind) {
    switch (kind) {
      case WRITE -> {
        write = operation;
        reads = NONE;
        atomics = NONE;
        retained = List.of();
      }
      case ATOMIC -> atomics = with(atomics, operation);
      default -> reads = with(reads, operation);
    }
  }

  /** Adds an operation, in place of the last one of its stream. */
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

  /**
   * Enters an allocation of a pool, which waits for accesses that are not known to be done. The
   * latest of each stream is retained, because the next owner has to come after it as well.
   */
  void enterAllocation(Operation allocation, Order known, OpenOrder undecided) {
    List<RetainedAccess> before = accesses();
    enterAmong(
        allocation,
        AccessKind.WRITE,
        (earlier, later) ->
            (earlier.isBefore(known)
                    || before.stream().anyMatch(each -> each.by.isInStreamAfter(earlier)))
                && undecided.isSuperseded(earlier, later));
  }

  /**
   * Enters an access beside others. Retains the accesses that are not redundant beside a later one.
   * An access of a function may itself be redundant.
   */
  void enterAmong(
      Operation operation, AccessKind kind, BiPredicate<Operation, Operation> isSuperseded) {
    RetainedAccess entered = new RetainedAccess(operation, kind);
    List<RetainedAccess> before = accesses();
    List<RetainedAccess> kept = new ArrayList<>(before.size() + 1);
    boolean needed = true;
    for (RetainedAccess each : before) {
      if (!entered.succeeds(each)) {
        kept.add(each);
        if (each.succeeds(entered)) {
          needed &= !isSuperseded.test(operation, each.by);
          entered = entered.before(each.by);
        }
      } else if (!isSuperseded.test(each.by, operation)) {
        kept.add(each.before(operation));
      }
    }
    if (needed) {
      kept.add(entered);
    }
    write = null;
    reads = NONE;
    atomics = NONE;
    retained = kept;
  }

  /** Drops the accesses of a stream. */
  void settle(StreamClock stream) {
    Operation last = write;
    if (last != null && last.stream == stream) {
      write = null;
    }
    reads = without(reads, stream);
    atomics = without(atomics, stream);
    retained = retained.stream().filter(each -> each.by.stream != stream).toList();
  }

  private static Operation[] without(Operation[] known, StreamClock stream) {
    return Arrays.stream(known).filter(each -> each.stream != stream).toArray(Operation[]::new);
  }

  /**
   * Returns a conflicting access that {@code ordered} does not accept; null if there is none. A
   * retained access counts only if no successor comes before the point.
   */
  @Nullable Operation conflict(
      Predicate<Operation> ordered, Order point, Order pools, AccessKind kind) {
    Operation last = write;
    if (last != null && !ordered.test(last)) {
      return last;
    }
    Operation atomic = kind == AccessKind.ATOMIC ? null : firstUnordered(atomics, ordered);
    Operation found =
        atomic != null || kind == AccessKind.READ ? atomic : firstUnordered(reads, ordered);
    return found != null || retained.isEmpty()
        ? found
        : conflictInRetained(ordered, point, pools, kind);
  }

  /** Returns an access that is not ordered before a point; null if there is none. */
  @Nullable Operation pending(Order point, Order pools) {
    return conflict(operation -> operation.isBefore(point), point, pools, AccessKind.WRITE);
  }

  /** Like {@link #conflict} of a write, for accesses at this address alone. */
  @Nullable Operation conflictHere(Predicate<Operation> ordered, Order point, Order pools) {
    return here().conflict(ordered, point, pools, AccessKind.WRITE);
  }

  /** Returns this cell without the accesses at other addresses. */
  private ShadowCell here() {
    if (retained.stream().allMatch(RetainedAccess::here)) {
      return this;
    }
    ShadowCell here = part(start, end);
    here.retained = retained.stream().filter(RetainedAccess::here).toList();
    return here;
  }

  private static @Nullable Operation firstUnordered(
      Operation[] known, Predicate<Operation> ordered) {
    for (Operation each : known) {
      if (!ordered.test(each)) {
        return each;
      }
    }
    return null;
  }

  /** Returns the last conflicting write, else another conflicting access. */
  private @Nullable Operation conflictInRetained(
      Predicate<Operation> ordered, Order point, Order pools, AccessKind kind) {
    Operation found = null;
    for (RetainedAccess each : retained) {
      boolean isWrite = each.kind == AccessKind.WRITE;
      if ((isWrite || (found == null && each.kind != kind))
          && !ordered.test(each.by)
          && !each.isBefore(point, pools)) {
        found = each.by;
      }
    }
    return found;
  }

  /** Adds all accesses that are not ordered before a point of pools. */
  void addUnordered(Order point, List<Operation> found) {
    Operation last = write;
    if (last != null && !last.isBefore(point)) {
      found.add(last);
    }
    addUnordered(reads, point, found);
    addUnordered(atomics, point, found);
    for (RetainedAccess each : retained) {
      if (!each.isBefore(point, point)) {
        found.add(each.by);
      }
    }
  }

  private static void addUnordered(Operation[] known, Order point, List<Operation> found) {
    for (Operation each : known) {
      if (!each.isBefore(point)) {
        found.add(each);
      }
    }
  }

  /**
   * Returns an access, neither virtual nor by a pool, that is not ordered before a point; null if
   * there is none.
   */
  @Nullable Operation use(Order point) {
    for (RetainedAccess each : accesses()) {
      if (!each.by.isVirtual() && !each.by.isByPool() && !each.isBefore(point, Order.ALL)) {
        return each.by;
      }
    }
    return null;
  }

  /** Returns whether all accesses are ordered with all open functions. */
  boolean isEachOrderedWith(OpenOrder undecided) {
    return accesses().stream().allMatch(each -> undecided.areOrderedWith(each.by));
  }

  void addUsers(Set<Integer> slots) {
    accesses().forEach(each -> slots.add(each.by.slot()));
  }

  private List<RetainedAccess> accesses() {
    List<RetainedAccess> all = new ArrayList<>(1 + reads.length + atomics.length + retained.size());
    if (write != null) {
      all.add(new RetainedAccess(write, AccessKind.WRITE));
    }
    for (Operation read : reads) {
      all.add(new RetainedAccess(read, AccessKind.READ));
    }
    for (Operation atomic : atomics) {
      all.add(new RetainedAccess(atomic, AccessKind.ATOMIC));
    }
    all.addAll(retained);
    return all;
  }

  /**
   * Returns whether an operation wrote here or was an atomic access; false if it was replaced
   * since.
   */
  boolean isWrite(Operation operation) {
    return accesses().stream()
        .anyMatch(each -> each.kind != AccessKind.READ && each.by.index() == operation.index());
  }

  /** Returns the number of the latest access. */
  long latest() {
    return accesses().stream().mapToLong(each -> each.by.index()).max().orElse(0);
  }
}
