package org.vramkit.tools.trace;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;

/**
 * Builds a trace from events, tracking live addresses to check or repair them.
 *
 * <p>A recording may begin in the middle of a program. Memory held before becomes known when it is
 * freed, or from the snapshot at the end. Allocations of such memory are inserted before the first
 * event.
 */
final class TraceBuilder {
  /** The largest size, 1 EiB, which exceeds any device's memory. */
  static final long MAX_SIZE = 1L << 60;

  /** The maximum number of streams; streams beyond it share the last number. */
  static final int MAX_STREAMS = 4096;

  // An event and its allocation take up to 24 bytes, and twice that while arrays grow.
  private static final long HEAP_BYTES_PER_EVENT = 64;
  // Plus 20 bytes for an allocation's details, and memory for writing a page.
  private static final long HEAP_BYTES_PER_DETAILED_EVENT = 128;

  int[] events = new int[1024];
  long[] times = new long[1024];
  int eventCount;
  long[] sizes = new long[1024];
  int[] streams = new int[1024];
  int allocationCount;
  long requestedPeak;
  long failures;
  long heldBeforeBytes;

  private final Position position;
  private final boolean repairing;
  private final int maxEvents;
  private final @Nullable TraceDetails details;
  private final LiveAllocations live = new LiveAllocations();
  // Freed addresses, to tell a repeated free from a free of memory held before.
  private final LongOpenHashSet freed = new LongOpenHashSet();
  private int[] heldBefore = new int[16];
  private int heldBeforeCount;
  private final EventTimes clock = new EventTimes();
  private final Long2IntOpenHashMap streamNumbers = new Long2IntOpenHashMap();
  private final Map<Repair, Long> repaired = new EnumMap<>(Repair.class);
  private final List<String> gaps = new ArrayList<>();
  private @Nullable String firstUnknownAction;
  private long requested;
  private long requestedFrees;
  private boolean hasCompletedFrees;
  private boolean hasAllocations;

  /**
   * Creates a builder.
   *
   * @param repairing whether the format may lose entries, so that gaps are repaired and counted
   * @param details receives details; null to drop them
   */
  TraceBuilder(Position position, boolean repairing, @Nullable TraceDetails details) {
    this.position = position;
    this.repairing = repairing;
    this.details = details;
    long each = details == null ? HEAP_BYTES_PER_EVENT : HEAP_BYTES_PER_DETAILED_EVENT;
    this.maxEvents = (int) Math.min(1 << 30, HeapBudget.bytes() / each);
    streamNumbers.defaultReturnValue(-1);
    streamNumbers.put(0, 0);
  }

  /** Adds an allocation. */
  void allocate(long address, long size, long stream, long nanos) {
    checkSize(size);
    hasAllocations = true;
    int older = live.at(address);
    if (older >= 0) {
      if (!repairing) {
        throw position.error(
            "allocates at "
                + hex(address)
                + ", where an allocation of "
                + Count.of(sizes[older], "byte")
                + " is still live; a free is missing in the recording");
      }
      repair(Repair.LOST_FREE, 1);
      release(address, nanos);
    }
    if (live.overlap(address, size, sizes)) {
      repair(Repair.OVERLAP, 1);
    }
    event(allocation(address, size, stream), nanos);
  }

  private int allocation(long address, long size, long stream) {
    int number = streamNumber(stream);
    if (number == MAX_STREAMS - 1) {
      repair(Repair.OTHER_STREAMS, 1);
    }
    if (allocationCount == sizes.length) {
      sizes = Arrays.copyOf(sizes, grown(sizes.length));
      streams = Arrays.copyOf(streams, sizes.length);
    }
    sizes[allocationCount] = size;
    streams[allocationCount] = number;
    requested += size;
    if (requested > MAX_SIZE) {
      throw position.error("more than 1 EiB is live at once; the recorded sizes are wrong");
    }
    requestedPeak = Math.max(requestedPeak, requested);
    if (details != null) {
      details.allocation(allocationCount, address);
    }
    live.put(address, allocationCount);
    return allocationCount++;
  }

