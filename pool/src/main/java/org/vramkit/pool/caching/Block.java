package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.Streams;

/**
 * A piece of a segment. Either one party owns it (a user, a cache, the list of pending frees), and
 * then only that party touches the fields under "owner"; or it is free in the heap, and then only
 * the heap does, under its lock. The links to its neighbours are the heap's always.
 */
final class Block {
  /** Where a block is, for snapshots; the truth is who holds it. */
  enum State {
    LIVE,
    PENDING,
    CACHED,
    FREE
  }

  /** What the heap knows of a block. */
  enum Place {
    /** Somebody owns it. */
    TAKEN,
    /** Free, but work of its stream may still use it: only that stream may take it. */
    UNSETTLED,
    /** Free, and known to be used by nothing: anybody may take it. */
    SETTLED
  }

  // Heap: guarded by the heap's lock.
  final Segment segment;
  long address;
  long size;
  @Nullable Block previous;
  @Nullable Block next;
  Place place = Place.TAKEN;

  // Owner.
  @Nullable StreamHeap heap;
  long requested;
  String tag = "";
  State state = State.FREE;

  /** The mark of its stream that was current when it was freed: see {@link StreamHeap}. */
  long epoch;

  /** Next in a cache's list. */
  @Nullable Block nextCached;

  private @Nullable List<Stream> uses;

  Block(Segment segment, long address, long size) {
    this.segment = segment;
    this.address = address;
    this.size = size;
  }

  long end() {
    return address + size;
  }

  StreamHeap owner() {
    StreamHeap owner = heap;
    if (owner == null) {
      throw new IllegalStateException("block at 0x" + Long.toHexString(address) + " has no stream");
    }
    return owner;
  }

  /** Whether other streams were recorded; read by whoever closes, after the recording. */
  boolean isUsedElsewhere() {
    return uses != null;
  }

  synchronized void addUse(Stream stream) {
    if (uses == null) {
      uses = new ArrayList<>(2);
    }
    Streams.addTo(uses, stream);
  }

  synchronized List<Stream> takeUses() {
    List<Stream> taken = uses == null ? List.of() : uses;
    uses = null;
    return taken;
  }
}
