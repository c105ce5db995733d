package org.vramkit.tools.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes a trace of what a PyTorch snapshot holds. A snapshot may begin in the middle, because its
 * ring buffer forgets the oldest entries: what is missing is repaired and counted. Of several
 * devices the one with the most events is taken, and the events of the others are counted.
 */
final class SnapshotBuilder {
  /** No host has as many; each costs memory even when nothing happened on it. */
  static final int MAX_DEVICES = 1024;

  private final Position position;
  private final List<TraceBuilder> devices = new ArrayList<>();
  private @Nullable TraceBuilder current;
  private long lastMicros;
  private long[] liveAddresses = new long[64];
  private long[] liveDevices = new long[64];
  private int liveCount;

  SnapshotBuilder(Position position) {
    this.position = position;
  }

  /** The entries that follow are of the next device. */
  void nextDevice() {
    if (devices.size() == MAX_DEVICES) {
      throw position.error("more than " + MAX_DEVICES + " devices");
    }
    current = new TraceBuilder(position, true);
    devices.add(current);
    lastMicros = 0;
  }

  /** One entry; a number that it does not have is null. */
  void entry(
      @Nullable String word,
      @Nullable Long address,
      @Nullable Long size,
      @Nullable Long stream,
      @Nullable Long micros) {
    if (current == null) {
      throw position.error("a trace entry outside of a device's list");
    }
    SnapshotAction action = SnapshotAction.of(word, position);
    if (action.isEvent() && (address == null || size == null || stream == null)) {
      throw position.error("an entry '" + word + "' lacks addr, size or stream");
    }
    // Snapshots of early versions tell no times: everything happens at once.
    lastMicros = micros == null ? lastMicros : micros;
    action.apply(
        current,
        orZero(address),
        orZero(size),
        orZero(stream),
        TraceBuilder.nanosOfMicros(lastMicros, position));
  }

  /** A block that was live when the snapshot was taken. */
  void liveBlock(long device, long address) {
    if (liveCount == liveAddresses.length) {
      liveAddresses = Arrays.copyOf(liveAddresses, liveCount * 2);
      liveDevices = Arrays.copyOf(liveDevices, liveCount * 2);
    }
    liveDevices[liveCount] = device;
    liveAddresses[liveCount++] = address;
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
          "the snapshot holds no allocations in device_traces; record with"
              + " torch.cuda.memory._record_memory_history() before the program runs");
    }
    TraceBuilder builder = devices.get(chosen);
    builder.liveAtEnd(liveOn(chosen));
    builder.repair(Repair.OTHER_DEVICE, all - builder.eventCount);
    return builder.build(name, format);
  }

  private long[] liveOn(int device) {
    long[] addresses = new long[liveCount];
    int count = 0;
    for (int i = 0; i < liveCount; i++) {
      if (liveDevices[i] == device) {
        addresses[count++] = liveAddresses[i];
      }
    }
    return Arrays.copyOf(addresses, count);
  }

  private static long orZero(@Nullable Long value) {
    return value == null ? 0 : value;
  }
}
