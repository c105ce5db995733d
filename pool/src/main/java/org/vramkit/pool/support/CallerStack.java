package org.vramkit.pool.support;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The stack of a call into the library as its user sees it: it begins with the frame of the user's
 * code, however many of the library's own classes (allocators, decorators, pools over allocators,
 * bridges to other languages) and of the Java runtime's the call has passed since.
 */
public final class CallerStack {
  private static final String HOUSE = "org.vramkit.";

  /** Packages of the library that call each other for a user. */
  private static final Set<String> LIBRARY =
      Set.of("api", "gpu", "guice", "interop", "kotlin", "partition", "pool", "sim", "spark");

  private static final List<String> RUNTIME =
      List.of("java.", "javax.", "jdk.", "sun.", "kotlin.", "kotlinx.", "scala.");

  private CallerStack() {}

  /**
   * Takes the calling thread's stack from the user's frame on, the nearest frame first. A thread
   * without one, such as a worker that calls the library itself, has frames of the runtime alone.
   *
   * @param mostFrames how many frames to keep
   */
  public static List<StackTraceElement> take(int mostFrames) {
    List<StackTraceElement> user =
        takeBehind(type -> isLibrary(type) || isRuntime(type), mostFrames);
    return user.isEmpty() ? takeBehind(CallerStack::isLibrary, mostFrames) : user;
  }

  private static List<StackTraceElement> takeBehind(Predicate<String> inside, int mostFrames) {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .dropWhile(frame -> inside.test(frame.getClassName()))
                    .limit(mostFrames)
                    .map(StackWalker.StackFrame::toStackTraceElement)
                    .toList());
  }

  /** Returns whether a class is the library's, and none of its tests and examples, which use it. */
  private static boolean isLibrary(String type) {
    if (!type.startsWith(HOUSE)) {
      return false;
    }
    int end = type.indexOf('.', HOUSE.length());
    int nested = type.indexOf('$');
    String outermost = nested < 0 ? type : type.substring(0, nested);
    return end > 0
        && LIBRARY.contains(type.substring(HOUSE.length(), end))
        && !outermost.endsWith("Test")
        && !outermost.endsWith("Examples");
  }

  private static boolean isRuntime(String type) {
    for (String each : RUNTIME) {
      if (type.startsWith(each)) {
        return true;
      }
    }
    return false;
  }
}
