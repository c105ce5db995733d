package org.vramkit.pool.caching.internal.leak;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.LeakDetection;
import org.vramkit.pool.caching.LeakListener;
import org.vramkit.pool.caching.LeakReport;
import org.vramkit.pool.caching.LeakReport.Kind;
import org.vramkit.pool.caching.internal.event.PoolObserver;

/**
 * Reports leaks to the listener and to the log. The listener receives every leak. Leaks of the same
 * kind, tag and stack form a group. The log receives the first, second, fourth, eighth and so on of
 * each group, so that a loop does not flood it. Failures of the listener are logged in the same
 * way. A program may derive tags from its requests, so after {@link #MOST_KINDS} groups, further
 * leaks are counted in one group per kind.
 */
public final class LeakReporter {
  /** Most groups of leaks of one tag and stack. */
  static final int MOST_KINDS = 1024;

  private final LeakListener listener;
  private final PoolObserver observer;
  private final Map<Like, AtomicLong> seen = new ConcurrentHashMap<>();
  private final AtomicLong failures = new AtomicLong();

  /** A group of leaks from one place. */
  private record Like(Kind kind, String tag, List<StackTraceElement> stack) {
    /**
     * Returns the group of further leaks of this kind, once there are {@link #MOST_KINDS} groups.
     */
    static Like others(Kind kind) {
      return new Like(kind, TagUsage.OTHERS, List.of());
    }
  }

  public LeakReporter(LeakListener listener, PoolObserver observer) {
    this.listener = listener;
    this.observer = observer;
  }

  void report(LeakReport leak, LeakDetection level) {
    observer.leaked(leak);
    Like like = known(leak);
    long number = count(like);
    if (Long.bitCount(number) == 1) {
      String message = messageOf(leak, level, likeThis(like, number, level));
      logger().log(System.Logger.Level.WARNING, message);
    }
    try {
      listener.leaked(leak);
    } catch (RuntimeException | Error e) {
      // An error too: if it were thrown, the reporting allocation would lose its block.
      failed(e);
    }
  }

  private void failed(Throwable failure) {
    long number = failures.incrementAndGet();
    if (Long.bitCount(number) == 1) {
      String times = number == 1 ? "" : ", " + number + " times so far";
      logger().log(System.Logger.Level.WARNING, "VRK-L003 a leak listener failed" + times, failure);
    }
  }

  /** Returns the logger. Not a constant, because the first logger of a JVM starts its logging. */
  private static System.Logger logger() {
    return System.getLogger(LeakReport.class.getName());
  }

  private Like known(LeakReport leak) {
    Like like = new Like(leak.kind(), leak.tag(), leak.stack());
    return seen.containsKey(like) || seen.size() < MOST_KINDS ? like : Like.others(leak.kind());
  }

  private long count(Like like) {
    return seen.computeIfAbsent(like, added -> new AtomicLong()).incrementAndGet();
  }

  private static String likeThis(Like like, long number, LeakDetection level) {
    boolean sampled = level != LeakDetection.ALL;
    if (number == 1 && !sampled) {
      return "";
    }
    String found =
        like.equals(Like.others(like.kind()))
            ? String.format(
                Locale.ROOT,
                "%d so far beyond the first %d kinds of tag and stack, counted together",
                number,
                MOST_KINDS)
            : number + " like this so far";
    return sampled
        ? String.format(
            Locale.ROOT,
            " (found %s; one in %d allocations is tracked, so an estimate of %d in all)",
            found,
            LeakDetector.SAMPLED_ONE_IN,
            LeakDetector.SAMPLED_ONE_IN * number)
        : " (" + found + ")";
  }

  static String messageOf(LeakReport leak, LeakDetection level, String likeThis) {
    StringBuilder text = new StringBuilder();
    text.append(leak.kind() == Kind.DROPPED ? "VRK-L001 leak: " : "VRK-L002 held for long: ")
        .append(ByteSize.format(leak.size()))
        .append(String.format(" at 0x%x on stream %s", leak.address(), leak.stream()))
        .append(leak.tag().isEmpty() ? "" : ", tag \"" + leak.tag() + "\"")
        .append(", allocated by thread ")
        .append(leak.thread())
        .append(
            leak.heldNanos() == 0 ? ", " : String.format(" %.3f s ago, ", leak.heldNanos() / 1e9))
        .append(
            leak.kind() == Kind.DROPPED
                ? "was dropped without close(); its memory stays allocated"
                : "is not closed yet")
        .append(likeThis)
        .append(remedy(level));
    leak.stack().forEach(frame -> text.append(String.format("%n      at %s", frame)));
    return text.toString();
  }

  private static String remedy(LeakDetection level) {
    return switch (level) {
      case ALL -> "";
      case STACKS -> "; -Dvramkit.leak-detection=all finds every leak";
      case SAMPLED, OFF ->
          "; -Dvramkit.leak-detection=stacks shows where the memory was allocated, all finds every"
              + " leak";
    };
  }
}
