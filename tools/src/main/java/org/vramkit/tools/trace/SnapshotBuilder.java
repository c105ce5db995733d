package org.vramkit.tools.trace;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;

/**
 * Builds a trace per device from the contents of a PyTorch snapshot. Its ring buffer may have
 * dropped the oldest entries, so gaps are repaired and counted.
 */
final class SnapshotBuilder {
  /** The maximum number of devices, because even unused ones cost memory. */
  static final int MAX_DEVICES = 1024;

  // A block with its origin, its allocation and its map entries.
  private static final long HEAP_BYTES_PER_BLOCK = 256;

  private static final Pattern LOST_EVENTS = Pattern.compile("lost_events_(\\d{1,4})");

  private static final String OVERFLOWED =
      "earlier events, which PyTorch's history has overwritten; record with a larger max_entries";

  /** The tag of a block that is closed, but in use by other streams, if it has none. */
  private static final String PENDING = "pending free";

  private final Position position;
  private final List<TraceBuilder> devices = new ArrayList<>();
  private @Nullable TraceBuilder current;
  private @Nullable TraceDetails currentDetails;
  private long lastMicros;
  private final List<LiveBlock> live = new ArrayList<>();
  private final Map<Long, Long> segmentBytes = new HashMap<>();
  private final Map<Long, Long> lostEvents = new HashMap<>();
  private boolean isOverflowed;
  private final @Nullable Origins origins;

  /**
   * Creates a builder.
   *
   * @param detailed whether the traces keep {@link TraceDetails}
   */
  SnapshotBuilder(Position position, boolean detailed) {
    this.position = position;
    this.origins = detailed ? new Origins() : null;
  }

  /** Returns the tables of origins; null without details. */
  @Nullable Origins getOrigins() {
    return origins;
  }

  /** Starts the next device, to which the following entries belong. */
  void nextDevice() {
    if (devices.size() == MAX_DEVICES) {
      throw position.error("more than " + MAX_DEVICES + " devices; the file is damaged");
    }
    currentDetails = origins == null ? null : new TraceDetails(origins);
    current = new TraceBuilder(position, true, currentDetails);
    devices.add(current);
    lastMicros = 0;
  }

  /** Adds an entry; its missing numbers are null. */
  void entry(
      @Nullable String word,
      @Nullable Long address,
      @Nullable Long size,
      @Nullable Long stream,
      @Nullable Long micros,
      Origin origin) {
    if (current == null) {
      throw position.error("a trace entry is outside of a device's list; the file is damaged");
    }
    SnapshotAction action = SnapshotAction.of(word);
    if (action == SnapshotAction.UNKNOWN) {
      current.unknownAction(word);
      return;
    }
    if (action.isEvent() && (address == null || size == null || stream == null)) {
      throw position.error("an entry '" + word + "' lacks addr, size or stream");
    }
    // Early versions record no times; all events happen at once.
    lastMicros = micros == null ? lastMicros : micros;
    if (currentDetails != null) {
      currentDetails.origin(origin);
    }
    action.apply(
        current,
        orZero(address),
        orZero(size),
        orZero(stream),
        TraceBuilder.nanosOfMicros(lastMicros, position));
  }

  /** Adds a segment of the snapshot. */
  void segment(long device, long bytes) {
    segmentBytes.merge(device, bytes, Long::sum);
  }

  /**
   * Adds a block of the snapshot if it holds memory: a live one, or one whose free waits for other
   * streams.
   *
   * @param state PyTorch's word for the block's state
   * @param requested the requested size; 0 or null if it is no longer known
   */
  void block(
      @Nullable String state,
      long device,
      long address,
      long size,
      @Nullable Long requested,
      long stream,
      Origin origin) {
    if (state == null || !state.startsWith("active")) {
      return;
    }
    boolean isPending = !state.equals("active_allocated");
    Origin known =
        isPending && origin.tag() == 0 && origins != null
            ? new Origin(origins.tags.number(PENDING), origin.stack(), origin.thread())
            : origin;
    long held = orZero(requested) == 0 ? size : orZero(requested);
    liveBlock(new LiveBlock(device, address, held, stream, known));
  }

  private void liveBlock(LiveBlock block) {
    if (live.size() >= HeapBudget.bytes() / HEAP_BYTES_PER_BLOCK) {
      throw position.error(
          "more than "
              + live.size()
              + " live blocks do not fit a heap of "
              + ByteSize.format(Runtime.getRuntime().maxMemory())
              + "; set JAVA_OPTS=-Xmx to more");
    }
    live.add(block);
  }

  /**
   * Adds a setting. Vramkit's exports count dropped events there, PyTorch says that some were.
   *
   * @param value a number; 1 for true
   */
  void setting(String key, long value) {
    isOverflowed |= key.equals("trace_alloc_overflowed") && value == 1;
    Matcher lost = LOST_EVENTS.matcher(key);
    if (lost.matches()) {
      lostEvents.put(Long.parseLong(lost.group(1)), value);
    }
  }

  /** Builds a trace for each device with events or live blocks. Fails if no device has any. */
  List<Trace> build(String name, TraceFormat format) {
    Map<Long, List<LiveBlock>> blocks =
        live.stream().collect(Collectors.groupingBy(LiveBlock::device));
    // A device may have blocks but no list of entries.
    long last = blocks.keySet().stream().mapToLong(Long::longValue).max().orElse(-1);
    while (devices.size() <= last) {
      nextDevice();
    }
    for (int i = 0; i < devices.size(); i++) {
      end(devices.get(i), i, blocks.getOrDefault((long) i, List.of()));
    }
    List<Integer> used =
        IntStream.range(0, devices.size()).filter(i -> !devices.get(i).isEmpty()).boxed().toList();
    if (used.isEmpty()) {
      throw new TraceException(
          name,
          "the snapshot holds no allocation in device_traces"
              + devices.stream()
                  .map(TraceBuilder::describeUnknownActions)
                  .filter(text -> !text.isEmpty())
                  .findFirst()
                  .orElse("")
              + ". "
              + TraceException.HOW_TO_RECORD);
    }
    List<String> moments =
        used.stream().map(i -> devices.get(i).describeMoment(i)).flatMap(Optional::stream).toList();
    used.forEach(i -> moments.forEach(devices.get(i)::addGapIfEvents));
    if (isOverflowed) {
      used.forEach(i -> devices.get(i).addGapIfEvents(OVERFLOWED));
    }
    return used.stream()
        .map(i -> devices.get(i).build(used.size() == 1 ? name : name + ", device " + i, format))
        .toList();
  }

  private void end(TraceBuilder builder, long device, List<LiveBlock> blocks) {
    Long segments = segmentBytes.get(device);
    if (segments == null) {
      // Some recorders write no segments.
      return;
    }
    builder.endsWith(blocks);
    TraceDetails details = builder.details();
    if (details != null) {
      details.endsWith(segments);
    }
    long lost = lostEvents.getOrDefault(device, 0L);
    if (lost > 0) {
      builder.addGap(Count.of(lost, "earlier event") + ", which the history had forgotten");
    }
  }

  private static long orZero(@Nullable Long value) {
    return value == null ? 0 : value;
  }
}
