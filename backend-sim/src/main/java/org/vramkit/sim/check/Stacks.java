package org.vramkit.sim.check;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Captures the frames that called the simulator. */
final class Stacks {
  /** Number of kept frames outside the library, however many decorators are called. */
  private static final int DEPTH = 16;

  /** The simulator's own classes; its tests and examples count as callers. */
  private static final Pattern OWN =
      Pattern.compile("org\\.vramkit\\.sim\\.(?!.*(Test|Examples)(\\$.*)?$).*");

  /**
   * The parts of the library that use streams of their user: pools, scatters, the end of a test.
   */
  private static final Pattern LIBRARY =
      Pattern.compile(
          "org\\.vramkit\\.(pool|partition|testkit)\\.(?!.*(Test|Examples)(\\$.*)?$).*");

  /** All classes of the library, without its tests and examples. */
  private static final Pattern HOUSE =
      Pattern.compile("org\\.vramkit\\.(?!.*(Test|Examples)(\\$.*)?$).*");

  private Stacks() {}

  /** Returns whether the library, not its user, calls the simulator. */
  static boolean isLibraryCalling() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .map(StackWalker.StackFrame::getClassName)
                    .filter(name -> !OWN.matcher(name).matches())
                    .findFirst())
        .filter(name -> LIBRARY.matcher(name).matches())
        .isPresent();
  }

  /** Returns the frames outside the simulator, the nearest first; they are created when read. */
  static List<StackTraceElement> ofCaller() {
    return new Caller();
  }

  /** Returns the frames of the capture, then those of the launch. */
  static List<StackTraceElement> ofLaunch(
      List<StackTraceElement> captured, List<StackTraceElement> launched) {
    return new AbstractList<>() {
      @Override
      public StackTraceElement get(int index) {
        int behind = index - captured.size();
        return behind < 0 ? captured.get(index) : launched.get(behind);
      }

      @Override
      public int size() {
        return captured.size() + launched.size();
      }
    };
  }

  /**
   * The frames of a call, which an exception captures. They are created at the first read, because
   * creation costs many times as much as capture and most are never read.
   */
  private static final class Caller extends AbstractList<StackTraceElement> {
    private @Nullable Throwable noted = new Throwable();
    private List<StackTraceElement> frames = List.of();

    private synchronized List<StackTraceElement> frames() {
      Throwable here = noted;
      if (here != null) {
        noted = null;
        frames = nearest(here.getStackTrace());
      }
      return frames;
    }

    private static List<StackTraceElement> nearest(StackTraceElement[] all) {
      List<StackTraceElement> nearest = new ArrayList<>();
      int callers = 0;
      for (int i = 0; i < all.length && callers < DEPTH; i++) {
        String name = all[i].getClassName();
        if (!OWN.matcher(name).matches()) {
          nearest.add(all[i]);
          callers += HOUSE.matcher(name).matches() ? 0 : 1;
        }
      }
      return nearest;
    }

    @Override
    public StackTraceElement get(int index) {
      return frames().get(index);
    }

    @Override
    public int size() {
      return frames().size();
    }
  }
}
