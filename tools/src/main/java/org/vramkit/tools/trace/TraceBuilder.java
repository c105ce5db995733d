package org.vramkit.tools.trace;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;

/** Collects events, keeps the books of live addresses, and checks or repairs what does not fit. */
final class TraceBuilder {
  /** Above any memory there is: 1 EiB. */
  static final long MAX_SIZE = 1L << 60;

  /** Streams are created on a device; no program uses as many. */
  static final int MAX_STREAMS = 4096;

  /** 30 days, so that a thousand passes stay far below 2^63 ns. */
  static final long MAX_NANOS = 30L * 24 * 3600 * 1_000_000_000L;

  /** 10 ms: threads log a little out of order, the recorded RMM log by up to 0.1 ms. */
  static final long JITTER_NANOS = 10_000_000;

  // An event takes 24 bytes at most with its allocation, twice that while the arrays grow.
  private static final long HEAP_BYTES_PER_EVENT = 64;
  // Another 20 of an allocation, and what a page makes of them.
  private static final long HEAP_BYTES_PER_DETAILED_EVENT = 128;

  int[] events = new int[1024];
  long[] times = new long[1024];
  int eventCount;
  long[] sizes = new long[1024];
  int[] streams = new int[1024];
  int allocationCount;
  long requestedPeak;
  long failures;

  private final Position position;
  private final boolean repairing;
  private final int maxEvents;
  private final @Nullable TraceDetails details;
  private final Long2IntOpenHashMap live = numbers();
  private final Long2IntOpenHashMap streamNumbers = numbers();
  private final Map<Repair, Long> repaired = new EnumMap<>(Repair.class);
  private @Nullable String firstUnknownAction;
  private long requested;
  private long firstNanos;
  private long lastNanos;

  /**
   * Starts an empty trace.
   *
   * @param repairing whether the format may lose entries, so that gaps are repaired and counted
   * @param details where to keep what a replay does not need; null if nobody wants it
   */
  TraceBuilder(Position position, boolean repairing, @Nullable TraceDetails details) {
    this.position = position;
    this.repairing = repairing;
    this.details = details;
    long each = details == null ? HEAP_BYTES_PER_EVENT : HEAP_BYTES_PER_DETAILED_EVENT;
    this.maxEvents = (int) Math.min(1 << 30, HeapRoom.bytes() / each);
    streamNumbers.put(0, 0);
  }

  /** An allocation. */
  void allocate(long address, long size, long stream, long nanos) {
    checkSize(size);
    int older = live.get(address);
    if (older >= 0) {
      if (!repairing) {
        throw position.error(
            "allocates at "
                + hex(address)
                + ", where an allocation of "
                + Count.of(sizes[older], "byte")
                + " is still live; a free is missing");
      }
      repair(Repair.LOST_FREE, 1);
      release(address, nanos);
    }
    int allocation = allocation(address, size, stream);
    live.put(address, allocation);
    event(allocation, nanos);
  }

  private int allocation(long address, long size, long stream) {
    int number = streamNumber(stream);
    if (allocationCount == sizes.length) {
      sizes = Arrays.copyOf(sizes, grown(sizes.length));
      streams = Arrays.copyOf(streams, sizes.length);
    }
    sizes[allocationCount] = size;
    streams[allocationCount] = number;
    requested += size;
    if (requested > MAX_SIZE) {
      throw position.error("more than 1 EiB is live at once; the sizes cannot be right");
    }
    requestedPeak = Math.max(requestedPeak, requested);
    if (details != null) {
      details.allocation(allocationCount, address);
    }
    return allocationCount++;
  }

