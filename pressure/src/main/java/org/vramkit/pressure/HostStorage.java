package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.CopyBatch;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pressure.Marks.Latest;
import org.vramkit.pressure.Marks.Mark;

/**
 * The page-locked memory of a store. It is one range of offsets up to the limit, of which pieces
 * are locked from the front as ranges are taken, because a limit may be most of the host's memory
 * and a backend may have no buffer of this size. A range may span pieces. Guarded by its store.
 */
final class HostStorage {
  /** Size of the first piece; later ones double what is locked, up to {@link #LARGEST_PIECE}. */
  private static final long FIRST_PIECE = 256 * ByteSize.MIB;

  private static final long LARGEST_PIECE = ByteSize.GIB;

  private final Device device;
  private final Marks marks;
  private final long limit;
  private final Room room;

  /** The locked pieces by first offset, without gaps from 0. */
  private final NavigableMap<Long, PinnedBuffer> pieces = new TreeMap<>();

  private long lockedBytes;

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

  /**
   * Takes a free range.
   *
   * @return its offset, or {@link Room#NONE}
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the host cannot lock more memory
   */
  long take(long bytes) {
    long offset = room.take(bytes);
    if (offset == Room.NONE) {
      reclaim(false);
      offset = room.take(bytes);
    }
    if (offset == Room.NONE) {
      reclaim(true);
      offset = room.take(bytes);
    }
    if (offset != Room.NONE) {
      lock(offset, bytes);
    }
    return offset;
  }

  /** Locks the pieces of a range that was taken; if that fails, the range is free again. */
  private void lock(long offset, long bytes) {
    try {
      while (lockedBytes < offset + bytes) {
        long next = Math.min(LARGEST_PIECE, Math.max(FIRST_PIECE, lockedBytes));
        PinnedBuffer piece =
            device.getPinnedMemory().allocateForCopies(Math.min(next, limit - lockedBytes));
        pieces.put(lockedBytes, piece);
        lockedBytes += piece.getSize();
      }
    } catch (RuntimeException | Error e) {
      room.giveBack(offset, bytes);
      throw e;
    }
  }

  /** Receives the part of a range that lies in one piece. */
  private interface PartVisitor {
    void visit(PinnedBuffer piece, long offsetInPiece, long offsetInRange, long bytes);
  }

  private void forEachPart(long offset, long bytes, PartVisitor visitor) {
    for (long done = 0; done < bytes; ) {
      Map.Entry<Long, PinnedBuffer> at = requireNonNull(pieces.floorEntry(offset + done));
      long inPiece = offset + done - at.getKey();
      long part = Math.min(bytes - done, at.getValue().getSize() - inPiece);
      visitor.visit(at.getValue(), inPiece, done, part);
      done += part;
    }
  }

  /** Reads the bytes from an offset on until a buffer is full. */
  void read(long offset, ByteBuffer into) {
    forEachPart(
        offset,
        into.remaining(),
        (piece, inPiece, inRange, bytes) -> {
          piece.hostReads(inPiece, bytes);
          into.put(piece.getBytes(inPiece, Math.toIntExact(bytes)));
        });
  }

  /** Copies between the device and ranges of this memory, by one call for each piece. */
  final class Copies {
    private final Stream stream;
    private final Supplier<CopyBatch> empty;
    private final Map<PinnedBuffer, CopyBatch> batches = new LinkedHashMap<>();

    /**
     * Creates copies without ranges.
     *
     * @param empty returns an empty batch of the direction
     */
    Copies(Stream stream, Supplier<CopyBatch> empty) {
      this.stream = stream;
      this.empty = empty;
    }

    void add(long offset, long address, long bytes) {
      forEachPart(
          offset,
          bytes,
          (piece, inPiece, inRange, part) ->
              batches
                  .computeIfAbsent(piece, any -> empty.get())
                  .add(inPiece, address + inRange, part));
    }

    boolean isEmpty() {
      return batches.isEmpty();
    }

    /** Submits the copies added since the last call. */
    void submit() {
      batches.forEach((piece, batch) -> stream.copyAll(batch, piece));
      batches.clear();
    }
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
    List<PinnedBuffer> last = List.copyOf(pieces.values());
    pieces.clear();
    lockedBytes = 0;
    Batch.forEach(last, PinnedBuffer::close);
  }
}
