package org.vramkit.sim.check;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.vramkit.sim.check.Owners.BlockMap;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Detects writes of the host to page-locked memory that queued work still has to read, or that was
 * returned to the host or to a pool. Writes through Java views cannot be seen. So the bytes are
 * saved, and compared when the host knows the work to be done, when reports are requested, or when
 * a pool reuses the memory. A write of the same values is not found. Guarded by the backend's lock.
 */
public final class HostWrites {
  /** Limit on the saved bytes that work reads. */
  private static final long READ_BYTES = 256L << 20;

  /** Limit on the saved bytes of closed buffers. */
  private static final long CLOSED_BYTES = 64L << 20;

  /** Bytes that queued copies read. */
  private final class Source extends WatchedBytes {
    private final HostChange change;
    private final List<Operation> copies = new ArrayList<>(1);

    Source(PinnedRange range, ByteBuffer content, HostChange change) {
      super(range, content);
      this.change = change;
    }

    private boolean isOrderedWith(FunctionPoint function) {
      return copies.stream().allMatch(function::isOrderedWith);
    }

    /** Drops the copies before a point; returns whether none is left. */
    private boolean isOver(Order done) {
      copies.removeIf(copy -> copy.isBefore(done));
      return copies.isEmpty();
    }

    /** Adds a copy, in place of an earlier one of its stream. */
    private void add(Operation copy) {
      for (Operation earlier : List.copyOf(copies)) {
        if (earlier.slot() == copy.slot()) {
          copies.remove(earlier);
          pending.remove(earlier, this);
        }
      }
      copies.add(copy);
      pending.add(copy, this);
    }

    @Override
    boolean isChanged() {
      // A running function that is ordered with all copies may write the bytes they read.
      if (running.stream().anyMatch(this::isOrderedWith)) {
        expectAsItIs();
        return false;
      }
      return super.isChanged();
    }

    @Override
    void report(int first) {
      long start = range.start() + first;
      long end = range.start() + endOfChange(first);
      change.noticed(start, end - start);
      Operation copy = copies.get(0);
      reports
          .find(HazardCode.HOST_RACE)
          .in(range)
          .earlier(copy, AccessKind.READ, range.start(), range.end())
          .later(operations.noticedWrite(), AccessKind.WRITE, start, end)
          .missing(
              ("the host does not wait for operation %s before it writes byte %s of the memory that"
                      + " this operation reads; the write was noticed later, so its line is not"
                      + " known")
                  .formatted(copy.index(), first))
          .report(
              copy.howToWait("wait for the stream, or for an event recorded after the work")
                  + ", before writing");
    }
  }

  /** The sources of pending copies, by the slots and epochs of the copies. */
  private static final class PendingReads {
    private final Map<Integer, NavigableMap<Long, Set<Source>>> bySlot = new HashMap<>();

    void add(Operation copy, Source source) {
      bySlot
          .computeIfAbsent(copy.slot(), slot -> new TreeMap<>())
          .computeIfAbsent(copy.epoch(), epoch -> new LinkedHashSet<>(1))
          .add(source);
    }

    void remove(Operation copy, Source source) {
      NavigableMap<Long, Set<Source>> ofStream = bySlot.get(copy.slot());
      Set<Source> ofCopy = ofStream == null ? null : ofStream.get(copy.epoch());
      if (ofStream != null && ofCopy != null && ofCopy.remove(source) && ofCopy.isEmpty()) {
        ofStream.remove(copy.epoch());
        if (ofStream.isEmpty()) {
          bySlot.remove(copy.slot());
        }
      }
    }

    void removeAll(Source source) {
      source.copies.forEach(copy -> remove(copy, source));
    }

    /** Removes the copies before a point; returns their sources. */
    Set<Source> removeDone(Order done) {
      Set<Source> read = new LinkedHashSet<>(0);
      bySlot.forEach(
          (slot, ofStream) -> {
            while (!ofStream.isEmpty() && done.covers(slot, ofStream.firstKey())) {
              read.addAll(ofStream.pollFirstEntry().getValue());
            }
          });
      bySlot.values().removeIf(NavigableMap::isEmpty);
      return read;
    }
  }

  /** Bytes of a closed buffer, which may still have views. */
  private final class Closed extends WatchedBytes {
    private final Operation close;

    Closed(PinnedRange range, ByteBuffer content, Operation close) {
      super(range, content);
      this.close = close;
    }

