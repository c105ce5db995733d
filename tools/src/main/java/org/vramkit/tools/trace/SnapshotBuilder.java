package org.vramkit.tools.trace;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes a trace of what a PyTorch snapshot holds. A snapshot may begin in the middle, because its
 * ring buffer forgets the oldest entries: what is missing is repaired and counted. Of several
 * devices the one with the most events is taken, and the events of the others are counted.
 */
final class SnapshotBuilder {
  /** No host has as many; each costs memory even when nothing happened on it. */
  static final int MAX_DEVICES = 1024;

  // Such a device would be full of blocks of 64 KiB.
  private static final int MAX_LIVE = 1 << 22;

  private final Position position;
  private final List<TraceBuilder> devices = new ArrayList<>();
  private @Nullable TraceBuilder current;
  private @Nullable TraceDetails currentDetails;
  private long lastMicros;
  private final List<LiveBlock> live = new ArrayList<>();
  private final Map<Long, Long> segmentBytes = new HashMap<>();
  private final @Nullable Origins origins;

  /** A block that was live when the snapshot was taken. */
  record LiveBlock(long device, long address, long size, long stream, Origin origin) {}

  /**
   * Starts an empty snapshot.
   *
   * @param detailed whether details are wanted
   */
  SnapshotBuilder(Position position, boolean detailed) {
    this.position = position;
    this.origins = detailed ? new Origins(position) : null;
  }

  /** Where the texts of origins go; null if nobody wants them. */
  @Nullable Origins getOrigins() {
    return origins;
  }

  /** The entries that follow are of the next device. */
  void nextDevice() {
    if (devices.size() == MAX_DEVICES) {
      throw position.error("more than " + MAX_DEVICES + " devices");
    }
    currentDetails = origins == null ? null : new TraceDetails(position, origins);
    current = new TraceBuilder(position, true, currentDetails);
    devices.add(current);
    lastMicros = 0;
  }

  /** One entry; a number that it does not have is null. */
  void entry(
      @Nullable String word,
      @Nullable Long address,
      @Nullable Long size,
      @Nullable Long stream,
      @Nullable Long micros,
      Origin origin) {
    if (current == null) {
      throw position.error("a trace entry outside of a device's list");
    }
    SnapshotAction action = SnapshotAction.of(word);
    if (action == SnapshotAction.UNKNOWN) {
      current.unknownAction(word);
      return;
    }
    if (action.isEvent() && (address == null || size == null || stream == null)) {
      throw position.error("an entry '" + word + "' lacks addr, size or stream");
    }
    // Snapshots of early versions tell no times: everything happens at once.
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

  /** A segment of a device, as large as it was when the snapshot was taken. */
  void segment(long device, long bytes) {
    segmentBytes.merge(device, bytes, Long::sum);
  }

  void liveBlock(LiveBlock block) {
    if (live.size() == MAX_LIVE) {
      throw position.error("more than " + MAX_LIVE + " live blocks");
    }
    live.add(block);
  }

  Trace build(String name, TraceFormat format) {
    int chosen = -1;
    long all = 0;
    for (int i = 0; i < devices.size(); i++) {
      all += devices.get(i).eventCount;
      if (chosen < 0 || devices.get(i).eventCount > devices.get(chosen).eventCount) {
        chosen = i;
      }
    }
    if (all == 0) {
      throw new TraceException(
          name,
          "the snapshot holds no allocation in device_traces"
              + devices.stream()
                  .map(TraceBuilder::describeUnknownActions)
                  .filter(text -> !text.isEmpty())
                  .findFirst()
                  .orElse("")
              + "; record with"
              + " torch.cuda.memory._record_memory_history() before the program runs");
    }
    TraceBuilder builder = devices.get(chosen);
    for (LiveBlock block : live) {
      if (block.device() == chosen) {
        builder.liveAtEnd(block.address(), block.size(), block.stream(), block.origin());
      }
    }
    TraceDetails details = builder.details();
    Long segments = segmentBytes.get((long) chosen);
    if (details != null && segments != null) {
      details.endsWith(segments);
    }
    builder.repair(Repair.OTHER_DEVICE, all - builder.eventCount);
    return builder.build(name, format);
  }

  private static long orZero(@Nullable Long value) {
    return value == null ? 0 : value;
  }
}
