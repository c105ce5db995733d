package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.ShadowMemory.OpenOrder;
import org.vramkit.sim.hazard.AccessKind;

/**
 * The accesses that still matter for a range of bytes: the last write and, since then, the last
 * read and the last atomic access of each stream. Earlier accesses are ordered before these, or
 * were reported. Some of them are retained, because an open function, or work behind a closed gate,
 * may still conflict with them, or because they were made at another address of the same memory.
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

    /** Returns whether this access or a successor comes before a point. */
    boolean isBefore(Order point) {
      if (by.isBefore(point)) {
        return true;
      }
      for (Operation successor : successors) {
        if (successor.isBefore(point)) {
          return true;
        }
      }
      return false;
    }
  }

  /**
   * An access to a range that an allocation of a pool waits for. The allocation orders it before
   * its owner's work, but not before the next owner's.
   */
  record AwaitedAccess(Operation by, AccessKind kind, boolean here, long start, long end) {
    boolean isWithin(long from, long to) {
      return from <= start && end <= to;
    }

    boolean overlaps(long from, long to) {
      return start < to && from < end;
    }

    /** Returns the part in a range, which this overlaps. */
    AwaitedAccess within(long from, long to) {
      return new AwaitedAccess(by, kind, here, Math.max(from, start), Math.min(to, end));
    }

    /** Returns this as an access at another address. */
    AwaitedAccess elsewhere(long distance) {
      return new AwaitedAccess(by, kind, false, start + distance, end + distance);
    }

    /** Returns whether this also stands for another one: an earlier one of its stream. */
    private boolean covers(AwaitedAccess other) {
      return by.isInStreamAfter(other.by) && start <= other.start && end >= other.end;
    }
  }

  final long start;
  final long end;
  private @Nullable Operation write;
  private Operation[] reads = NONE;
  private Operation[] atomics = NONE;
  private List<RetainedAccess> retained = List.of();

  /** The accesses that the last allocation of a pool waits for, until a write by work. */
  private List<AwaitedAccess> awaited = List.of();

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
    part.awaited = awaited.isEmpty() ? awaited : within(awaited, from, to);
    return part;
  }

  private static List<AwaitedAccess> within(List<AwaitedAccess> awaited, long from, long to) {
    for (AwaitedAccess each : awaited) {
      if (!each.isWithin(from, to)) {
        return awaited.stream()
            .filter(other -> other.overlaps(from, to))
            .map(other -> other.within(from, to))
            .toList();
      }
    }
    return awaited;
  }

  /** Adds the accesses at another address of the same memory, which lies {@code distance} lower. */
  void alias(ShadowCell other, long distance) {
    retained =
        Stream.concat(retained.stream(), other.accesses().stream().map(RetainedAccess::elsewhere))
            .distinct()
            .toList();
    List<AwaitedAccess> moved =
        other.awaited.stream().map(each -> each.elsewhere(distance)).toList();
    awaited =
        Stream.concat(awaited.stream(), within(moved, start, end).stream()).distinct().toList();
  }

  /** Enters an access that comes after the others; a write replaces those before it. */
  void enter(Operation operation, AccessKind kind) {
    switch (kind) {
      case WRITE -> {
        write = operation;
        reads = NONE;
        atomics = NONE;
        retained = List.of();
        awaited = List.of();
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

  /** Adds the accesses to a part of the cell that are not known to be done. */
  void addAwaited(Order known, long from, long to, List<AwaitedAccess> found) {
    long first = Math.max(from, start);
    long last = Math.min(to, end);
    if (!awaited.isEmpty()) {
      within(awaited, first, last).forEach(each -> add(each, known, found));
    }
    if (!retained.isEmpty()) {
      retained.forEach(
          each -> add(new AwaitedAccess(each.by, each.kind, each.here, first, last), known, found));
    }
    if (write != null && !write.isBefore(known)) {
      add(new AwaitedAccess(write, AccessKind.WRITE, true, first, last), found);
    }
    for (Operation each : reads) {
      if (!each.isBefore(known)) {
        add(new AwaitedAccess(each, AccessKind.READ, true, first, last), found);
      }
    }
    for (Operation each : atomics) {
      if (!each.isBefore(known)) {
        add(new AwaitedAccess(each, AccessKind.ATOMIC, true, first, last), found);
      }
    }
  }

  private static void add(AwaitedAccess access, Order known, List<AwaitedAccess> found) {
    if (!access.by.isBefore(known)) {
      add(access, found);
    }
  }

  private static void add(AwaitedAccess access, List<AwaitedAccess> found) {
    // Cells follow each other, so earlier ones cannot cover this range.
    for (int i = found.size() - 1; i >= 0 && found.get(i).end > access.start; i--) {
      if (found.get(i).covers(access)) {
        return;
      }
      if (access.covers(found.get(i))) {
        found.remove(i);
      }
    }
    found.add(access);
  }

  /** Notes what the allocation that was just entered waits for. */
  void await(List<AwaitedAccess> accesses) {
    awaited = within(accesses, start, end);
  }

  /**
   * Enters an access while functions or gates are open. Retains the accesses that it does not make
   * redundant. An access of a function may itself be redundant beside later ones.
   */
  void enterAmong(Operation operation, AccessKind kind, OpenOrder undecided) {
    RetainedAccess entered = new RetainedAccess(operation, kind);
    List<RetainedAccess> before = accesses();
    List<RetainedAccess> kept = new ArrayList<>(before.size() + 1);
    boolean needed = true;
    for (RetainedAccess each : before) {
      if (!entered.succeeds(each)) {
        kept.add(each);
        if (each.succeeds(entered)) {
          needed &= !undecided.isSuperseded(operation, each.by);
          entered = entered.before(each.by);
        }
      } else if (!undecided.isSuperseded(each.by, operation)) {
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
    if (kind == AccessKind.WRITE) {
      awaited = List.of();
    }
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
    awaited = awaited.stream().filter(each -> each.by.stream != stream).toList();
  }

  private static Operation[] without(Operation[] known, StreamClock stream) {
    return Arrays.stream(known).filter(each -> each.stream != stream).toArray(Operation[]::new);
  }

  /**
   * Returns a conflicting access that {@code ordered} does not accept; null if there is none. A
   * retained access counts only if no successor comes before the point.
   */
  @Nullable Operation conflict(Predicate<Operation> ordered, Order point, AccessKind kind) {
    Operation last = write;
    if (last != null && !ordered.test(last)) {
      return last;
    }
    Operation atomic = kind == AccessKind.ATOMIC ? null : firstUnordered(atomics, ordered);
    Operation found =
        atomic != null || kind == AccessKind.READ ? atomic : firstUnordered(reads, ordered);
    return found != null || retained.isEmpty() ? found : conflictInRetained(ordered, point, kind);
  }

  /**
   * Returns an access that {@code ordered} does not accept, where a part of the memory gets another
   * owner; null if there is none. What the last allocation waits for must come before {@code
   * pools}.
   */
  @Nullable Operation pending(
      Predicate<Operation> ordered, Order point, Order pools, long from, long to) {
    Operation found = conflict(ordered, point, AccessKind.WRITE);
    if (found != null) {
      return found;
    }
    for (AwaitedAccess each : awaited) {
      if (each.overlaps(from, to) && !each.by.isBefore(pools)) {
        return each.by;
      }
    }
    return null;
  }

  /** Returns this cell without the accesses at other addresses. */
  ShadowCell here() {
    if (retained.isEmpty() && awaited.isEmpty()) {
      return this;
    }
    ShadowCell here = part(start, end);
    here.retained = retained.stream().filter(RetainedAccess::here).toList();
    here.awaited = awaited.stream().filter(AwaitedAccess::here).toList();
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
      Predicate<Operation> ordered, Order point, AccessKind kind) {
    Operation found = null;
    for (RetainedAccess each : retained) {
      boolean isWrite = each.kind == AccessKind.WRITE;
      if ((isWrite || (found == null && each.kind != kind))
          && !ordered.test(each.by)
          && !each.isBefore(point)) {
        found = each.by;
      }
    }
    return found;
  }

  /**
   * Returns an access, neither virtual nor by a pool, that is not ordered before a point; null if
   * there is none.
   */
  @Nullable Operation use(Order point) {
    for (RetainedAccess each : accesses()) {
      if (!each.by.isVirtual() && !each.by.isByPool() && !each.isBefore(point)) {
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
            .anyMatch(each -> each.kind != AccessKind.READ && each.by.index() == operation.index())
        || awaited.stream()
            .anyMatch(each -> each.kind != AccessKind.READ && each.by.index() == operation.index());
  }

  /** Returns the number of the latest access. */
  long latest() {
    return accesses().stream().mapToLong(each -> each.by.index()).max().orElse(0);
  }
}
