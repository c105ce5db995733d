package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.ShadowCell.AwaitedAccess;
import org.vramkit.sim.hazard.AccessKind;

/**
 * The history of accesses by byte range. It survives frees. Accesses that all host threads know to
 * be done are dropped, because everything submitted later comes after them, unless a queued host
 * function may still conflict with them.
 */
final class ShadowMemory {
  /**
   * Most ranges whose accesses are kept. Beyond it the older half is dropped, and hazards against
   * the dropped accesses are missed.
   */
  static final int MOST_RANGES = 1 << 20;

  private static final int FIRST_PRUNE = 4096;

  private final TreeMap<Long, ShadowCell> cells = new TreeMap<>();
  private final HostThreads hosts;
  private final OpenOrder undecided;
  private int nextPrune = FIRST_PRUNE;

  /** Creates an empty history. */
  ShadowMemory(HostThreads hosts, OpenOrder undecided) {
    this.hosts = hosts;
    this.undecided = undecided;
  }

  public int size() {
    return cells.size();
  }

  /**
   * Returns the first conflicting access to a range that is not ordered before a point; null if
   * there is none.
   */
  public @Nullable Conflict conflict(Order point, long start, long end, AccessKind kind) {
    return conflict(before(point), point, start, end, kind);
  }

  private Predicate<Operation> before(Order point) {
    return operation -> operation.isBefore(point) || hosts.isDoneByPool(operation);
  }

  /**
   * Returns the first conflicting access to a range that {@code ordered} does not accept; null if
   * there is none. A retained access also needs no order where a later one, which replaces it,
   * comes before the point.
   */
  @Nullable Conflict conflict(
      Predicate<Operation> ordered, Order point, long start, long end, AccessKind kind) {
    return conflict(start, end, cell -> cell.conflict(ordered, point, kind));
  }

  /**
   * Returns the first access to memory that is not ordered before a point of pools where the memory
   * gets another owner; null if there is none. This includes the accesses that the last owner's
   * allocation waits for.
   */
  @Nullable Conflict pending(Order point, long start, long end) {
    Predicate<Operation> ordered = before(point);
    return conflict(start, end, cell -> cell.pending(ordered, point, point, start, end));
  }

  /**
   * Like {@link #pending}, for addresses that go away at a point of the host: work at other
   * addresses of the same memory does not conflict.
   */
  @Nullable Conflict pendingHere(Order point, long start, long end) {
    Order pools = hosts.allAndPools();
    Predicate<Operation> ordered = before(point);
    return conflict(start, end, cell -> cell.here().pending(ordered, point, pools, start, end));
  }

  /** Returns all accesses to a range that are not ordered before a point. */
  List<Operation> conflicts(Order point, long start, long end) {
    List<Operation> found = new ArrayList<>();
    Predicate<Operation> ordered = before(point).or(found::contains);
    for (Conflict next = conflict(ordered, point, start, end, AccessKind.WRITE);
        next != null;
        next = conflict(ordered, point, start, end, AccessKind.WRITE)) {
      found.add(next.operation());
    }
    return found;
  }

  /**
   * Returns the first access to a range, neither virtual nor by a pool, that is not ordered before
   * a point; null if there is none. A pool orders the next owner after its own work.
   */
  public @Nullable Conflict use(Order point, long start, long end) {
    return conflict(start, end, cell -> cell.use(point));
  }

  /** Returns an access by a device to the given addresses that is not ordered before a point. */
  @Nullable Conflict conflictOf(int device, Order point, LongPredicate concerned) {
    Predicate<Operation> others = othersThan(device, point);
    for (ShadowCell cell : cells.values()) {
      Operation found =
          concerned.test(cell.start) ? cell.here().conflict(others, point, AccessKind.WRITE) : null;
      if (found != null) {
        return new Conflict(found, cell.isWrite(found), cell.start, cell.end);
      }
    }
    return null;
  }

  /** Returns an access by a device to a range that is not ordered before a point. */
  @Nullable Conflict conflictOf(int device, Order point, long start, long end) {
    Predicate<Operation> others = othersThan(device, point);
    return conflict(start, end, cell -> cell.here().conflict(others, point, AccessKind.WRITE));
  }

  private static Predicate<Operation> othersThan(int device, Order point) {
    return operation -> operation.device() != device || operation.isBefore(point);
  }

