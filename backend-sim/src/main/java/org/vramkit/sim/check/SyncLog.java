package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.NearestOrder;

/**
 * Numbers the records, waits and synchronizations of a backend, and keeps the last ones of each
 * stream and the host, so that a report can name the nearest one. Guarded by the backend's lock.
 */
public final class SyncLog {
  private final Operation.Factory operations;
  private final HostThreads hosts;
  private final Ring<EventMark.Wait> hostWaits = new Ring<>(EventMark.REMEMBERED);

  /**
   * Creates an empty log. Calls of pools are numbered but not kept, because users cannot move them.
   */
  SyncLog(Operation.Factory operations, HostThreads hosts) {
    this.operations = operations;
    this.hosts = hosts;
  }

  /**
   * Records an event in a stream; {@code before} is the event's last mark; null if there is none.
   */
  public EventMark recorded(long event, StreamClock stream, @Nullable EventMark before) {
    EventMark mark =
        new EventMark(
            operations.nextNumber(),
            event,
            before == null ? 1 : before.generation() + 1,
            stream.name,
            stream.snapshot());
    if (!hosts.isInPool()) {
      stream.records.add(mark);
    }
    return mark;
  }

  /** Makes a stream wait for a recorded event. */
  public void waited(StreamClock stream, EventMark mark) {
    long operation = operations.nextNumber();
    if (hosts.isInPool()) {
      return;
    }
    stream.waits.add(new EventMark.Wait(operation, mark.event(), mark));
  }

  /** Notes a wait for an event that was never recorded. */
  public void waitedOnUnrecordedEvent(Operation wait, long event) {
    wait.stream.waits.add(new EventMark.Wait(wait.index(), event, null));
  }

  /** Notes that the host waited for all work of a stream. */
  public void hostWaited() {
    operations.nextNumber();
  }

  /** Notes that the host knows all work before a mark to be done. */
  public void hostWaited(EventMark mark) {
    long operation = operations.nextNumber();
    if (!hosts.isInPool()) {
      hostWaits.add(new EventMark.Wait(operation, mark.event(), mark));
    }
  }

  /**
   * Returns the synchronization that comes nearest to ordering two operations; null if there is
   * none.
   */
  public @Nullable NearestOrder nearest(Operation earlier, String how, Operation later) {
    NearestSearch search = new NearestSearch(earlier, how, later);
    String stream = later.stream.name;
    later.stream.waits.latestFirst().forEach(wait -> search.tryWait(stream, wait));
    earlier.stream.records.latestFirst().forEach(search::tryRecord);
    hostWaits.latestFirst().forEach(wait -> search.tryWait("the host", wait));
    return search.getNearest();
  }
}
