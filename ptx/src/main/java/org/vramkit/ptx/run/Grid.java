package org.vramkit.ptx.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.Conflict;
import org.vramkit.ptx.check.Footprints;
import org.vramkit.ptx.check.RaceChecker;
import org.vramkit.ptx.memory.Memory;
import org.vramkit.ptx.report.CodeLine;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.report.FindingKind;
import org.vramkit.ptx.report.Footprint;
import org.vramkit.ptx.run.Reports.Place;
import org.vramkit.ptx.run.Reports.Target;

/**
 * A launch that runs. Blocks run one after the other, unless they wait for each other: a block that
 * does not end within its turns shares the time with the next ones.
 */
public final class Grid {
  /** Rounds over the warps of a block before other blocks start. */
  private static final int ROUNDS = 4096;

  private static final int TURNS = 8;

  public static final int MULTIPROCESSORS = 132;

  /** The settings of a launch. */
  public static final class Options {
    public final Dim3 gridSize;
    public final Dim3 blockSize;
    public byte[] parameters = new byte[0];
    public int dynamicBytes;
    public boolean checked = true;

    /** Permutes blocks and warps; 0 for their natural order. */
    public long seed;

    /** Steps of warps after which the launch counts as endless; by default it takes minutes. */
    public long maxSteps = 2_000_000_000L;

    public Consumer<String> output = text -> {};
    public long startNanos;
    public long number = 1;

    public Options(Dim3 gridSize, Dim3 blockSize) {
      this.gridSize = gridSize;
      this.blockSize = blockSize;
    }
  }

  /**
   * The layout of a translated program: its variables, constants and functions.
   *
   * @param sharedBytes bytes of shared variables with the gaps between them
   * @param staticBytes bytes of shared variables as the driver reports them
   * @param reserved where shared memory begins that the system has reserved and written; -1 if
   *     nowhere
   * @param shared the shared variables, without the dynamic one
   * @param constants the ranges of device addresses that hold constants
   * @param functions the functions by address, for calls by pointer
   * @param comparesAndSwaps whether it may read without being atomic before it swaps
   * @param debug whether the compiler kept copies of objects that are not written as a whole
   * @param lines the line of each step, by its number
   */
  public record Layout(
      int sharedBytes,
      int staticBytes,
      int reserved,
      Bounds shared,
      Bounds constants,
      Map<Long, Code> functions,
      boolean comparesAndSwaps,
      boolean debug,
      List<CodeLine> lines) {}

  public final Options options;
  public final Dim3 gridSize;
  public final Dim3 blockSize;
  public final Layout layout;
  public final Bounds sharedBounds;
  public final GlobalMemory global;
  public final Heap heap;
  public final @Nullable RaceChecker checker;
  public final Reports reports = new Reports();
  final int sharedBytes;

  /** Instructions of lanes that have run. */
  long lanes;

  private long steps;
  private long readings;
  private final Code code;
  private final List<Block> active = new ArrayList<>();
  private final List<Dim3> coordinates = new ArrayList<>();

  /** Coordinates of threads per warp of a block: x, y and z. */
  private final int[][][] threads;

  private long started;
  private boolean stopped;

  public Grid(Options options, Code code, Layout layout, Memory memory, Heap heap) {
    this.options = options;
    this.gridSize = options.gridSize;
    this.blockSize = options.blockSize;
    this.code = code;
    this.layout = layout;
    this.heap = heap;
    this.global = new GlobalMemory(heap.over(memory), options.checked);
    this.checker = options.checked ? new RaceChecker(layout.comparesAndSwaps()) : null;
    this.sharedBounds = layout.shared().copy();
    this.sharedBytes = layout.sharedBytes() + options.dynamicBytes;
    if (options.dynamicBytes > 0) {
      sharedBounds.add(layout.sharedBytes(), options.dynamicBytes);
    }
    this.threads = threads();
  }

  private int[][][] threads() {
    int count = (int) blockSize.getCount();
    int[][][] all = new int[(count + 31) / 32][3][32];
    for (int i = 0; i < all.length * 32; i++) {
      Dim3 thread = blockSize.at(i);
      all[i / 32][0][i % 32] = thread.x();
      all[i / 32][1][i % 32] = thread.y();
      all[i / 32][2][i % 32] = thread.z();
    }
    return all;
  }

