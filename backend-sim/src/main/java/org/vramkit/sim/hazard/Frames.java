package org.vramkit.sim.hazard;

import java.util.List;
import java.util.regex.Pattern;

/** Selects the frames of a stack that belong to the user. */
final class Frames {
  /** The library, bindings of CUDA, and code that runs tests or coroutines or reflects. */
  private static final Pattern MACHINERY =
      Pattern.compile(
          "(org\\.vramkit|org\\.junit|kotlinx?|java\\.lang\\.reflect|jdk\\.internal)\\..*"
              + "|jcuda\\.(driver\\.JCudaDriver|runtime\\.JCuda)"
              + "|org\\.bytedeco\\.(javacpp|cuda)\\..*");

  private static final Pattern OWN_TEST =
      Pattern.compile("org\\.vramkit\\..*(Test|Tests|Example|Examples)(\\$.*)?");

  private Frames() {}

  /** Returns the first frames of the user's code; the first of all if there are none. */
  static List<StackTraceElement> ofUser(List<StackTraceElement> stack, int limit) {
    List<StackTraceElement> own = stack.stream().filter(Frames::isUsers).limit(limit).toList();
    return own.isEmpty() ? stack.stream().limit(limit).toList() : own;
  }

  private static boolean isUsers(StackTraceElement frame) {
    String name = frame.getClassName();
    return !MACHINERY.matcher(name).matches() || OWN_TEST.matcher(name).matches();
  }
}
