package org.vramkit.sim.check;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.NearestOrder;

/**
 * Numbers the records, waits and synchronisations of a backend and keeps the last of each stream
 * and of the host, so that a report can name the one that comes nearest. Judges nothing. Guarded by
 * the backend's lock.
 */
public final class SyncLog {
  /** The host learnt that work up to a point is done, by a wait or an answer. */
  record HostWait(long operation, String what, Snapshot point) {}

  private final LongSupplier numbers;
  private final HostThreads hosts;
  private final Ring<HostWait> hostWaits = new Ring<>();

  /** Numbers operations. What pools do is not kept: it is no user's to move. */
  SyncLog(LongSupplier numbers, HostThreads hosts) {
    this.numbers = numbers;
    this.hosts = hosts;
  }

  /** An event is recorded in a stream; null if it held no mark before. */
  public EventMark recorded(long event, StreamClock stream, @Nullable EventMark before) {
    EventMark mark =
        new EventMark(
            numbers.getAsLong(),
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
    long operation = numbers.getAsLong();
    if (hosts.isInPool()) {
      return;
    }
    stream.waits.add(new EventMark.Wait(operation, mark.event(), mark));
  }

  /** A stream waited for an event that was never recorded. */
  public void waitedForNothing(Operation wait, long event) {
    wait.stream.waits.add(new EventMark.Wait(wait.index(), event, null));
  }

  /** The host knows that all work of a stream up to a point is done. */
  public void hostWaited(StreamClock stream, Snapshot point) {
    hostWaited(stream.name, point);
  }

  /** The host knows that all work before a mark is done. */
  public void hostWaited(EventMark mark) {
    hostWaited(eventName(mark.event()), mark.snapshot());
  }

  private void hostWaited(String what, Snapshot point) {
    long operation = numbers.getAsLong();
    if (hosts.isInPool()) {
      return;
    }
    hostWaits.add(new HostWait(operation, what, point));
  }

  static String eventName(long event) {
    return "event 0x" + Long.toHexString(event);
  }

  /** The synchronisation that comes nearest to ordering two operations that nothing orders. */
  public @Nullable NearestOrder nearest(Operation earlier, String how, StreamClock later) {
    NearestSearch search = new NearestSearch(earlier, how, later.name);
    later.waits.latestFirst().forEach(search::tryWait);
    earlier.stream.records.latestFirst().forEach(search::tryRecord);
    hostWaits.latestFirst().forEach(search::tryHostWait);
    return search.getNearest();
  }
}
