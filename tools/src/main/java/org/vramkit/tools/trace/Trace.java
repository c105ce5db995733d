package org.vramkit.tools.trace;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Recorded allocations and frees in order. Immutable and compact: 12 bytes per event and 12 per
 * allocation.
 *
 * <p>A recording may begin in the middle of a program. Memory that the program held then is
 * allocated by the first {@link #getHeldBefore} events, so that all figures include it.
 *
 * <p>Allocations are numbered from 0 in order. A free happens when it is completed: an allocation
 * whose free was requested but not completed is live to the end. Times are nanoseconds since the
 * first event and never decrease: an event recorded before its predecessor, as in logs of several
 * threads, gets the predecessor's time, which counts as a repair if the two times differ by more
 * than 10 ms.
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
  private final List<String> gaps;
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
    this.gaps = List.copyOf(builder.gaps());
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
    gaps = recorded.gaps;
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
   * Returns a variation of the program: each distinct size is scaled by up to 15 %, the pace by up
   * to 20 %. The result has no details.
   *
   * @param variation seed of the variation; 0 returns this trace
   */
  public Trace vary(int variation) {
    return variation == 0 ? this : new Trace(this, new Variation(variation));
  }

  /** Returns the name that the reader was given. */
  public String getName() {
    return name;
  }

  /** Returns the format of the file. */
  public TraceFormat getFormat() {
    return format;
  }

  /** Returns the number of allocations and frees. */
  public int getEventCount() {
    return eventCount;
  }

  /** Returns the number of allocations. */
  public int getAllocationCount() {
    return allocationCount;
  }

  /** Returns the number of streams, including the default stream, number 0. */
  public int getStreamCount() {
    return streamCount;
  }

  /** Returns the number shared by all streams beyond the first 4095; -1 if there are fewer. */
  public int getOtherStreams() {
    return otherStreams;
  }

  /** Returns whether an event is an allocation; otherwise it is a free. */
  public boolean isAllocation(int event) {
    return events[event] >= 0;
  }

  /** Returns the number of the allocation that an event makes or frees. */
  public int getAllocation(int event) {
    int code = events[event];
    return code >= 0 ? code : ~code;
  }

  /** Returns the time of an event in nanoseconds since the first. */
  public long getNanos(int event) {
    return times[event];
  }

  /** Returns the requested size of an allocation in bytes. */
  public long getSize(int allocation) {
    return sizes[allocation];
  }

  /** Returns the stream number of an allocation. */
  public int getStream(int allocation) {
    return streams[allocation];
  }

  /** Returns the peak of live requested bytes. */
  public long getRequestedPeakBytes() {
    return requestedPeakBytes;
  }

  /** Returns the number of failed allocations in the recording, which are not replayed. */
  public long getRecordedFailures() {
    return recordedFailures;
  }

  /** Returns the count of each repair by {@link Repair#getKey}; empty if there were none. */
  public Map<String, Long> getRepairs() {
    return repairs;
  }

  /**
   * Returns the number of leading events that allocate memory held before the recording began. They
   * have the time 0.
   */
  public int getHeldBefore() {
    return heldBefore;
  }

  /** Returns the number of recorded events: all but the first {@link #getHeldBefore}. */
  public int getRecordedEventCount() {
    return eventCount - heldBefore;
  }

  /** Returns the bytes that the program held before the recording began. */
  public long getHeldBeforeBytes() {
    return heldBeforeBytes;
  }

  /** Returns whether this is a snapshot of one moment, without recorded events. */
  public boolean isMoment() {
    return heldBefore == eventCount;
  }

  /** Returns a line for each known gap of the recording. */
  public List<String> getGaps() {
    return gaps;
  }

  /** Returns details that a replay does not need; null if the trace was read without details. */
  public @Nullable TraceDetails getDetails() {
    return details;
  }
}
