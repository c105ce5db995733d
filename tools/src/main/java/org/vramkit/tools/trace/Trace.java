package org.vramkit.tools.trace;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Recorded allocations and frees in the order they happened. Immutable, and compact: 12 bytes per
 * event and 12 per allocation.
 *
 * <p>A recording may begin in the middle of a program. What the program held then is allocated by
 * the first events, so that it counts in every figure: {@link #getHeldBefore} of them.
 *
 * <p>Allocations are numbered from 0 in the order they were made. A free counts where it was
 * completed: memory whose free was requested but never completed is live until the end. Times are
 * nanoseconds since the first event and never go back; an event whose recorded time lies before the
 * one of its predecessor, as happens in logs of several threads, has its predecessor's time; beyond
 * 10 ms it is counted among the repairs.
 */
public final class Trace {
  private final String name;
  private final TraceFormat format;
  private final int[] events;
  private final long[] times;
  private final int eventCount;
  private final long[] sizes;
  private final int[] streams;
  private final int allocationCount;
  private final int streamCount;
  private final int otherStreams;
  private final long requestedPeakBytes;
  private final long recordedFailures;
  private final Map<String, Long> repairs;
  private final int heldBefore;
  private final long heldBeforeBytes;
  private final List<String> leftOut;
  private final @Nullable TraceDetails details;

  Trace(String name, TraceFormat format, TraceBuilder builder) {
    this.name = name;
    this.format = format;
    this.events = builder.events;
    this.times = builder.times;
    this.eventCount = builder.eventCount;
    this.sizes = builder.sizes;
    this.streams = builder.streams;
    this.allocationCount = builder.allocationCount;
    this.streamCount = builder.streamCount();
    this.otherStreams = builder.otherStreams();
    this.requestedPeakBytes = builder.requestedPeak;
    this.recordedFailures = builder.failures;
    this.repairs = builder.repairs();
    this.heldBefore = builder.heldBeforeCount();
    this.heldBeforeBytes = builder.heldBeforeBytes;
    this.leftOut = List.copyOf(builder.leftOut());
    this.details = builder.details();
  }

  private Trace(Trace recorded, Variation variation) {
    name = recorded.name;
    format = recorded.format;
    events = recorded.events;
    eventCount = recorded.eventCount;
    times = new long[eventCount];
    streams = recorded.streams;
    allocationCount = recorded.allocationCount;
    streamCount = recorded.streamCount;
    sizes = new long[allocationCount];
    recordedFailures = recorded.recordedFailures;
    otherStreams = recorded.otherStreams;
    repairs = recorded.repairs;
    heldBefore = recorded.heldBefore;
    leftOut = recorded.leftOut;
    details = null;
    Arrays.setAll(times, event -> variation.nanos(recorded.times[event]));
    Arrays.setAll(sizes, allocation -> variation.size(recorded.sizes[allocation]));
    long requested = 0;
    long peak = 0;
    for (int event = 0; event < eventCount; event++) {
      requested += isAllocation(event) ? sizes[events[event]] : -sizes[~events[event]];
      peak = Math.max(peak, requested);
    }
    requestedPeakBytes = peak;
    heldBeforeBytes = Arrays.stream(sizes, 0, heldBefore).sum();
  }

  /**
   * The program as it might have run another time: each size up to 15 % smaller or larger, equal
   * ones alike, and the whole up to 20 % faster or slower. It has no details.
   *
   * @param variation which one, the same for the same number; 0 is the recording itself
   */
  public Trace vary(int variation) {
    return variation == 0 ? this : new Trace(this, new Variation(variation));
  }

  /** The file's name as it was given. */
  public String getName() {
    return name;
  }

  /** How it was written. */
  public TraceFormat getFormat() {
    return format;
  }

  /** How many allocations and frees there are. */
  public int getEventCount() {
    return eventCount;
  }

  /** How many allocations there are. */
  public int getAllocationCount() {
    return allocationCount;
  }

  /** How many streams there are; 0 is the recorded default stream, used or not. */
  public int getStreamCount() {
    return streamCount;
  }

  /**
   * The number that stands for all streams beyond those with a number of their own; -1 without
   * such.
   */
  public int getOtherStreams() {
    return otherStreams;
  }

  /** Returns whether an event is an allocation; otherwise it is a free. */
  public boolean isAllocation(int event) {
    return events[event] >= 0;
  }

  /** The number of the allocation that an event makes or frees. */
  public int getAllocation(int event) {
    int code = events[event];
    return code >= 0 ? code : ~code;
  }

  /** When an event happened, in nanoseconds since the first one. */
  public long getNanos(int event) {
    return times[event];
  }

  /** The requested size of an allocation in bytes. */
  public long getSize(int allocation) {
    return sizes[allocation];
  }

  /** The stream number of an allocation. */
  public int getStream(int allocation) {
    return streams[allocation];
  }

  /** The most bytes that were requested and not yet freed. */
  public long getRequestedPeakBytes() {
    return requestedPeakBytes;
  }

  /** How often the recorded program was refused memory; these are not replayed. */
  public long getRecordedFailures() {
    return recordedFailures;
  }

  /**
   * Returns the repairs and how often each was made, by {@link Repair#getKey}; empty for a sound
   * trace.
   */
  public Map<String, Long> getRepairs() {
    return repairs;
  }

  /**
   * How many of the first events allocate what the program held before its recording began. These
   * have the time 0.
   */
  public int getHeldBefore() {
    return heldBefore;
  }

  /** How many events were recorded: all but those that allocate what was held before. */
  public int getRecordedEventCount() {
    return eventCount - heldBefore;
  }

  /** How many bytes the program held before its recording began. */
  public long getHeldBeforeBytes() {
    return heldBeforeBytes;
  }

  /**
   * Returns whether this is the snapshot of one moment, without any recorded event: all that there
   * is was held before.
   */
  public boolean isMoment() {
    return heldBefore == eventCount;
  }

  /** Returns a line for each known gap of the recording; empty without such. */
  public List<String> getLeftOut() {
    return leftOut;
  }

  /** Returns what a replay does not need; null unless the reader kept it. */
  public @Nullable TraceDetails getDetails() {
    return details;
  }
}
