package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.pressure.Marks.Latest;
import org.vramkit.pressure.Marks.Mark;

/** The page-locked memory of a store, allocated as a whole on first use. Guarded by its store. */
final class HostStorage {
  private final Device device;
  private final Marks marks;
  private final long limit;
  private final Room room;
  private @Nullable PinnedBuffer memory;

  /** Ranges that copies to the device may still read; for each stream in the order of its work. */
  private final List<Leaving> leaving = new ArrayList<>();

  private record Leaving(long offset, long bytes, Mark passed) {}

  /**
   * Streams whose copies may still use a range, by its offset, because the wait for them failed.
   * The range serves no other spillable before a later wait succeeds.
   */
  private final Map<Long, Set<Stream>> unawaited = new HashMap<>();

  /** Free ranges with such streams, and their lengths. */
  private final Map<Long, Long> blocked = new LinkedHashMap<>();

  HostStorage(Device device, Marks marks, long limit) {
    this.device = device;
    this.marks = marks;
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
      memory = device.getPinnedMemory().allocateForCopies(limit);
    }
    long offset = room.take(bytes);
    if (offset == Room.NONE) {
      reclaim(false);
      offset = room.take(bytes);
    }
    if (offset == Room.NONE) {
      reclaim(true);
      offset = room.take(bytes);
    }
    return offset;
  }

  void giveBack(long offset, long bytes) {
    if (unawaited.containsKey(offset)) {
      blocked.put(offset, bytes);
    } else {
      room.giveBack(offset, bytes);
    }
  }

  /** Keeps a range from others after its end until a wait for a stream succeeds. */
  void noteUnawaited(long offset, Stream stream) {
    unawaited.computeIfAbsent(offset, any -> new LinkedHashSet<>()).add(stream);
  }

  /** Takes over a mark, after which the range is free. */
  void giveBackAfter(long offset, long bytes, Mark passed) {
    leaving.add(new Leaving(offset, bytes, passed));
  }

  private void reclaim(boolean waits) {
    freePassed(waits);
    if (device.supports(Capability.GRAPHS) && device.getGraphs().isAnyCaptured()) {
      return; // A capture forbids to query its streams, and to wait for closed ones.
    }
    for (Long offset : List.copyOf(blocked.keySet())) {
      Set<Stream> streams = requireNonNull(unawaited.get(offset));
      streams.removeIf(each -> isIdle(each, waits));
      if (streams.isEmpty()) {
        unawaited.remove(offset);
        giveBack(offset, requireNonNull(blocked.remove(offset)));
      }
    }
  }

  private boolean isIdle(Stream stream, boolean waits) {
    return device
        .getMemoryObserver()
        .inPool(
            () -> {
              if (waits && stream.isClosed()) {
                device.synchronize();
              } else if (waits) {
                stream.synchronize();
              }
              return waits || (!stream.isClosed() && stream.isIdle());
            });
  }

  /** Frees the ranges whose copies are complete. The program must not rely on these waits. */
  private void freePassed(boolean waits) {
    if (leaving.isEmpty()) {
      return;
    }
    Latest passed = device.getMemoryObserver().inPool(() -> waits ? awaitAll() : whatIsComplete());
    leaving.removeIf(
        each -> {
          boolean isFree = passed.covers(each.passed);
          if (isFree) {
            free(each);
          }
          return isFree;
        });
  }

  private void free(Leaving range) {
    giveBack(range.offset, range.bytes);
    marks.release(range.passed);
  }

  private Latest awaitAll() {
    Latest all = new Latest();
    leaving.forEach(each -> all.add(each.passed));
    all.await();
    return all;
  }

  /** Returns the latest complete mark of each stream, by as few queries as there are, about. */
  private Latest whatIsComplete() {
    Latest complete = new Latest();
    leaving.forEach(each -> complete.add(each.passed));
    complete.retainComplete();
    Latest behind = new Latest();
    for (Leaving each : leaving) {
      if (!complete.covers(each.passed) && !behind.isOf(each.passed)) {
        if (each.passed.isComplete()) {
          complete.add(each.passed);
        } else {
          behind.add(each.passed);
        }
      }
    }
    return complete;
  }

  /** Frees the memory once no copy reads it. After a failure, another call continues. */
  void close() {
    try {
      reclaim(true);
    } catch (FatalDeviceException lost) {
      // No copy runs on a lost device.
      leaving.forEach(each -> marks.release(each.passed));
      leaving.clear();
      blocked.clear();
    }
    free();
  }

  /** Frees the memory, which no copy uses any more. */
  void free() {
    PinnedBuffer last = memory;
    memory = null;
    if (last != null) {
      last.close();
    }
  }
}
