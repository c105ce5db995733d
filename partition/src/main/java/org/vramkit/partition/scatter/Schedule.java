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
 * Defines how a scatter divides its units: {@linkplain #planned once, before it starts},
 * {@linkplain #guided() in chunks while it runs}, or {@linkplain #recorded as in an earlier run}.
 * Immutable.
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

  /**
   * Returns a schedule with one tile per device, in proportion to the device's score. If memory is
   * short, a device has several tiles.
   */
  public static Schedule planned() {
    return PLANNED;
  }

  /**
   * Returns a schedule of guided self-scheduling. Chunks get smaller towards the end, so that all
   * devices finish at about the same time even if their scores are wrong. Each device begins with
   * small probes. From then on a chunk is half of the device's share of the remaining units, at
   * most 1/32 of its share of all units, and at least 0.1 ms of work. Shares follow the measured
   * rates. Each device has up to two chunks in progress, each on its own thread and stream.
   *
   * <p>After a failure only unfinished units are repeated, first on the remaining devices, then on
   * the CPU. The {@link FailurePolicy} has no effect.
   */
  public static Schedule guided() {
    return GUIDED;
  }

  /**
   * Returns a guided schedule that keeps its rates in the {@link ThroughputHistory} by kind of
   * work.
   *
   * @param kind the kind of work, such as the name of a kernel; each kind has its own rates
   */
  public static Schedule guided(String kind) {
    Objects.requireNonNull(kind, "kind");
    return new Schedule(Way.GUIDED, kind, 1, null, false, List.of(), List.of());
  }

  /**
   * Returns a schedule that repeats the chunks of an earlier run, on the same devices in the same
   * order. Failed chunks are reassigned as in a guided schedule.
   *
   * @param order the {@link ScatterReport#getOrder} of that run; its chunks cover each unit exactly
   *     once
   */
  public static Schedule recorded(List<Tile> order) {
    return new Schedule(Way.RECORDED, "", 1, null, false, List.copyOf(order), List.of());
  }

  /**
   * Returns a copy with a minimum chunk size, for kernels that need many units to use a device
   * fully.
   *
   * @param units the minimum units of a chunk, more than 0
   */
  public Schedule withMinChunkSize(long units) {
    requireGuided("a minimum chunk size");
    if (units < 1) {
      throw new InvalidArgumentException("a chunk must have at least 1 unit, not " + units);
    }
    return new Schedule(way, kind, units, deadline, cpuMember, order, finished);
  }

  /**
   * Returns a copy with a deadline for each chunk, which starts with the call of its task. Overdue
   * chunks are logged and listed in the report. If the task is {@linkplain TileTask#repeatable
   * repeatable} and another device can run the chunk, it is reassigned, and its device gets no
   * further chunks until the task has returned.
   *
   * @param time the deadline, more than zero
   */
  public Schedule withDeadline(Duration time) {
    requireGuided("a chunk deadline");
    if (time.isNegative() || time.isZero()) {
      throw new InvalidArgumentException("a chunk's deadline must be more than zero, not " + time);
    }
    return new Schedule(way, kind, least, time, cpuMember, order, finished);
  }

  /** Returns a copy that uses the CPU as one more device, through the CPU task of the run. */
  public Schedule withCpu() {
    requireGuided("the CPU as a device");
    return new Schedule(way, kind, least, deadline, true, order, finished);
  }

  /**
   * Returns a copy that skips completed units, such as those of an interrupted run. Ranges of
   * earlier calls are kept.
   *
   * @param ranges the ranges that a {@link ProgressListener} received, in any order; devices are
   *     ignored
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

  boolean isGuided() {
    return way == Way.GUIDED;
  }

  String kind() {
    return kind;
  }

  long least() {
    return least;
  }

  /** Returns the chunk deadline in nanoseconds; {@link Long#MAX_VALUE} for none. */
  long deadlineNanos() {
    return deadline == null ? Long.MAX_VALUE : PendingUnits.nanos(deadline);
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
