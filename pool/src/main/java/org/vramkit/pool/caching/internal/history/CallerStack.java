package org.vramkit.pool.caching.internal.history;

import java.util.List;
import java.util.Set;

/** Where the user's code called the allocator. */
public final class CallerStack {
  /** Frames that are kept. */
  private static final int MOST_FRAMES = 16;

  private static final String CACHING = "org.vramkit.pool.caching.";

  /** Between a user's call and the inside; decorators are ours too. */
  private static final Set<String> OURS =
      Set.of(
          CACHING + "CachingAllocator",
          CACHING + "TaggedAllocator",
          CACHING + "PoolAllocator",
          CACHING + "PoolScope",
          CACHING + "PrivatePool",
          "org.vramkit.api.allocator.Allocator");

  private CallerStack() {}

  /** The calling thread's frames without ours, the nearest first. */
  public static List<StackTraceElement> take() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .dropWhile(frame -> isOurs(frame.getClassName()))
                    .limit(MOST_FRAMES)
                    .map(StackWalker.StackFrame::toStackTraceElement)
                    .toList());
  }

  private static boolean isOurs(String type) {
    return type.startsWith(CACHING + "internal.")
        || type.startsWith("org.vramkit.pool.decorator.")
        || OURS.contains(type);
  }
}
