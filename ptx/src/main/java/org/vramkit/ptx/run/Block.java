package org.vramkit.ptx.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.Shadow;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.report.FindingKind;
import org.vramkit.ptx.run.Path.State;
import org.vramkit.ptx.run.Reports.Place;

/** A block: its warps, shared memory and barriers. */
public final class Block {
  private static final int BARRIERS = 16;

  /** After this number of rounds in which warps do nothing but poll, other blocks run. */
  private static final int MOST_IDLE = 16;

  public final Grid grid;

  /** The number of the block, in the order in which blocks start. */
  final int number;

  public final Dim3 coordinates;
  public final byte[] shared;

  public final @Nullable Shadow sharedShadow;
  private final Warp[] warps;
  private final Barrier[] barriers = new Barrier[BARRIERS];
  private int live;
  private @Nullable Place exited;

  Block(Grid grid, int number, Dim3 coordinates, Code code) {
    this.grid = grid;
    this.number = number;
    this.coordinates = coordinates;
    this.shared = new byte[grid.sharedBytes];
    this.sharedShadow = grid.checker == null ? null : new Shadow(0, grid.sharedBytes);
    int threads = (int) grid.blockSize.getCount();
    this.warps = new Warp[(threads + 31) / 32];
    for (int i = 0; i < BARRIERS; i++) {
      barriers[i] = new Barrier(this);
    }
    for (int i = 0; i < warps.length; i++) {
      int inWarp = Math.min(32, threads - 32 * i);
      int lanes = inWarp == 32 ? -1 : (1 << inWarp) - 1;
      warps[i] =
          new Warp(
              this,
              i,
              lanes,
              code,
              grid.checker == null ? null : grid.checker.warp(number, i, warps.length));
    }
    this.live = threads;
  }

  /** Returns the number of the multiprocessor. */
  public int processor() {
    return number % Grid.MULTIPROCESSORS;
  }

  int liveThreads() {
    return live;
  }

  /** Returns the thread that exited first; null if none has. */
  @Nullable Place exited() {
    return exited;
  }

  void exit(Warp warp, int mask, Step step) {
    if (exited == null && grid.checker != null) {
      exited = warp.place(Integer.numberOfTrailingZeros(mask), step);
    }
    live -= Integer.bitCount(mask);
  }

  /** Lets lanes of a path arrive at a barrier. */
  public void arrive(
      Warp warp, Path path, int mask, int barrier, int count, int trueLanes, boolean waits) {
    barriers[barrier & (BARRIERS - 1)].arrive(warp, path, mask, count, trueLanes, waits);
  }

  /** A step that takes the number of threads whose predicate is true, when a barrier completes. */
  public interface Voting {
    void tell(Frame frame, int mask, int trueThreads, int threads);
  }

  /** Runs the block for a number of rounds; returns whether it has ended. */
  boolean run(int rounds, int turns) {
    int idle = 0;
    for (int round = 0; round < rounds && live > 0 && idle < MOST_IDLE; round++) {
      boolean progress = false;
      boolean onlyPolled = true;
      for (int i = 0; i < warps.length; i++) {
        Warp warp = warps[grid.orderOf(i, warps.length)];
        if (warp.isReady()) {
          progress = true;
          onlyPolled &= warp.run(turns);
        }
      }
      idle = onlyPolled ? idle + 1 : 0;
      if (live > 0 && !isAnyReady()) {
        progress |= unblock();
        if (!progress || !isAnyReady()) {
          deadlock();
        }
      }
    }
    return live == 0;
  }

  private boolean isAnyReady() {
    for (Warp each : warps) {
      if (each.isReady()) {
        return true;
      }
    }
    return false;
  }

  /** Completes what exits have made complete; else lets go on the lanes that wait at joins. */
  private boolean unblock() {
    for (Barrier each : barriers) {
      each.check();
    }
    for (Warp each : warps) {
      Collective.check(each);
    }
    if (isAnyReady()) {
      return true;
    }
    for (Warp each : warps) {
      each.releaseAllJoins();
    }
    return isAnyReady();
  }

  /** Reports that all threads wait, and stops. */
  private void deadlock() {
    for (Warp each : warps) {
      Collective.reportMissing(each);
    }
    List<Place> places = places();
    Place first = places.get(0);
    Place other = places.size() > 1 ? places.get(1) : exited;
    boolean barrier = Arrays.stream(barriers).anyMatch(each -> !each.isIdle());
    grid.stop(
        barrier ? FindingKind.BARRIER : FindingKind.HANG,
        first,
        other,
        "all threads wait, which hangs: " + words(places));
  }

  /** Returns where each path stands. */
  List<Place> places() {
    List<Place> places = new ArrayList<>();
    for (Warp warp : warps) {
      for (Path path : warp.paths()) {
        int mask = path.state == State.READY ? path.mask : path.waiting;
        if (mask != 0) {
          places.add(warp.place(Integer.numberOfTrailingZeros(mask), path.step()));
        }
      }
    }
    return places;
  }

  static String words(List<Place> places) {
    StringBuilder text = new StringBuilder();
    int most = Math.min(places.size(), 4);
    for (int i = 0; i < most; i++) {
      text.append(i == 0 ? "" : "; ").append(places.get(i));
    }
    return text + (places.size() > most ? "; and " + (places.size() - most) + " more" : "");
  }

  void hang(long limit) {
    List<Place> places = places();
    grid.stop(
        FindingKind.HANG,
        places.get(0),
        places.size() > 1 ? places.get(1) : null,
        "the launch has not ended after " + limit + " instructions of warps: " + words(places));
  }

  /** Returns a number that no other block has, above all addresses of shared memory. */
  public long key() {
    return Windows.SHARED + ((long) number << 20);
  }
}
