package org.vramkit.sim.check;

import java.util.regex.Pattern;

/** Who calls the simulator. */
final class Callers {
  /** The simulator, and what calls on behalf of others. */
  private static final Pattern BETWEEN = Pattern.compile("(org\\.vramkit\\.sim|java|jdk)\\..*");

  /** Parts of the library that keep streams of their users, who may close them at any time. */
  private static final Pattern KEEPERS = Pattern.compile("org\\.vramkit\\.(pool|partition)\\..*");

  private Callers() {}

  /**
   * Whether the caller is a part of the library that meets closed streams by design: it tries, and
   * waits for the device where the stream is gone, because to ask first would be no surer.
   */
  static boolean expectClosedStreams() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .map(StackWalker.StackFrame::getClassName)
                    .filter(name -> !BETWEEN.matcher(name).matches())
                    .findFirst()
                    .filter(name -> KEEPERS.matcher(name).matches())
                    .isPresent());
  }
}
