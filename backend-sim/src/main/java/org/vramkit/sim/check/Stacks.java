package org.vramkit.sim.check;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where the simulator is called from. */
final class Stacks {
  /** How many frames are kept that are not the library's, however many decorators lie above. */
  private static final int DEPTH = 16;

  /** The simulator's own classes; its tests and examples are callers like any other. */
  private static final Pattern OWN =
      Pattern.compile("org\\.vramkit\\.sim\\.(?!.*(Test|Examples)(\\$.*)?$).*");

  /** What waits by itself for its users' sake: pools, scatters, a test's end. */
  private static final Pattern LIBRARY =
      Pattern.compile(
          "org\\.vramkit\\.(pool|partition|testkit)\\.(?!.*(Test|Examples)(\\$.*)?$).*");

  /** All of the library. */
  private static final Pattern HOUSE =
      Pattern.compile("org\\.vramkit\\.(?!.*(Test|Examples)(\\$.*)?$).*");

  private Stacks() {}

  /** Returns whether it is the library that calls the simulator, not its user. */
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

  /** The frames outside the simulator, the nearest first; they are made when somebody looks. */
  static List<StackTraceElement> ofCaller() {
    return new Caller();
  }

  /** The frames where work was captured, then those where its graph was launched. */
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
   * Where a call came from, as the JVM notes it for an exception: to make frames of that costs many
   * times as much, and of nearly all calls nobody wants to know.
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
