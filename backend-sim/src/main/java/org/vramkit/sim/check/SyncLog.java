package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.Operation.Factory;
import org.vramkit.sim.hazard.NearestOrder;

/**
 * Numbers the records, waits and synchronisations of a backend and keeps the last of each stream
 * and of the host, so that a report can name the one that comes nearest. Judges nothing. Guarded by
 * the backend's lock.
 */
public final class SyncLog {
  private final Factory operations;
  private final HostThreads hosts;
  private final Ring<EventMark.Wait> hostWaits = new Ring<>();

  /** Numbers operations. What pools do is not kept: it is no user's to move. */
  SyncLog(Factory operations, HostThreads hosts) {
    this.operations = operations;
    this.hosts = hosts;
  }

  /** An event is recorded in a stream; null if it held no mark before. */
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

  /** A stream waits for an event that holds a mark. */
  public void waited(StreamClock stream, EventMark mark) {
    long operation = operations.nextNumber();
    if (hosts.isInPool()) {
      return;
    }
    stream.waits.add(new EventMark.Wait(operation, mark.event(), mark));
  }

  /** A stream waited for an event that was never recorded. */
  public void waitedOnUnrecordedEvent(Operation wait, long event) {
    wait.stream.waits.add(new EventMark.Wait(wait.index(), event, null));
  }

  /** The host waited for all that a stream had queued, of which nothing can come too early. */
  public void hostWaited() {
    operations.nextNumber();
  }

  /** The host knows that all work before a mark is done. */
  public void hostWaited(EventMark mark) {
    long operation = operations.nextNumber();
    if (!hosts.isInPool()) {
      hostWaits.add(new EventMark.Wait(operation, mark.event(), mark));
    }
  }

  static String eventName(long event) {
    return "event 0x" + Long.toHexString(event);
  }

  /** The synchronisation that comes nearest to ordering two operations that nothing orders. */
  public @Nullable NearestOrder nearest(Operation earlier, String how, Operation later) {
    NearestSearch search = new NearestSearch(earlier, how, later);
    String stream = later.stream.name;
    later.stream.waits.latestFirst().forEach(wait -> search.tryWait(stream, wait));
    earlier.stream.records.latestFirst().forEach(search::tryRecord);
    hostWaits.latestFirst().forEach(wait -> search.tryWait("the host", wait));
    return search.getNearest();
  }
}