  /** A completed free. */
  void free(long address, long size, long stream, long nanos) {
    checkSize(size);
    int allocation = live.get(address);
    if (allocation < 0) {
      if (!repairing) {
        throw position.error(
            "frees " + hex(address) + ", where nothing is live; an allocation is missing");
      }
      repair(Repair.UNKNOWN_FREE, 1);
      if (details != null) {
        // Who frees is known, who allocated is not.
        details.origin(Origin.UNKNOWN);
        heldBefore(address, size, stream);
        release(address, nanos);
      }
      return;
    }
    if (sizes[allocation] != size) {
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

  /** The recorded program was refused memory. */
  void failure(long free, long size, long stream, long nanos) {
    if (size < 0) {
      throw position.error("negative size " + size);
    }
    failures++;
    mark(Mark.Kind.OUT_OF_MEMORY, free, size, stream, nanos);
  }

  /** Something that is kept among the details only. */
  void mark(Mark.Kind kind, long address, long size, long stream, long nanos) {
    if (details != null) {
      checkSize(size);
      long since = eventCount == 0 ? 0 : Math.max(0, Math.min(MAX_NANOS, nanos - firstNanos));
      details.mark(kind, eventCount, since, address, size, streamNumber(stream));
    }
  }

  /** A block that the snapshot shows live; counted if its allocation is not in the trace. */
  void liveAtEnd(long address, long size, long stream, Origin origin) {
    if (live.get(address) >= 0) {
      return;
    }
    repair(Repair.LIVE_THROUGHOUT, 1);
    if (details != null) {
      checkSize(size);
      details.origin(origin);
      heldBefore(address, size, stream);
    }
  }

  private void heldBefore(long address, long size, long stream) {
    int allocation = allocation(address, size, stream);
    live.put(address, allocation);
    if (details != null) {
      details.heldBefore(allocation);
    }
  }

  @Nullable TraceDetails details() {
    return details;
  }

  /** An entry whose action this version does not know; null is the name of none. */
  void unknownAction(@Nullable String word) {
    if (firstUnknownAction == null) {
      firstUnknownAction = Text.printable(String.valueOf(word), 40);
    }
    repair(Repair.UNKNOWN_ACTION, 1);
  }

  void repair(Repair repair, long times) {
    if (times > 0) {
      repaired.merge(repair, times, Long::sum);
    }
  }

  /** The trace; without any event it is none, and its figures would be those of nothing. */
  Trace build(String name, TraceFormat format) {
    if (eventCount == 0) {
      throw new TraceException(
          name,
          "holds no allocation"
              + describeUnknownActions()
              + "; record from before the program's first one");
    }
    if (details != null && !details.getHeldBefore().isEmpty()) {
      requestedPeak = peakWith(details);
    }
    return new Trace(name, format, this);
  }

  /** What was passed over, for the error that nothing is left; empty if nothing was. */
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

  /** With what was held before the first event, which was found only when it was freed. */
  private long peakWith(TraceDetails known) {
    long now = 0;
    for (int allocation : known.getHeldBefore()) {
      now += sizes[allocation];
    }
    long peak = now;
    for (int i = 0; i < eventCount; i++) {
      now += events[i] >= 0 ? sizes[events[i]] : -sizes[~events[i]];
      peak = Math.max(peak, now);
    }
    return peak;
  }

  int streamCount() {
    return streamNumbers.size();
  }

  Map<String, Long> repairs() {
    Map<String, Long> counts = new LinkedHashMap<>();
    repaired.forEach((repair, count) -> counts.put(repair.getKey(), count));
    return Collections.unmodifiableMap(counts);
  }

  /** Checks a time and makes it nanoseconds. */
  static long nanosOfMicros(long micros, Position position) {
    if (micros < 0 || micros >= 1L << 53) {
      throw position.error("time " + micros + " us is not within 0 to 2^53");
    }
    return micros * 1000;
  }

  private void release(long address, long nanos) {
    int allocation = live.remove(address);
    requested -= sizes[allocation];
    event(~allocation, nanos);
  }

  private void event(int code, long nanos) {
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
    if (eventCount == 0) {
      firstNanos = nanos;
    }
    long since = nanos - firstNanos;
    if (since > MAX_NANOS) {
      throw position.error("lies more than 30 days after the first event");
    }
    if (since < lastNanos - JITTER_NANOS) {
      repair(Repair.TIME_WENT_BACK, 1);
    }
    lastNanos = Math.max(lastNanos, since);
    events[eventCount] = code;
    times[eventCount++] = lastNanos;
  }

  private int streamNumber(long stream) {
    int number = streamNumbers.get(stream);
    if (number < 0) {
      number = streamNumbers.size();
      if (number >= MAX_STREAMS) {
        throw position.error("more than " + MAX_STREAMS + " streams");
      }
      streamNumbers.put(stream, number);
    }
    return number;
  }

  private void checkSize(long size) {
    if (size < 0 || size > MAX_SIZE) {
      throw position.error(
          (size < 0 ? "negative size " : "absurd size ") + size + "; sizes are 0 to 2^60 bytes");
    }
  }

  private static Long2IntOpenHashMap numbers() {
    Long2IntOpenHashMap map = new Long2IntOpenHashMap();
    map.defaultReturnValue(-1);
    return map;
  }

  private static int grown(int length) {
    return length + (length >> 1);
  }

  private static String hex(long address) {
    return "0x" + Long.toHexString(address);
  }
}
