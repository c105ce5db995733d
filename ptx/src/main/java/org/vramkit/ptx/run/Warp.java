package org.vramkit.ptx.run;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.WarpOrder;
import org.vramkit.ptx.report.CodeLine;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.run.Path.State;
import org.vramkit.ptx.run.Reports.Place;

/**
 * A warp: 32 lanes on paths of their own.
 *
 * <h2>Divergence</h2>
 *
 * <p>All lanes begin on one path. A branch that they do not agree on splits it; both parts hold a
 * {@link Join} at the branch's immediate post-dominator, where the first to come waits for the
 * rest.
 *
 * <pre>
 *        path of 32 lanes
 *               │ branch
 *        ┌──────┴──────┐
 *   16 lanes       16 lanes      both hold Join(pc of the post-dominator, 32 lanes)
 *        └──────┬──────┘
 *               │ join
 *        path of 32 lanes
 * </pre>
 *
 * <h2>Progress</h2>
 *
 * <p>Lanes may wait for each other through memory: one holds a lock that another polls. A path runs
 * for a turn of bounded length, then other ready paths of the warp do. If a path polls and others
 * wait for it at a join, the join is released: they go on without it.
 *
 * <h2>Collective steps</h2>
 *
 * <p>A function of the warp waits until all lanes of its mask that have not exited have arrived,
 * whichever paths they are on.
 */
public final class Warp {
  private static final int TURN = 2048;

  /** A path that has polled this often in one turn lets others go on. */
  private static final int POLLS = 32;

  /** After this number of turns, a path lets the lanes go on that wait for it. */
  private static final int LONGEST = 2000;

  public final Block block;
  public final int index;

  /** Lanes that exist. */
  public final int lanes;

  public final @Nullable WarpOrder order;
  int exited;
  private final ArrayDeque<Path> ready = new ArrayDeque<>(1);
  private final List<Path> waiting = new ArrayList<>();
  private final LocalMemory local = new LocalMemory(Frame.LANES);

  private int executing;

  /** The path that runs. */
  private @Nullable Path current;

  Warp(Block block, int index, int lanes, Code code, @Nullable WarpOrder order) {
    this.block = block;
    this.index = index;
    this.lanes = lanes;
    this.order = order;
    Frame frame = lanes == -1 ? code.frame() : new Frame(code);
    frame.localBase = 0;
    frame.localTop = code.localBytes;
    frame.live = lanes;
    frame.caller = null;
    reserve(frame.localTop);
    ready.add(new Path(lanes, 0, frame, null));
  }

  public LocalMemory local() {
    return local;
  }

  /** Makes room for a stack of some bytes per lane; stops the launch if that is too much. */
  public void reserve(int top) {
    if (top > LocalMemory.MOST) {
      grid().stop("local memory of a thread exceeds " + LocalMemory.MOST + " bytes", this);
    }
    local.reserve(top);
  }

  public Grid grid() {
    return block.grid;
  }

  /** Returns the lanes that have not exited. */
  public int live() {
    return lanes & ~exited;
  }

  /** Returns the lanes that run together with those of the step that runs now. */
  public int together() {
    return current == null ? 0 : current.mask;
  }

  /** Returns the lanes that execute the step that runs now. */
  public int active() {
    return executing;
  }

  boolean isReady() {
    return !ready.isEmpty();
  }

  List<Path> waiting() {
    return waiting;
  }

  List<Path> paths() {
    List<Path> all = new ArrayList<>(ready);
    all.addAll(waiting);
    return all;
  }

  /**
   * Runs ready paths until none is left or the warp has used up its turns; returns whether it has
   * done nothing but poll.
   */
  boolean run(int turns) {
    boolean onlyPolled = true;
    for (int turn = 0; turn < turns && !ready.isEmpty(); turn++) {
      Path path = ready.removeFirst();
      current = path;
      path.polls = 0;
      int steps = turn(path);
      current = null;
      if (path.state == State.READY && path.mask != 0) {
        path.steps++;
        ready.addLast(path);
        boolean polls = path.polls >= POLLS;
        if (polls || path.steps % LONGEST == 0) {
          releaseJoins(path);
        }
        turn = polls && ready.size() == 1 ? turns : turn;
        onlyPolled &= polls;
      } else {
        onlyPolled = false;
      }
      block.grid.count(steps, block);
    }
    return onlyPolled;
  }

  /** Runs a path until it waits or ends or its turn is over; returns the number of steps. */
  private int turn(Path path) {
    int steps = 0;
    long lanesRun = 0;
    Step[] code = path.frame.code.steps;
    while (steps < TURN) {
      int pc = path.pc;
      if (pc == path.joinPc && !arrive(path)) {
        break;
      }
      Step step = code[pc];
      Frame frame = path.frame;
      int mask = path.mask;
      if (step.guard >= 0) {
        int guard = frame.predicates[step.guard];
        mask &= step.negated ? ~guard : guard;
      }
      steps++;
      lanesRun += Integer.bitCount(mask);
      if (step.control) {
        ((ControlStep) step).go(this, path, mask);
        if (path.state != State.READY || path.mask == 0 || path.polls >= POLLS) {
          break;
        }
        code = path.frame.code.steps;
      } else {
        if (mask != 0) {
          executing = mask;
          step.run(this, frame, mask);
        }
        path.pc = pc + 1;
      }
    }
    block.grid.lanes += lanesRun;
    return steps;
  }

  /** Notes an access that may be one of a loop that waits for memory to change. */
  public void poll() {
    if (current != null) {
      current.polls++;
    }
  }

  /** Ends the turn of the current path soon. */
  public void pause() {
    if (current != null) {
      current.polls += POLLS;
    }
  }

