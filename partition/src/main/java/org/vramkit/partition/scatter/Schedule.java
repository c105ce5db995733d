package org.vramkit.partition.scatter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.plan.Tile;

/**
 * How a scatter divides its units: {@linkplain #planned once, before it starts}, {@linkplain
 * #guided() in chunks while it runs}, or {@linkplain #recorded as it did before}. Immutable.
 */
public final class Schedule {
  private enum Way {
    PLANNED,
    GUIDED,
    RECORDED
  }

  private static final Schedule PLANNED =
      new Schedule(Way.PLANNED, "", 1, null, false, List.of(), List.of());
  private static final Schedule GUIDED =
      new Schedule(Way.GUIDED, "", 1, null, false, List.of(), List.of());

  private final Way way;
  private final String kind;
  private final long least;
  private final @Nullable Duration deadline;
  private final boolean cpuMember;
  private final List<Tile> order;
  private final List<Tile> finished;

  private Schedule(
      Way way,
      String kind,
      long least,
      @Nullable Duration deadline,
      boolean cpuMember,
      List<Tile> order,
      List<Tile> finished) {
    this.way = way;
    this.kind = kind;
    this.least = least;
    this.deadline = deadline;
    this.cpuMember = cpuMember;
    this.order = order;
    this.finished = finished;
  }

  /** One tile for each device, by its score; several where memory is short. */
  public static Schedule planned() {
    return PLANNED;
  }

  /**
   * Chunks that get smaller towards the end, so that all devices finish together whatever their
   * scores say. Each device begins with a small probe; from then on a chunk is half of the device's
   * share of what is left, at most a thirty-second of its share of all, at least a tenth of a
   * millisecond's work. Shares follow the rates that the devices show. Two chunks of a device are
   * under way at a time, each on a thread and a stream of its own.
   *
   * <p>Only what is unfinished is ever done again, whatever the {@link FailurePolicy}: it goes to
   * all devices that are left, by what they can do, and then to the CPU.
   */
  public static Schedule guided() {
    return GUIDED;
  }

  /**
   * Guided, with rates of its own in the {@link ThroughputBook}.
   *
   * @param kind of work, such as the name of a kernel; rates of one kind say nothing of another
   */
  public static Schedule guided(String kind) {
    Objects.requireNonNull(kind, "kind");
    return new Schedule(Way.GUIDED, kind, 1, null, false, List.of(), List.of());
  }

  /**
   * The same chunks on the same devices in the same order as in an earlier run. What fails goes to
   * others as if it were guided.
   *
   * @param order {@link ScatterReport#getOrder} of that run; its chunks cover the units exactly
   */
  public static Schedule recorded(List<Tile> order) {
    return new Schedule(Way.RECORDED, "", 1, null, false, List.copyOf(order), List.of());
  }

  /**
   * The same with a least size of chunks, where smaller ones do not keep a device busy.
   *
   * @param units more than 0
   */
  public Schedule withLeast(long units) {
    requireGuided("a least size of chunks");
    if (units < 1) {
      throw new InvalidArgumentException("a chunk must have at least 1 unit, not " + units);
    }
    return new Schedule(way, kind, units, deadline, cpuMember, order, finished);
  }

  /**
   * The same with a deadline for each chunk, from when its task is called. One that is overdue is
   * named in the log and in the report. If the task is {@linkplain TileTask#repeatable repeatable}
   * and another device can do it, it is done there, and its device gets nothing more until it has
   * returned.
   *
   * @param time more than zero
   */
  public Schedule withDeadline(Duration time) {
    requireGuided("a deadline of chunks");
    if (time.isNegative() || time.isZero()) {
      throw new InvalidArgumentException("a chunk's deadline must be more than zero, not " + time);
    }
    return new Schedule(way, kind, least, time, cpuMember, order, finished);
  }

  /** The same with the CPU as one more device, through the CPU task of the run. */
  public Schedule withCpu() {
    requireGuided("the CPU as a device");
    return new Schedule(way, kind, least, deadline, true, order, finished);
  }

  /**
   * The same without what was done already, such as by a run that was interrupted, and by the one
   * before that: what was given earlier stays.
   *
   * @param ranges what a {@link ProgressListener} was told; devices do not matter, nor does order
   */
  public Schedule resume(Collection<Tile> ranges) {
    List<Tile> all = new ArrayList<>(finished);
    all.addAll(ranges);
    return new Schedule(way, kind, least, deadline, cpuMember, order, List.copyOf(all));
  }

  private void requireGuided(String what) {
    if (way == Way.PLANNED) {
      throw new InvalidArgumentException(
          what + " needs a schedule with chunks; use Schedule.guided()");
    }
  }

  boolean isPlanned() {
    return way == Way.PLANNED;
  }

  boolean isRecorded() {
    return way == Way.RECORDED;
  }

  String kind() {
    return kind;
  }

  long least() {
    return least;
  }

  /** In nanoseconds; the largest number if there is none. */
  long deadlineNanos() {
    return deadline == null ? Long.MAX_VALUE : Remainder.nanos(deadline);
  }

  boolean hasCpu() {
    return cpuMember;
  }

  List<Tile> order() {
    return order;
  }

  List<Tile> finished() {
    return finished;
  }

  @Override
  public String toString() {
    return way.name().toLowerCase(Locale.ROOT) + (kind.isEmpty() ? "" : " " + kind);
  }
}