    @Override
    void report(int first) {
      long start = range.start() + first;
      reports
          .find(HazardCode.USE_AFTER_FREE)
          .in(range)
          .earlier(close, AccessKind.FREE, range.start(), range.end())
          .later(operations.noticedWrite(), AccessKind.WRITE, start, start + 1)
          .missing(
              ("the buffer was closed before byte %s was written; the write was noticed later, so"
                      + " its line is not known")
                  .formatted(first))
          .report("close the buffer after the last use of its views");
    }
  }

  private final boolean enabled;
  private final BlockMap buffers;
  private final Order known;
  private final Reports reports;
  private final Operation.Factory operations;
  private final PendingReads pending = new PendingReads();

  private final Watches<Source> sources = new Watches<>(READ_BYTES, pending::removeAll);
  private final Watches<Closed> closed = new Watches<>(CLOSED_BYTES, buffer -> {});
  private final List<FunctionPoint> running = new ArrayList<>(0);

  /**
   * Creates a detector without watched ranges; {@code known} is what any thread knows to be done.
   */
  HostWrites(
      boolean enabled,
      BlockMap buffers,
      Order known,
      Reports reports,
      Operation.Factory operations) {
    this.enabled = enabled;
    this.buffers = buffers;
    this.known = known;
    this.operations = operations;
    this.reports = reports;
  }

  /**
   * Watches a range that submitted work reads, and calls {@code change} if the host changes it.
   * Work behind a closed gate comes after what the opening thread has written, so its range is
   * watched from the opening on, unless the buffer has been closed: the close was reported.
   */
  public void submitted(
      Operation copy, PinnedRange range, Supplier<ByteBuffer> content, HostChange change) {
    GateOrder gate = copy.closedGate();
    if (enabled && gate != null) {
      gate.watchWhenOpen(
          () -> {
            if (buffers.liveAt(range.buffer()) != null) {
              submitted(copy, range, content, change);
            }
          });
    } else if (enabled) {
      watch(copy, range, content, change);
    }
  }

  private void watch(
      Operation copy, PinnedRange range, Supplier<ByteBuffer> content, HostChange change) {
    Source same = sources.get(range);
    Source source =
        same != null && !same.isChanged()
            ? same
            : sources.add(range, () -> new Source(range, content.get(), change));
    if (source != null) {
      source.add(copy);
    }
  }

  /** Watches a closed buffer, whose content may still have views. */
  public void closed(PinnedRange buffer, Supplier<ByteBuffer> content) {
    if (enabled) {
      closed.compareLast(buffer.start(), buffer.end());
      Operation close = operations.hostPoint("close", AccessKind.FREE);
      closed.add(buffer, () -> new Closed(buffer, content.get(), close));
    }
  }

  /** Looks for changes under work that reads a range. */
  public void compare(PinnedRange range) {
    sources.compare(sources.overlapping(range.start(), range.end()));
  }

  /** Performs a write by work on a device, which does not count as a change by the host. */
  public void written(PinnedRange range, Runnable write) {
    sources.written(
        range.start(), range.end(), () -> closed.written(range.start(), range.end(), write));
  }

  /** Notes that a pool reuses a range whose earlier copies it knows to be done. */
  public void reused(long start, long bytes) {
    sources.forget(start, start + bytes);
    closed.compareLast(start, start + bytes);
  }

  /** Stops watching a range that the host declares to write, or has freed. */
  void forget(PinnedRange range) {
    sources.forget(range.start(), range.end());
  }

  /** Compares closed buffers a last time and releases their saved bytes, when memory is short. */
  public void forgetClosed() {
    closed.compare(closed.all());
    closed.all().forEach(closed::remove);
  }

  /** Looks for changes of closed buffers. */
  void compareClosed() {
    closed.compare(closed.all());
  }

  /** Looks for changes of ranges whose reads are now known to be done, and stops watching them. */
  void learnt() {
    learnt(known);
  }

  private void learnt(Order done) {
    for (Source source : pending.removeDone(done)) {
      if (source.isChanged() || source.isOver(done)) {
        sources.remove(source);
      }
    }
  }

  /**
   * Records the begin of a host function, before which all earlier work of its stream is done. The
   * function may write bytes that later copies read.
   */
  void functionBegins(FunctionPoint function) {
    sources.compare(sources.all());
    learnt(function.before());
    running.add(function);
  }

  /**
   * Records the end of a host function, and reports changes of ranges whose copies are not ordered
   * with it.
   */
  void functionEnds(FunctionPoint function) {
    sources.compare(sources.all());
    running.remove(function);
  }

  /** Receives changes by the host under a copy. */
  @FunctionalInterface
  public interface HostChange {
    /** Reports changed bytes from an address on. */
    void noticed(long address, long bytes);
  }
}