  /** Adds a completed free. */
  void free(long address, long size, long stream, long nanos) {
    checkSize(size);
    hasCompletedFrees = true;
    int allocation = live.at(address);
    if (allocation < 0) {
      if (!repairing) {
        throw position.error(
            "frees "
                + hex(address)
                + ", where nothing is live; an allocation is missing in the recording");
      }
      if (freed.contains(address)) {
        repair(Repair.REPEATED_FREE, 1);
        return;
      }
      repair(Repair.UNKNOWN_FREE, 1);
      if (details != null) {
        // The event's origin is the free's, not the allocation's.
        details.origin(Origin.UNKNOWN);
      }
      heldBefore(address, size, stream);
    } else if (sizes[allocation] != size) {
      if (!repairing) {
        throw position.error(
            "frees "
                + size
                + " bytes at "
                + hex(address)
                + ", where "
                + sizes[allocation]
                + " were allocated");
      }
      repair(Repair.FREE_SIZE, 1);
    }
    release(address, nanos);
  }

  /** Counts a requested free; the memory stays live until the free is completed. */
  void requestFree() {
    requestedFrees++;
  }

  /** Adds a failed allocation. */
  void failure(long free, long size, long stream, long nanos) {
    if (size < 0) {
      throw position.error("negative size " + size + "; sizes are 0 to 2^60 bytes");
    }
    failures++;
    mark(Mark.Kind.OUT_OF_MEMORY, free, size, stream, nanos);
  }

  /** Adds an event to the details. */
  void mark(Mark.Kind kind, long address, long size, long stream, long nanos) {
    if (details != null) {
      checkSize(size);
      details.mark(kind, eventCount, clock.since(nanos), address, size, streamNumber(stream));
    }
  }

  /** Counts an entry with an unknown action. */
  void unknownAction(@Nullable String word) {
    if (firstUnknownAction == null) {
      firstUnknownAction = Text.printable(String.valueOf(word), 40);
    }
    repair(Repair.UNKNOWN_ACTION, 1);
  }

  /** Adds the live blocks of the snapshot at the end of the recording. */
  void endsWith(List<LiveBlock> blocks) {
    LongOpenHashSet ended = new LongOpenHashSet(live.addresses());
    for (LiveBlock block : blocks) {
      ended.remove(block.address());
      if (live.at(block.address()) < 0) {
        liveAtEnd(block);
      }
    }
    if (!ended.isEmpty()) {
      repair(Repair.UNRECORDED_FREE, ended.size());
      long bytes = 0;
      for (long address : ended) {
        bytes += sizes[live.at(address)];
      }
      addGap(
          "the frees of "
              + ByteSize.format(bytes)
              + " in "
              + Count.of(ended.size(), "allocation")
              + ", which the snapshot at the end shows as freed; this trace keeps them live to the"
              + " end");
    }
  }

  private void liveAtEnd(LiveBlock block) {
    checkSize(block.size());
    if (details != null) {
      details.origin(block.origin());
    }
    if (freed.contains(block.address())) {
      repair(Repair.LOST_ALLOCATION, 1);
      eventAt(allocation(block.address(), block.size(), block.stream()), clock.getLast());
    } else {
      repair(Repair.LIVE_THROUGHOUT, 1);
      heldBefore(block.address(), block.size(), block.stream());
    }
  }

  private void heldBefore(long address, long size, long stream) {
    if (heldBeforeCount == heldBefore.length) {
      heldBefore = Arrays.copyOf(heldBefore, grown(heldBeforeCount));
    }
    heldBefore[heldBeforeCount++] = allocation(address, size, stream);
    heldBeforeBytes += size;
    if (heldBeforeBytes > MAX_SIZE) {
      throw position.error("more than 1 EiB was held before; the recorded sizes are wrong");
    }
  }

  @Nullable TraceDetails details() {
    return details;
  }

  void repair(Repair repair, long times) {
    if (times > 0) {
      repaired.merge(repair, times, Long::sum);
    }
  }

  /** Adds a gap; the text continues the phrase "not in the recording:". */
  void addGap(String what) {
    gaps.add(what);
  }

  /** Adds a gap unless the device has no events. */
  void addGapIfEvents(String what) {
    if (eventCount > 0) {
      addGap(what);
    }
  }

  /** Describes this device as a gap in the traces of other devices; empty if it has events. */
  Optional<String> describeMoment(int device) {
    return eventCount > 0
        ? Optional.empty()
        : Optional.of(
            "device "
                + device
                + ", a snapshot of one moment without events: "
                + ByteSize.format(heldBeforeBytes)
                + " in "
                + Count.of(heldBeforeCount, "block"));
  }

  /** Returns whether there is neither an event nor a live block. */
  boolean isEmpty() {
    return eventCount == 0 && heldBeforeCount == 0;
  }

