package org.vramkit.ptx.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.RaceChecker;
import org.vramkit.ptx.check.WarpOrder;
import org.vramkit.ptx.report.FindingKind;
import org.vramkit.ptx.run.Reports.Place;
import org.vramkit.ptx.run.Reports.Target;

/** One of the sixteen barriers of a block. */
final class Barrier {
  /** A path, or what is left of one that arrived without waiting. */
  private record Arrival(Warp warp, @Nullable Path path, int mask, Step step) {}

  private final Block block;
  private final List<Arrival> arrivals = new ArrayList<>();

  /** Threads that must arrive; 0 for all of the block. */
  private int wanted;

  private int lanes;
  private int votes;

  Barrier(Block block) {
    this.block = block;
  }

  boolean isIdle() {
    return arrivals.isEmpty();
  }

  /** Lets a path arrive; it waits unless the barrier is complete or it only arrives. */
  void arrive(Warp warp, Path path, int mask, int count, int trueLanes, boolean waits) {
    Step step = path.step();
    wanted = count;
    if (waits) {
      warp.await(path, mask, Path.State.AT_BARRIER);
    }
    arrivals.add(new Arrival(warp, waits ? path : null, mask, step));
    boolean whole = count != 0 && mask == warp.live();
    lanes += whole ? Frame.LANES : Integer.bitCount(mask);
    votes += Integer.bitCount(mask & trueLanes);
    if (!waits) {
      warp.branch(path, mask, path.pc + 1, -1);
    }
    check();
  }

  /** Completes the barrier if all have arrived. */
  void check() {
    if (arrivals.isEmpty() || lanes < (wanted == 0 ? block.liveThreads() : wanted)) {
      return;
    }
    if (block.grid.checker != null) {
      order(block.grid.checker);
      judge();
    }
    List<Arrival> arrived = new ArrayList<>(arrivals);
    int total = votes;
    int participants = lanes;
    arrivals.clear();
    lanes = 0;
    votes = 0;
    for (Arrival each : arrived) {
      if (each.path != null) {
        if (each.step instanceof Block.Voting voting) {
          voting.tell(each.path.frame, each.mask, total, participants);
        }
        each.warp.resume(each.path);
      }
    }
  }

  private void order(RaceChecker checker) {
    // Lanes of a warp may arrive on several paths: the barrier orders all of them.
    Map<Warp, Integer> masks = new LinkedHashMap<>();
    for (Arrival each : arrivals) {
      masks.merge(each.warp, each.mask, (one, other) -> one | other);
    }
    List<WarpOrder> orders = new ArrayList<>();
    masks.keySet().forEach(each -> orders.add(Objects.requireNonNull(each.order)));
    checker.barrier(orders);
    masks.forEach(
        (warp, mask) -> Objects.requireNonNull(warp.order).synchronize(mask, mask == warp.live()));
  }

  /**
   * Reports a barrier that threads reach at different steps, or that some threads never reached.
   */
  private void judge() {
    Arrival first = arrivals.get(0);
    for (Arrival each : arrivals) {
      boolean sameWarp = each.warp == first.warp;
      if (each.step != first.step && (wanted == 0 || sameWarp)) {
        report(first, place(each), "waits for it at another line");
        return;
      }
    }
    Place gone = block.exited();
    if (wanted == 0 && gone != null) {
      report(first, gone, "has exited before");
    }
  }

  private Place place(Arrival arrival) {
    return arrival.warp.place(Integer.numberOfTrailingZeros(arrival.mask), arrival.step);
  }

  private void report(Arrival arrival, Place other, String what) {
    Place place = place(arrival);
    block.grid.reports.add(
        FindingKind.BARRIER,
        place,
        other,
        Target.NONE,
        () -> "not all threads reach the barrier of " + place + ": " + other + " " + what);
  }

  /** Describes those that wait. */
  void describe(List<Place> target) {
    for (Arrival each : arrivals) {
      target.add(place(each));
    }
  }
}
