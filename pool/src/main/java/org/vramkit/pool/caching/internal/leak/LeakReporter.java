package org.vramkit.pool.caching.internal.leak;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.LeakDetection;
import org.vramkit.pool.caching.LeakListener;
import org.vramkit.pool.caching.LeakReport;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.support.UserError;

/**
 * Reports leaks to the listener and to the log. The listener receives every leak. Leaks of the same
 * tag and stack form a group. The log receives the first, second, fourth, eighth and so on of each
 * group, so that a loop does not flood it, and failures of the listener in the same way. A program
 * may derive tags from its requests, so after {@link #MOST_KINDS} groups, further leaks are counted
 * together.
 */
public final class LeakReporter {
  /** Most groups of leaks of one tag and stack. */
  static final int MOST_KINDS = 1024;

  private final LeakListener listener;
  private final PoolObserver observer;
  private final Map<Like, AtomicLong> seen = new ConcurrentHashMap<>();
  private final AtomicLong failures = new AtomicLong();

  private record Like(String tag, List<StackTraceElement> stack) {}

  private static Like others() {
    return new Like(TagUsage.OTHERS, List.of());
  }

  public LeakReporter(LeakListener listener, PoolObserver observer) {
    this.listener = listener;
    this.observer = observer;
  }

  void report(LeakReport leak, LeakDetection level) {
    observer.leaked(leak);
    Like like = new Like(leak.tag(), leak.stack());
    Like group = seen.containsKey(like) || seen.size() < MOST_KINDS ? like : others();
    long number = seen.computeIfAbsent(group, added -> new AtomicLong()).incrementAndGet();
    if (Long.bitCount(number) == 1) {
      log(messageOf(leak, level, likeThis(group, number, level)), null);
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
      log("VRK-L003 a leak listener failed" + times, failure);
    }
  }

  private static void log(String message, @Nullable Throwable failure) {
    // The logger is no constant, because the first logger of a JVM starts its logging.
    UserError.runUser(
        () ->
            System.getLogger(LeakReport.class.getName())
                .log(System.Logger.Level.WARNING, message, failure));
  }

  private static String likeThis(Like like, long number, LeakDetection level) {
    boolean sampled = level != LeakDetection.ALL;
    if (number == 1 && !sampled) {
      return "";
    }
    String found =
        like.equals(others())
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
    text.append("VRK-L001 leak: ")
        .append(ByteSize.format(leak.size()))
        .append(String.format(" at 0x%x on stream %s", leak.address(), leak.stream()))
        .append(leak.tag().isEmpty() ? "" : ", tag \"" + leak.tag() + "\"")
        .append(", allocated by thread ")
        .append(leak.thread())
        .append(", was dropped without close(); its memory stays allocated")
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
