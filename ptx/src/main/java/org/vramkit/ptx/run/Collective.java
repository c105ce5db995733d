package org.vramkit.ptx.run;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.report.FindingKind;
import org.vramkit.ptx.run.Path.State;
import org.vramkit.ptx.run.Reports.Place;
import org.vramkit.ptx.run.Reports.Target;

/** A function of the warp: lanes of its mask execute it together, whichever paths they are on. */
public abstract class Collective extends ControlStep {
  /** Lanes on one path that execute the step together with others. */
  public record Part(Frame frame, int mask) {}

  /** Returns the mask that a lane gives; lanes of a path give the same. */
  protected abstract int members(Frame frame, int lane, int mask);

  /**
   * Runs the step for lanes that have all arrived.
   *
   * @param all the lanes of all parts
   */
  protected abstract void perform(Warp warp, List<Part> parts, int all);

  /** Returns whether the step is {@code .sync}: it waits for the lanes of its mask. */
  protected boolean isSynchronizing() {
    return true;
  }

  @Override
  public final void go(Warp warp, Path path, int mask) {
    if (mask == 0) {
      path.pc++;
      return;
    }
    if (!isSynchronizing()) {
      perform(warp, List.of(new Part(path.frame, mask)), mask);
      path.pc++;
      return;
    }
    int done = 0;
    int left = mask;
    while (left != 0) {
      int members = members(path.frame, Integer.numberOfTrailingZeros(left), mask);
      int group = sameMembers(path.frame, left, members, mask);
      left &= ~group;
      if ((group & ~members) != 0) {
        reportForeign(warp, group & ~members, members);
      }
      if ((members & warp.live() & ~group) == 0) {
        finish(warp, List.of(new Part(path.frame, group)), group);
        done |= group;
      } else if ((left | done) != 0) {
        // They wait on a path of their own.
        warp.split(path, group, path.pc, -1);
      }
    }
    if (done == (path.getMask() & mask)) {
      path.pc++;
      return;
    }
    warp.await(path, mask, State.AT_COLLECTIVE);
    check(warp);
  }

  private int sameMembers(Frame frame, int lanes, int members, int mask) {
    int same = 0;
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      same |= members(frame, lane, mask) == members ? 1 << lane : 0;
    }
    return same;
  }

  private void finish(Warp warp, List<Part> parts, int all) {
    if (warp.order != null) {
      warp.order.synchronize(all, all == warp.live());
    }
    perform(warp, parts, all);
  }

  /** Completes what can be completed of a warp. */
  static void check(Warp warp) {
    for (Path path : List.copyOf(warp.waiting())) {
      if (path.state == State.AT_COLLECTIVE) {
        ((Collective) path.step()).tryFinish(warp, path);
      }
    }
  }

  private int members(Path path) {
    return members(path.frame, Integer.numberOfTrailingZeros(path.waiting), path.waiting);
  }

  private void tryFinish(Warp warp, Path first) {
    int members = members(first);
    int present = 0;
    List<Path> group = new ArrayList<>();
    for (Path path : warp.waiting()) {
      if (path.state == State.AT_COLLECTIVE
          && ((Collective) path.step()).members(path) == members) {
        group.add(path);
        present |= path.waiting;
      }
    }
    if ((members & warp.live() & ~present) != 0) {
      return;
    }
    group.forEach(path -> reportOther(warp, first, path));
    if (warp.order != null) {
      warp.order.synchronize(present, present == warp.live());
    }
    group.stream().map(Path::step).distinct().forEach(step -> performAt(warp, step, group));
    group.forEach(warp::resume);
  }

  private static void performAt(Warp warp, Step step, List<Path> group) {
    List<Part> parts = new ArrayList<>();
    int all = 0;
    for (Path path : group) {
      if (path.step() == step) {
        parts.add(new Part(path.frame, path.waiting));
        all |= path.waiting;
      }
    }
    ((Collective) step).perform(warp, parts, all);
  }

  private static void report(
      Warp warp, Place place, @Nullable Place other, Supplier<String> words) {
    warp.grid().reports.add(FindingKind.WARP_MASK, place, other, Target.NONE, words);
  }

  private void reportForeign(Warp warp, int foreign, int members) {
    Place place = warp.place(Integer.numberOfTrailingZeros(foreign), this);
    String message = "the mask 0x%x does not name lanes 0x%x, which execute it: %s";
    report(warp, place, null, () -> message.formatted(members, foreign, place));
  }

  private void reportOther(Warp warp, Path one, Path other) {
    if (differs(other.step())) {
      Place place = warp.place(Integer.numberOfTrailingZeros(one.waiting), this);
      Place otherPlace = warp.place(Integer.numberOfTrailingZeros(other.waiting), other.step());
      String message = "lanes of one mask execute different functions of the warp: %s; %s";
      report(warp, place, otherPlace, () -> message.formatted(place, otherPlace));
    }
  }

  /** Returns whether meeting lanes at another step is wrong; a pure barrier may have several. */
  protected boolean differs(Step other) {
    return other != this;
  }

  /** Reports collective steps whose lanes wait elsewhere. */
  static void reportMissing(Warp warp) {
    for (Path path : warp.waiting()) {
      if (path.state == State.AT_COLLECTIVE) {
        ((Collective) path.step()).reportMissing(warp, path);
      }
    }
  }

  private void reportMissing(Warp warp, Path path) {
    int missing = members(path) & warp.live() & ~path.waiting;
    Place place = warp.place(Integer.numberOfTrailingZeros(path.waiting), this);
    Place other = null;
    for (Path each : warp.waiting()) {
      if ((each.waiting & missing) != 0 && each != path) {
        other = warp.place(Integer.numberOfTrailingZeros(each.waiting & missing), each.step());
      }
    }
    String where = other == null ? "" : ": " + other;
    String message = "the mask names lanes 0x%x, which do not execute it: %s waits for them%s";
    report(warp, place, other, () -> message.formatted(missing, place, where));
  }

  /** Reports that a lane takes the value of a lane that does not execute the step. */
  protected final void reportSource(Warp warp, int lane, int source) {
    Place place = warp.place(lane, this);
    String message = "lane %d takes the value of lane %d, which does not execute it: %s";
    report(warp, place, null, () -> message.formatted(lane, source, place));
  }
}
