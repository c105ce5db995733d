package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.FatalDeviceException;

/** The page-locked memory of a store, allocated as a whole on first use. Guarded by its store. */
final class HostStorage {
  private final Device device;
  private final long limit;
  private final Room room;
  private @Nullable PinnedBuffer memory;

  /** Ranges that copies to the device may still read. */
  private final List<Leaving> leaving = new ArrayList<>();

  private record Leaving(long offset, long bytes, Event passed) {}

  HostStorage(Device device, long limit) {
    this.device = device;
    this.limit = limit;
    this.room = new Room(limit);
  }

  boolean canHold(long bytes) {
    return bytes <= limit;
  }

  PinnedBuffer memory() {
    return requireNonNull(memory, "memory");
  }

  /** Returns the offset of a free range, or {@link Room#NONE}. */
  long take(long bytes) {
    if (memory == null) {
      memory = device.getPinnedMemory().allocate(limit);
    }
    reclaim(false);
    long offset = room.take(bytes);
    if (offset == Room.NONE) {
      reclaim(true);
      offset = room.take(bytes);
    }
    return offset;
  }

  void giveBack(long offset, long bytes) {
    room.giveBack(offset, bytes);
  }

  /** Frees a range once the event is complete, and then closes the event. */
  void giveBackAfter(long offset, long bytes, Event passed) {
    leaving.add(new Leaving(offset, bytes, passed));
  }

  private void reclaim(boolean waits) {
    for (Leaving each : List.copyOf(leaving)) {
      if (isOver(each.passed, waits)) {
        leaving.remove(each);
        room.giveBack(each.offset, each.bytes);
        each.passed.close();
      }
    }
  }

  /** Returns whether an event is complete. The program must not rely on the store's waits. */
  private boolean isOver(Event passed, boolean waits) {
    return device
        .getMemoryObserver()
        .inPool(
            () -> {
              if (waits) {
                passed.synchronize();
              }
              return waits || passed.isComplete();
            });
  }

  /** Frees the memory once no copy reads it. After a failure, another call continues. */
  void close() {
    try {
      reclaim(true);
    } catch (FatalDeviceException lost) {
      // No copy runs on a lost device.
      Batch.forEach(leaving, each -> each.passed.close());
      leaving.clear();
    }
    PinnedBuffer last = memory;
    memory = null;
    if (last != null) {
      last.close();
    }
  }
}