  /** Builds the trace, which must contain an allocation. */
  Trace build(String name, TraceFormat format) {
    if (isEmpty()) {
      throw new TraceException(
          name,
          "holds no allocation"
              + describeUnknownActions()
              + "; start recording before the program's first allocation");
    }
    repair(Repair.TIME_WENT_BACK, clock.getWentBack());
    repair(Repair.TIME_LEAPT, clock.getLeapt());
    addGapsOfMissingKinds();
    if (details != null) {
      details.count(this);
    }
    if (heldBeforeCount > 0) {
      putHeldBeforeFirst();
    }
    return new Trace(name, format, this);
  }

  /** Adds gaps for kinds of entries that the recorder was configured to skip. */
  private void addGapsOfMissingKinds() {
    if (requestedFrees > 0 && !hasCompletedFrees) {
      addGap(
          "every completed free: "
              + Count.of(requestedFrees, "request")
              + " to free are all that was recorded, so memory stays live until its address is"
              + " allocated again");
    }
    if (hasCompletedFrees && !hasAllocations) {
      addGap("every allocation: only frees were recorded");
    }
  }

  /** Describes skipped entries for an error message; empty if there are none. */
  String describeUnknownActions() {
    long unknown = repaired.getOrDefault(Repair.UNKNOWN_ACTION, 0L);
    return unknown == 0
        ? ""
        : " but "
            + Count.of(unknown, "unknown action")
            + ", the first '"
            + firstUnknownAction
            + "'";
  }

  /** Inserts the allocations of memory held before in front of the first event. */
  private void putHeldBeforeFirst() {
    int count = Math.addExact(heldBeforeCount, eventCount);
    int[] all = Arrays.copyOf(heldBefore, count);
    System.arraycopy(events, 0, all, heldBeforeCount, eventCount);
    long[] since = new long[count];
    System.arraycopy(times, 0, since, heldBeforeCount, eventCount);
    events = all;
    times = since;
    eventCount = count;
    long now = 0;
    requestedPeak = 0;
    for (int code : events) {
      now += code >= 0 ? sizes[code] : -sizes[~code];
      requestedPeak = Math.max(requestedPeak, now);
    }
  }

  int heldBeforeCount() {
    return heldBeforeCount;
  }

  List<String> gaps() {
    return gaps;
  }

  int streamCount() {
    return streamNumbers.size() + (otherStreams() < 0 ? 0 : 1);
  }

  /**
   * Returns the number that all streams beyond {@link #MAX_STREAMS} share; -1 if there are none.
   */
  int otherStreams() {
    return repaired.containsKey(Repair.OTHER_STREAMS) ? MAX_STREAMS - 1 : -1;
  }

  Map<String, Long> repairs() {
    Map<String, Long> counts = new LinkedHashMap<>();
    repaired.forEach((repair, count) -> counts.put(repair.getKey(), count));
    return Collections.unmodifiableMap(counts);
  }

  /** Checks a time and converts it to nanoseconds. */
  static long nanosOfMicros(long micros, Position position) {
    if (micros < 0 || micros >= 1L << 53) {
      throw position.error("the time " + micros + " us is out of range; times are 0 to 2^53 us");
    }
    return micros * 1000;
  }

  private void release(long address, long nanos) {
    int allocation = live.remove(address);
    requested -= sizes[allocation];
    if (repairing) {
      freed.add(address);
    }
    event(~allocation, nanos);
  }

  private void event(int code, long nanos) {
    eventAt(code, clock.next(nanos));
  }

  private void eventAt(int code, long since) {
    if (eventCount == maxEvents) {
      throw position.error(
          "more than "
              + maxEvents
              + " events do not fit a heap of "
              + ByteSize.format(Runtime.getRuntime().maxMemory())
              + "; set JAVA_OPTS=-Xmx to more");
    }
    if (eventCount == events.length) {
      events = Arrays.copyOf(events, grown(events.length));
      times = Arrays.copyOf(times, events.length);
    }
    events[eventCount] = code;
    times[eventCount++] = since;
  }

  private int streamNumber(long stream) {
    int number = streamNumbers.get(stream);
    if (number < 0) {
      number = streamNumbers.size();
      if (number < MAX_STREAMS - 1) {
        streamNumbers.put(stream, number);
      }
    }
    return number;
  }

  private void checkSize(long size) {
    if (size < 0 || size > MAX_SIZE) {
      throw position.error(
          (size < 0 ? "negative size " : "absurd size ") + size + "; sizes are 0 to 2^60 bytes");
    }
  }

  private static int grown(int length) {
    return length + (length >> 1);
  }

  private static String hex(long address) {
    return "0x" + Long.toHexString(address);
  }
}
