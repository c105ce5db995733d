package org.vramkit.sim.check;

import java.util.List;
import java.util.regex.Pattern;

/** Where the simulator is called from. */
final class Stacks {
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

  /** The frames outside the simulator, the nearest first. */
  static List<StackTraceElement> ofCaller() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .filter(frame -> !OWN.matcher(frame.getClassName()).matches())
                    .limit(DEPTH)
                    .map(StackWalker.StackFrame::toStackTraceElement)
                    .toList());
  }
}
