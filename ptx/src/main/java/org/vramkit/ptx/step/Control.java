package org.vramkit.ptx.step;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.run.Arguments;
import org.vramkit.ptx.run.Block;
import org.vramkit.ptx.run.Code;
import org.vramkit.ptx.run.ControlStep;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Path;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Warp;

/** Branches and ends of functions. */
public final class Control {
  private Control() {}

  /** A branch to a position; lanes that part meet at the join, or never if it is -1. */
  public static final class Branch extends ControlStep {
    public int target;
    public int join;

    @Override
    public void go(Warp warp, Path path, int mask) {
      warp.branch(path, mask, target, join);
    }
  }

  /** A branch to the position that a register selects. */
  public static final class Table extends ControlStep {
    private final Slot index;
    public int[] targets = new int[0];
    public int join;

    public Table(Slot index) {
      this.index = index;
    }

    @Override
    public void go(Warp warp, Path path, int mask) {
      int left = mask;
      while (left != 0) {
        int first = Integer.numberOfTrailingZeros(left);
        long selected = index.get(path.frame, first);
        int same = 0;
        for (int lanes = left; lanes != 0; lanes &= lanes - 1) {
          int lane = Integer.numberOfTrailingZeros(lanes);
          same |= index.get(path.frame, lane) == selected ? 1 << lane : 0;
        }
        if (Long.compareUnsigned(selected, targets.length) >= 0) {
          warp.grid().trap(warp, same, this, "index " + selected + " of a jump table");
        }
        left &= ~same;
        if (left == 0) {
          warp.branch(path, same, targets[(int) selected], join);
          return;
        }
        warp.split(path, same, targets[(int) selected], join);
      }
      path.pc++;
    }
  }

  /** The return from a function; a kernel's ends its lanes. */
  public static final class Return extends ControlStep {
    /** Position of the last step of the function, where its lanes return together. */
    public int end;

    public boolean kernel;

    @Override
    public void go(Warp warp, Path path, int mask) {
      if (mask == 0) {
        path.pc++;
      } else if (kernel) {
        warp.exit(path, mask);
      } else {
        warp.branch(path, mask, end, end);
      }
    }
  }

  /** The last step of each function. */
  public static final class End extends ControlStep {
    @Override
    public void go(Warp warp, Path path, int mask) {
      warp.leaveFunction(path);
    }
  }

  /** The end of lanes, in any function. */
  public static final class Exit extends ControlStep {
    @Override
    public void go(Warp warp, Path path, int mask) {
      if (mask == 0) {
        path.pc++;
      } else {
        warp.exit(path, mask);
      }
    }
  }

  /** A trap, which ends the launch; a breakpoint does as well. */
  public static final class Trap extends ControlStep {
    private final String message;

    public Trap(String message) {
      this.message = message;
    }

    @Override
    public void go(Warp warp, Path path, int mask) {
      if (mask != 0) {
        warp.grid().trap(warp, mask, this, message);
      }
      path.pc++;
    }
  }

  /** A barrier of the block, which may count the threads whose predicate is true. */
  public static final class Barrier extends ControlStep implements Block.Voting {
    private final Slot number;
    private final @Nullable Slot count;
    private final boolean waits;
    private final @Nullable Vote vote;

    /** A predicate, and the operation that makes the target's value of the votes. */
    public record Vote(Predicates.Source source, Slot target, String operator) {}

    /** Creates a barrier; {@code count} is null for all threads of the block. */
    public Barrier(Slot number, @Nullable Slot count, boolean waits, @Nullable Vote vote) {
      this.number = number;
      this.count = count;
      this.waits = waits;
      this.vote = vote;
    }

    @Override
    public void go(Warp warp, Path path, int mask) {
      if (mask == 0) {
        path.pc++;
        return;
      }
      int lane = Integer.numberOfTrailingZeros(mask);
      Frame frame = path.frame;
      int threads = count == null ? 0 : (int) count.get(frame, lane);
      int votes = vote == null ? 0 : vote.source.get(frame);
      warp.block.arrive(warp, path, mask, (int) number.get(frame, lane), threads, votes, waits);
    }

    @Override
    public void tell(Frame frame, int mask, int trueThreads, int threads) {
      if (vote == null) {
        return;
      }
      long value =
          switch (vote.operator) {
            case "and" -> trueThreads >= threads ? 1 : 0;
            case "or" -> trueThreads > 0 ? 1 : 0;
            default -> trueThreads;
          };
      for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
        vote.target.set(frame, Integer.numberOfTrailingZeros(lanes), value);
      }
    }
  }

  /** A call of one function, or of those whose addresses a register has. */
  public static final class Call extends ControlStep {
    private final @Nullable Code direct;
    private final @Nullable Slot pointer;
    private final Arguments arguments;

    public Call(@Nullable Code direct, @Nullable Slot pointer, Arguments arguments) {
      this.direct = direct;
      this.pointer = pointer;
      this.arguments = arguments;
    }

    @Override
    public void go(Warp warp, Path path, int mask) {
      if (mask == 0) {
        path.pc++;
        return;
      }
      int next = arguments.next();
      if (mask != path.getMask()) {
        // Lanes that do not call wait behind the call.
        warp.split(path, path.getMask() & ~mask, next, next);
      }
      Code code = direct;
      if (code == null && pointer != null) {
        long address = pointer.get(path.frame, Integer.numberOfTrailingZeros(mask));
        int same = 0;
        for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
          int lane = Integer.numberOfTrailingZeros(lanes);
          same |= pointer.get(path.frame, lane) == address ? 1 << lane : 0;
        }
        if (same != mask) {
          warp.split(path, mask & ~same, path.pc, next);
        }
        code = warp.grid().layout.functions().get(address);
      }
      if (code == null) {
        warp.grid().trap(warp, mask, this, "call of an address that is no function");
      } else {
        warp.call(path, code, arguments);
      }
    }
  }
}
