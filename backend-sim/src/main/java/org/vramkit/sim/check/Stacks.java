package org.vramkit.sim.check;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where the simulator is called from. */
public final class Stacks {
  /** Deep enough for a few decorators of a pool and the user's own layers. */
  private static final int DEPTH = 16;

  /** The simulator's own classes; its tests and examples are callers like any other. */
  private static final Pattern OWN =
      Pattern.compile("org\\.vramkit\\.sim\\.(?!.*(Test|Examples)(\\$.*)?$).*");

  /** What waits by itself for its users' sake: pools, scatters, a test's end. */
  private static final Pattern LIBRARY =
      Pattern.compile(
          "org\\.vramkit\\.(pool|partition|testkit)\\.(?!.*(Test|Examples)(\\$.*)?$).*");

  private Stacks() {}

  /** Whether it is the library that calls the simulator, not its user. */
  public static boolean isLibraryCalling() {
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
  public static List<StackTraceElement> ofCaller() {
    return new Caller();
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
        frames =
            Arrays.stream(here.getStackTrace())
                .filter(frame -> !OWN.matcher(frame.getClassName()).matches())
                .limit(DEPTH)
                .toList();
      }
      return frames;
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
