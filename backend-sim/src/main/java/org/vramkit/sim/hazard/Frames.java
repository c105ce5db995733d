package org.vramkit.sim.hazard;

import java.util.List;
import java.util.regex.Pattern;

/** Which frames of a stack tell a user something. */
final class Frames {
  /** The library itself, and what runs tests, coroutines, or calls by reflection. */
  private static final Pattern MACHINERY =
      Pattern.compile(
          "(org\\.vramkit|org\\.junit|kotlinx?|java\\.lang\\.reflect|jdk\\.internal)\\..*");

  private static final Pattern OWN_TEST =
      Pattern.compile("org\\.vramkit\\..*(Test|Tests|Example|Examples)(\\$.*)?");

  private Frames() {}

  /** The first frames of the user's own code; the first of all if there is none of it. */
  static List<StackTraceElement> ofUser(List<StackTraceElement> stack, int limit) {
    List<StackTraceElement> own = stack.stream().filter(Frames::isUsers).limit(limit).toList();
    return own.isEmpty() ? stack.stream().limit(limit).toList() : own;
  }

  private static boolean isUsers(StackTraceElement frame) {
    String name = frame.getClassName();
    return !MACHINERY.matcher(name).matches() || OWN_TEST.matcher(name).matches();
  }
}