  private @Nullable Conflict conflict(
      long start, long end, Function<ShadowCell, @Nullable Operation> check) {
    // Faster than a view of the map: each access calls this method, and usually finds one cell.
    ShadowCell cell = firstIn(start, end);
    while (cell != null) {
      Operation other = check.apply(cell);
      if (other != null) {
        return new Conflict(
            other, cell.isWrite(other), Math.max(start, cell.start), Math.min(end, cell.end));
      }
      cell = cell.end >= end ? null : firstFrom(cell.end, end);
    }
    return null;
  }

  public Set<Integer> users(long start, long end) {
    Set<Integer> slots = new HashSet<>();
    in(start, end).forEach(cell -> cell.addUsers(slots));
    return slots;
  }

  void wrote(Operation operation, long start, long end) {
    enter(operation, AccessKind.WRITE, start, end);
  }

  void read(Operation operation, long start, long end) {
    enter(operation, AccessKind.READ, start, end);
  }

  /** Enters an access, which comes after the conflicting ones or was reported. */
  void enter(Operation operation, AccessKind kind, long start, long end) {
    operation.touches(start, end);
    ShadowCell same = cells.get(start);
    if (!undecided.isEmpty()) {
      fill(start, end, cell -> cell.enterAmong(operation, kind, undecided));
    } else if (same != null && same.end == end) {
      same.enter(operation, kind);
    } else if (kind == AccessKind.WRITE) {
      forget(start, end);
      ShadowCell all = new ShadowCell(start, end);
      all.enter(operation, kind);
      add(all);
    } else {
      fill(start, end, cell -> cell.enter(operation, kind));
    }
    pruneIfLarge();
  }

  /**
   * Enters an allocation of a pool. Returns the accesses that it waits for: those that are not
   * {@code known} to be done.
   */
  List<Operation> enterAllocation(Operation allocation, Order known, long start, long end) {
    List<AwaitedAccess> awaited = new ArrayList<>(0);
    ShadowCell cell = firstIn(start, end);
    while (cell != null) {
      cell.addAwaited(known, start, end, awaited);
      cell = cell.end >= end ? null : firstFrom(cell.end, end);
    }
    wrote(allocation, start, end);
    if (!awaited.isEmpty()) {
      for (cell = firstIn(start, end); cell != null; cell = firstFrom(cell.end, end)) {
        cell.await(awaited);
      }
    }
    return awaited.isEmpty() ? List.of() : awaited.stream().map(AwaitedAccess::by).toList();
  }

  /** Drops the accesses of one stream to a range. */
  public void settle(StreamClock stream, long start, long end) {
    split(start);
    split(end);
    in(start, end).forEach(cell -> cell.settle(stream));
  }

  /** Applies an action to all cells of a range, and to new ones in its gaps. */
  private void fill(long start, long end, Consumer<ShadowCell> entry) {
    split(start);
    split(end);
    long position = start;
    while (position < end) {
      ShadowCell cell = firstFrom(position, end);
      long gapEnd = cell == null ? end : cell.start;
      if (gapEnd > position) {
        ShadowCell gap = new ShadowCell(position, gapEnd);
        entry.accept(gap);
        add(gap);
      }
      if (cell != null) {
        entry.accept(cell);
      }
      position = cell == null ? end : cell.end;
    }
  }

  void forget(long start, long end) {
    split(start);
    split(end);
    cells.subMap(start, end).clear();
  }

  /** Enters the accesses to one range as accesses to another. */
  public void copy(long from, long to, long bytes) {
    split(from);
    split(from + bytes);
    for (ShadowCell cell : List.copyOf(in(from, from + bytes))) {
      fill(cell.start - from + to, cell.end - from + to, same -> same.alias(cell, to - from));
    }
    pruneIfLarge();
  }

  private void add(ShadowCell cell) {
    cells.put(cell.start, cell);
  }

  /** Makes an address a border between cells. */
  private void split(long at) {
    Map.Entry<Long, ShadowCell> below = cells.lowerEntry(at);
    if (below != null && below.getValue().end > at) {
      ShadowCell cell = below.getValue();
      add(cell.part(cell.start, at));
      add(cell.part(at, cell.end));
    }
  }

  /** Returns the cells that overlap a range. */
  private Collection<ShadowCell> in(long start, long end) {
    ShadowCell first = firstIn(start, end);
    return cells.subMap(first == null ? start : first.start, end).values();
  }

