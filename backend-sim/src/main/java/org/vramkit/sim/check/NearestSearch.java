package org.vramkit.sim.check;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.Count;
import org.vramkit.sim.hazard.NearestOrder;
import org.vramkit.sim.hazard.Shortfall;

/**
 * Finds the synchronization that comes nearest to ordering two operations: the one with the fewest
 * operations between it and the earlier operation. Only a wait or record between the two counts,
 * because an older one belongs to an earlier iteration of a loop. Of equally near candidates, the
 * first one tried wins. Waits of the later stream are tried first, because they are the easiest to
 * fix.
 */
final class NearestSearch {
  private final Operation earlier;
  private final String how;
  private final Operation later;
  private @Nullable NearestOrder nearest;
  private long nearestDistance = Long.MAX_VALUE;

  /** Creates a search for a later operation; {@code how} is the noun of the earlier access. */
  NearestSearch(Operation earlier, String how, Operation later) {
    this.earlier = earlier;
    this.how = how;
    this.later = later;
  }

  @Nullable NearestOrder getNearest() {
    return nearest;
  }

  private boolean isBetween(long operation) {
    return operation > earlier.position() && operation < later.position();
  }

  /** Tries a wait of the later stream or the host that does not cover the earlier operation. */
  void tryWait(String who, EventMark.Wait wait) {
    if (!isBetween(wait.operation())) {
      return;
    }
    EventMark mark = wait.mark();
    if (mark == null) {
      notRecorded(who, wait);
      return;
    }
    EventMark overwritten = overwritten(mark);
    if (overwritten != null) {
      recordedAgain(who, wait, mark, overwritten);
    } else if (earlier.stream.has(mark.snapshot()) && mark.operation() < earlier.position()) {
      recordedTooEarly(who, wait, mark);
    }
  }

  /** Returns an earlier mark of the same event that covers the operation; null if there is none. */
  private @Nullable EventMark overwritten(EventMark mark) {
    for (EventMark other : earlier.stream.records.latestFirst()) {
      if (other.event() == mark.event()
          && other.generation() < mark.generation()
          && earlier.isBefore(other.snapshot())) {
        return other;
      }
    }
    return null;
  }

  private void notRecorded(String who, EventMark.Wait wait) {
    offer(
        0,
        Shortfall.NOT_RECORDED,
        List.of(wait.operation()),
        "%s, which had not been recorded: record it on %s after the %s, then wait"
            .formatted(waited(who, wait), earlier.stream.name, how));
  }

  private static String eventName(long event) {
    return "event 0x" + Long.toHexString(event);
  }

  private static String waited(String who, EventMark.Wait wait) {
    String event = eventName(wait.event());
    return "%s waited at operation %s for %s".formatted(who, wait.operation(), event);
  }

  private void recordedAgain(
      String who, EventMark.Wait wait, EventMark mark, EventMark overwritten) {
    offer(
        0,
        Shortfall.RECORDED_AGAIN,
        List.of(overwritten.operation(), mark.operation(), wait.operation()),
        "%s was recorded again at operation %s on %s before %s waited for it at operation %s:"
                .formatted(
                    eventName(mark.event()), mark.operation(), mark.stream(), who, wait.operation())
            + " it waited for generation %s; generation %s, recorded at operation %s, covers the %s"
                .formatted(
                    mark.generation(), overwritten.generation(), overwritten.operation(), how));
  }

  private void recordedTooEarly(String who, EventMark.Wait wait, EventMark mark) {
    long distance = earlier.position() - mark.operation();
    offer(
        distance,
        Shortfall.TOO_EARLY,
        List.of(mark.operation(), wait.operation()),
        "%s, recorded at operation %s on %s, %s before the %s: record it after the %s"
            .formatted(
                waited(who, wait),
                mark.operation(),
                mark.stream(),
                operations(distance),
                how,
                how));
  }

  private static String operations(long distance) {
    return Count.of(distance, "operation");
  }

  /** Tries a record in the earlier operation's stream. */
  void tryRecord(EventMark mark) {
    if (isBetween(mark.operation())) {
      offer(
          mark.operation() - earlier.position(),
          Shortfall.NOT_WAITED_FOR,
          List.of(mark.operation()),
          "%s was recorded at operation %s on %s after the %s, but %s %s"
              .formatted(
                  eventName(mark.event()),
                  mark.operation(),
                  mark.stream(),
                  how,
                  later.stream.words(),
                  lateWait(mark)));
    }
  }

  /** Describes the later stream's wait for a mark, which can only come after its host function. */
  private String lateWait(EventMark mark) {
    for (EventMark.Wait wait : later.stream.waits.latestFirst()) {
      if (mark.equals(wait.mark())) {
        return "waited for it only after the host function, at operation " + wait.operation();
      }
    }
    return "has not waited for it";
  }

  private void offer(long distance, Shortfall shortfall, List<Long> operations, String words) {
    if (distance < nearestDistance) {
      nearestDistance = distance;
      nearest = new NearestOrder(shortfall, operations, words);
    }
  }
}