  /** Returns a coordinate of the threads of a warp; 0 for x, 1 for y, 2 for z. */
  public int[] threads(int warp, int dimension) {
    return threads[warp][dimension];
  }

  /** Runs all blocks; returns whether they have ended. */
  public boolean run() {
    try {
      long blocks = gridSize.getCount();
      while (started < blocks || !active.isEmpty()) {
        boolean ended = active.removeIf(block -> block.run(ROUNDS, TURNS));
        if (started < blocks && (active.isEmpty() || !ended)) {
          start(blocks);
        }
      }
    } catch (StopException e) {
      stopped = true;
    }
    return !stopped;
  }

  private void start(long blocks) {
    long index = orderOf(started, blocks);
    started++;
    Dim3 place = gridSize.at(index);
    int number = (int) (started - 1);
    if (checker != null) {
      coordinates.add(place);
    }
    Block block = new Block(this, number, place, code);
    if (!block.run(ROUNDS, TURNS)) {
      active.add(block);
    }
  }

  /** Returns a permutation of the numbers below a count: the identity without a seed. */
  private long orderOf(long index, long count) {
    if (options.seed == 0 || count < 2) {
      return index;
    }
    // Reverses for odd seeds, and rotates.
    long rotated = Long.remainderUnsigned(index + (options.seed >>> 1), count);
    return (options.seed & 1) == 0 ? rotated : count - 1 - rotated;
  }

  int orderOf(int index, int count) {
    return (int) orderOf((long) index, count);
  }

  void count(int more, Block block) {
    steps += more;
    if (steps > options.maxSteps) {
      block.hang(options.maxSteps);
    }
  }

  /** Returns a time that rises with each call and each turn of a warp. */
  public long now() {
    return steps + ++readings;
  }

  public long getLaneInstructions() {
    return lanes;
  }

  /** Reports an error that ends the launch. */
  void stop(FindingKind kind, Place place, @Nullable Place other, String message) {
    reports.add(kind, place, other, Target.NONE, () -> message);
    throw new StopException();
  }

  /** Reports a trap at a step of lanes and ends the launch. */
  public void trap(Warp warp, int mask, Step step, String message) {
    Place place = warp.place(Integer.numberOfTrailingZeros(mask), step);
    stop(FindingKind.TRAP, place, null, message + ": " + place);
  }

  void stop(String message, Warp warp) {
    List<Place> places = warp.block.places();
    Place place = places.isEmpty() ? warp.place(0, code.steps[0]) : places.get(0);
    stop(FindingKind.OUT_OF_BOUNDS, place, null, message + ": " + place);
  }

  /** Reports a conflict of an access with an earlier one. */
  public void report(
      Conflict conflict, Warp warp, int lane, Step step, Target target, String verb) {
    Place place = warp.place(lane, step);
    Place other =
        new Place(
            coordinates.get(conflict.earlierBlock()),
            blockSize.at(conflict.earlierThread()),
            layout.lines.get(conflict.earlierStep()));
    FindingKind kind = conflict.lockstep() ? FindingKind.WARP_SYNCHRONOUS : FindingKind.RACE;
    String earlier = conflict.earlierWrites() ? "writes" : "reads";
    String why =
        conflict.lockstep()
            ? "only the lockstep of the warp orders them; __syncwarp does everywhere"
            : conflict.underWay()
                ? "the asynchronous copy has not been waited for"
                : "nothing orders them";
    reports.add(
        kind,
        place,
        other,
        target,
        () ->
            "%s %s %d bytes of %s memory at 0x%x that %s %s: %s"
                .formatted(
                    place,
                    verb,
                    target.bytes(),
                    target.space(),
                    target.address(),
                    other,
                    earlier,
                    why));
  }

  /** Returns the accesses to global memory. */
  public Footprint footprint() {
    if (checker == null) {
      return Footprint.NONE;
    }
    Footprints footprints = new Footprints(layout.lines::get);
    global.addTo(footprints);
    return footprints.build();
  }
}