  private @Nullable ShadowCell firstIn(long start, long end) {
    Map.Entry<Long, ShadowCell> floor = cells.floorEntry(start);
    return floor != null && floor.getValue().end > start ? floor.getValue() : firstFrom(start, end);
  }

  private @Nullable ShadowCell firstFrom(long start, long end) {
    Map.Entry<Long, ShadowCell> next = cells.ceilingEntry(start);
    return next != null && next.getValue().start < end ? next.getValue() : null;
  }

  private void pruneIfLarge() {
    if (cells.size() < nextPrune) {
      return;
    }
    Order done = hosts.common();
    Order pools = hosts.allAndPools();
    cells
        .values()
        .removeIf(
            cell ->
                cell.pending(
                            operation -> operation.isBefore(done),
                            done,
                            pools,
                            cell.start,
                            cell.end)
                        == null
                    && (undecided.isEmpty() || cell.isEachOrderedWith(undecided)));
    if (cells.size() > MOST_RANGES / 2) {
      forgetOlderHalf();
    }
    nextPrune = Math.min(MOST_RANGES, Math.max(FIRST_PRUNE, cells.size() * 2));
  }

  private void forgetOlderHalf() {
    List<ShadowCell> all = new ArrayList<>(cells.values());
    long[] ages = all.stream().mapToLong(ShadowCell::latest).sorted().toArray();
    long median = ages[ages.length / 2];
    cells.values().removeIf(cell -> cell.latest() < median);
  }

  /**
   * The open sources of order: queued or running host functions, whose accesses will count as done
   * at their position in the stream; and closed gates, whose opening orders all that the opening
   * thread knows. Accesses that may conflict with these must not be forgotten. Guarded by the
   * backend's lock.
   */
  static final class OpenOrder {
    /**
     * Functions by slot and epoch. Work before a function of a stream is also before its later
     * ones.
     */
    private final Map<Integer, NavigableMap<Long, FunctionPoint>> bySlot = new HashMap<>();

    /** Closed gates that a stream waits for. */
    private final Set<GateOrder> gates = new HashSet<>();

    void add(GateOrder gate) {
      if (!gate.isOpen()) {
        gates.add(gate);
      }
    }

    void remove(GateOrder gate) {
      gates.remove(gate);
    }

    void add(FunctionPoint function) {
      Operation by = function.by();
      bySlot.computeIfAbsent(by.slot(), slot -> new TreeMap<>()).put(by.epoch(), function);
    }

    void remove(FunctionPoint function) {
      Operation by = function.by();
      NavigableMap<Long, FunctionPoint> ofStream = bySlot.get(by.slot());
      if (ofStream != null) {
        ofStream.remove(by.epoch());
        if (ofStream.isEmpty()) {
          bySlot.remove(by.slot());
        }
      }
    }

    boolean isEmpty() {
      return bySlot.isEmpty() && gates.isEmpty();
    }

    /** Returns whether an access is ordered with all open functions. */
    boolean areOrderedWith(Operation access) {
      return bySlot.values().stream().allMatch(ofStream -> firstBeside(ofStream, access) == null);
    }

    /**
     * Returns whether an earlier access is redundant beside a later one. It is needed as long as
     * work behind a closed gate, or a function, may come before the later access without being
     * ordered with the earlier one.
     */
    boolean isSuperseded(Operation earlier, Operation later) {
      if (later.isHeldLongerThan(earlier)
          || (earlier.closedGate() != null && !later.comesAfter(earlier))) {
        return false;
      }
      for (NavigableMap<Long, FunctionPoint> ofStream : bySlot.values()) {
        FunctionPoint beside = firstBeside(ofStream, earlier);
        if (beside != null && later.comesAfter(beside.by())) {
          return false;
        }
      }
      return true;
    }

    /**
     * Returns the first function of a stream that an access is not ordered with; null if there is
     * none.
     */
    private static @Nullable FunctionPoint firstBeside(
        NavigableMap<Long, FunctionPoint> ofStream, Operation access) {
      int slot = ofStream.firstEntry().getValue().by().slot();
      Map.Entry<Long, FunctionPoint> after = ofStream.higherEntry(access.getKnown(slot));
      FunctionPoint next = after == null ? null : after.getValue();
      return next == null || access.isBefore(next.before()) ? null : next;
    }
  }
}
