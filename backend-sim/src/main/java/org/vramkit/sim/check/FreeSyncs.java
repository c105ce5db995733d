package org.vramkit.sim.check;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The latest plain frees, and what each would have waited for if it had synchronised its device, as
 * today's driver does and no document promises.
 */
final class FreeSyncs {
  /** How many frees are remembered; a program that relies on an older one is told of a race. */
  private static final int REMEMBERED = 64;

  /** A plain free, slots of the streams that used the memory last, and what was submitted then. */
  public record Free(
      Operation by, OwnedBlock memory, Set<Integer> users, List<Snapshot> waitedFor) {

    /** Returns whether somebody may have taken it for a barrier behind an operation. */
    boolean isAbout(Operation earlier, Operation later) {
      return users.isEmpty() || isUsedBy(earlier) || isUsedBy(later);
    }

    private boolean isUsedBy(Operation operation) {
      return users.contains(operation.slot());
    }

    /** Returns whether it would have put an operation in order before a stream's next one. */
    boolean wouldOrder(Operation earlier, StreamClock later) {
      return by.isBefore(later) && waitedFor.stream().anyMatch(done -> done.covers(earlier));
    }
  }

  private final Deque<Free> latest = new ArrayDeque<>();

  public void add(Free free) {
    if (latest.size() == REMEMBERED) {
      latest.removeFirst();
    }
    latest.addLast(free);
  }

  /**
   * The latest free that would have put two operations in order, by the thread that relies on it;
   * null if none would. One of memory that neither stream used, but others did, is no barrier of
   * theirs; of memory that the earlier one used, it is one rather than of other memory.
   */
  public @Nullable Free between(Operation earlier, Operation later) {
    Free found = null;
    for (Free free : latest) {
      if (free.by().isOfThread(later)
          && free.isAbout(earlier, later)
          && free.wouldOrder(earlier, later.stream)
          && (found == null || free.isUsedBy(earlier) || !found.isUsedBy(earlier))) {
        found = free;
      }
    }
    return found;
  }
}
