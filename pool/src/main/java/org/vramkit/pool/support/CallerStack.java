package org.vramkit.pool.support;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Captures the stack of a call into the library, from the first frame of the caller's code on.
 * Leaves out the nearer frames of the library (allocators, decorators, pools, bridges to other
 * languages) and of the Java runtime.
 */
public final class CallerStack {
  private static final String ROOT = "org.vramkit.";

  /** Packages of the library whose frames are left out: all but those of programs and test kits. */
  public static final Set<String> LIBRARY =
      Set.of(
          "agent",
          "api",
          "cuda",
          "export",
          "ffm",
          "guice",
          "interop",
          "javacpp",
          "jcuda",
          "kotlin",
          "micrometer",
          "partition",
          "pool",
          "pressure",
          "ptx",
          "sim",
          "spark");

  private static final List<String> RUNTIME =
      List.of("java.", "javax.", "jdk.", "sun.", "kotlin.", "kotlinx.", "scala.");

  private CallerStack() {}

  /**
   * Captures the calling thread's stack from the caller's frame on, the nearest frame first. If the
   * thread has no frame of the caller's code (a worker of the library, for example), the frames of
   * the runtime remain.
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

  /** Returns whether a class belongs to the library, other than its tests and examples. */
  private static boolean isLibrary(String type) {
    if (!type.startsWith(ROOT)) {
      return false;
    }
    int end = type.indexOf('.', ROOT.length());
    int nested = type.indexOf('$');
    String outermost = nested < 0 ? type : type.substring(0, nested);
    return end > 0
        && LIBRARY.contains(type.substring(ROOT.length(), end))
        && !outermost.endsWith("Test")
        && !outermost.endsWith("Examples");
  }

  private static boolean isRuntime(String type) {
    return RUNTIME.stream().anyMatch(type::startsWith);
  }
}