  /** Lets a path wait at its join; returns whether all lanes have come and it goes on. */
  private boolean arrive(Path path) {
    Join join = path.join;
    while (join != null && join.pc == path.pc && join.frame == path.frame) {
      join.arrived |= path.mask;
      if ((join.expected & ~join.arrived) != 0) {
        path.state = State.ENDED;
        path.mask = 0;
        return false;
      }
      path.mask = join.arrived;
      join = join.outer;
    }
    path.setJoin(join);
    return true;
  }

  /** Splits a path: lanes of the mask go to a position, the rest behind the current step. */
  public void branch(Path path, int mask, int target, int join) {
    int rest = path.mask & ~mask;
    if (rest == 0) {
      path.pc = target;
      return;
    }
    if (mask != 0) {
      split(path, mask, target, join);
    }
    path.pc++;
  }

  /** Moves lanes of a path to a path of their own; the join is -1 if they never meet again. */
  public void split(Path path, int mask, int target, int joinPc) {
    if (order != null) {
      order.diverge(path.mask, path.mask == live());
    }
    Join join = path.join;
    boolean same = join != null && join.pc == joinPc && join.frame == path.frame;
    if (joinPc >= 0 && !same) {
      join = new Join(joinPc, path.frame, path.mask, path.join);
    }
    path.mask &= ~mask;
    path.setJoin(join);
    ready.addFirst(new Path(mask, target, path.frame, join));
  }

  /** Lets the lanes go on that wait at joins for this path. */
  private boolean releaseJoins(Path path) {
    boolean any = false;
    for (Join join = path.join; join != null; join = join.outer) {
      any |= release(join);
    }
    return any;
  }

  private boolean release(Join join) {
    int arrived = join.arrived & ~exited;
    if (arrived == 0) {
      return false;
    }
    join.expected &= ~arrived;
    join.arrived = 0;
    ready.addLast(new Path(arrived, join.pc, join.frame, join.outer));
    return true;
  }

  /** Lets all lanes go on that wait at joins; returns whether there are any. */
  boolean releaseAllJoins() {
    boolean any = false;
    for (Path path : waiting) {
      any |= releaseJoins(path);
    }
    return any;
  }

  /** Ends lanes of a path. */
  public void exit(Path path, int mask) {
    exited |= mask;
    path.mask &= ~mask;
    for (Frame frame = path.frame; frame != null; frame = frame.caller) {
      leave(frame, mask);
    }
    block.exit(this, mask, path.step());
    if (path.mask == 0) {
      path.state = State.ENDED;
    }
    for (Join join = path.join; join != null; join = join.outer) {
      join.expected &= ~mask;
      int arrived = join.arrived;
      if (arrived != 0 && join.expected == arrived) {
        join.arrived = 0;
        ready.addFirst(new Path(arrived, join.pc, join.frame, join.outer));
      }
    }
    path.pc++;
  }

  private static void leave(Frame frame, int mask) {
    frame.live &= ~mask;
    if (frame.live == 0 && frame.registers.length > 0) {
      frame.code.recycle(frame);
    }
  }

  /** Calls a function for all lanes of a path. */
  public void call(Path path, Code code, Arguments site) {
    Frame caller = path.frame;
    Frame callee = code.frame();
    callee.caller = caller;
    callee.site = site;
    callee.live = path.mask;
    callee.localBase = (caller.localTop + 15) & -16;
    callee.localTop = callee.localBase + code.localBytes;
    reserve(callee.localTop);
    site.enter(this, caller, callee, path.mask);
    path.frame = callee;
    path.pc = 0;
    path.setJoin(path.join);
  }

  /** Returns from a function, or ends the lanes of a kernel. */
  public void leaveFunction(Path path) {
    Frame callee = path.frame;
    Frame caller = callee.caller;
    Arguments site = callee.site;
    if (caller == null || site == null) {
      exit(path, path.mask);
      return;
    }
    site.leave(this, callee, caller, path.mask);
    leave(callee, path.mask);
    path.frame = caller;
    path.pc = site.next();
    path.setJoin(path.join);
  }

  /** Lets a path wait; its position is behind the step when it goes on. */
  void await(Path path, int mask, State state) {
    int rest = path.mask & ~mask;
    if (rest != 0) {
      // They go on alone; where they meet again is not known here.
      split(path, rest, path.pc + 1, -1);
    }
    path.state = state;
    path.waiting = mask;
    waiting.add(path);
  }

  void resume(Path path) {
    waiting.remove(path);
    path.state = State.READY;
    path.pc++;
    if (path != current) {
      ready.addLast(path);
    }
  }

  /** Returns the place of a lane at a step; of one in CUDA's headers, that of their caller. */
  public Place place(int lane, Step step) {
    CodeLine line = step.place;
    if (CodeLine.isOfCuda(line.source())) {
      Frame frame = frameAt(lane, step);
      CodeLine outer = line;
      while (frame != null && frame.site != null && CodeLine.isOfCuda(outer.source())) {
        int call = frame.site.next() - 1;
        frame = frame.caller;
        outer = frame == null ? line : frame.code.steps[call].place;
      }
      line = CodeLine.isOfCuda(outer.source()) ? line : line.calledAt(outer);
    }
    return new Place(block.coordinates, thread(lane), line);
  }

  private @Nullable Frame frameAt(int lane, Step step) {
    List<Path> all = paths();
    if (current != null) {
      all.add(current);
    }
    for (Path each : all) {
      boolean isThere = ((each.mask | each.waiting) >>> lane & 1) != 0;
      if (isThere && each.pc < each.frame.code.steps.length && each.step() == step) {
        return each.frame;
      }
    }
    return null;
  }

  Dim3 thread(int lane) {
    return block.grid.blockSize.at(index * 32L + lane);
  }
}
