package org.vramkit.export;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vramkit.pool.caching.AllocatorSnapshot;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockView;
import org.vramkit.pool.caching.AllocatorSnapshot.SegmentView;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.pool.caching.HistoryEvent.Action;

/**
 * The events of a recording, corrected to be consistent and to end with its snapshot.
 *
 * <p>Readers are strict (PyTorch's page works backwards from the snapshot): a free without an
 * allocation, or an allocation in unmapped memory, stops them. A recording may contain both,
 * because the oldest events are dropped, threads record events late, and more may happen between
 * the last event and the snapshot. So the events are read twice. The first pass finds what must
 * have been live and mapped before the first event: blocks and memory that are freed or unmapped
 * without an earlier event, and those that the snapshot contains but no event mentions. The second
 * pass tracks live blocks and mapped memory, drops redundant events, and adds missing ones.
 *
 * <p>The resulting entries satisfy these rules. A block is allocated in mapped memory where no
 * block is live. Its free is requested once and then completed once, or it is pending in the
 * snapshot. Memory is mapped only at unmapped addresses, in ranges that do not cross a segment's
 * border, and unmapped only where no block is live. The final live, pending and mapped memory
 * equals the snapshot.
 *
 * <p>Keeps the live blocks and, during the first pass, the used addresses, but not the events. Not
 * thread-safe.
 */
final class Timeline {
  /** The handle of a stream, in parentheses after its name if it has one. */
  private static final Pattern HANDLE = Pattern.compile("0x([0-9a-f]+)\\)?$");

  private final AllocatorSnapshot snapshot;
  private final Iterable<HistoryEvent> events;

  /** The segments of the snapshot by address. */
  private final TreeMap<Long, SegmentView> segments = new TreeMap<>();

  /** The live blocks by address. */
  private final TreeMap<Long, Live> live = new TreeMap<>();

  private final AddressSet mapped = new AddressSet();
  private long liveBytes;
  private long firstNanos;
  private long lastNanos;
  private final List<Entry> initial = new ArrayList<>();

  /** A live block, or a closed one that waits for other streams. */
  private record Live(long size, long stream, String tag, long pool, boolean pending) {
    /**
     * Returns whether this may be the block {@code end}, which the snapshot has at the same
     * address.
     */
    boolean canBe(Live end) {
      // The tag and the requested size of a pending block are no longer known.
      return stream == end.stream
          && (end.pending ? size <= end.size : !pending && size == end.size && tag.equals(end.tag));
    }

    Live asPending() {
      return new Live(size, stream, tag, pool, true);
    }
  }

  /**
   * Finds the state before the first event.
   *
   * @param events the events; each iteration returns the same ones
   */
  Timeline(AllocatorSnapshot snapshot, Iterable<HistoryEvent> events) {
    this.snapshot = snapshot;
    this.events = events;
    snapshot.segments().forEach(each -> segments.put(each.address(), each));
    findInitialState();
    live.forEach(this::addInitial);
    mapInitialBlocks();
  }

  /** Returns the requested bytes of live blocks after the last entry. */
  long liveBytes() {
    return liveBytes;
  }

  /** Returns the bytes of mapped memory after the last entry. */
  long mappedBytes() {
    return mapped.bytes();
  }

  /** Returns the time of the first event; 0 if there are no events. */
  long firstNanos() {
    return firstNanos;
  }

  /** Returns the allocations from before the first event. */
  List<Entry> initial() {
    return initial;
  }

  /** Returns the memory from before the first event. Call it before {@link #replay}. */
  List<Entry> initialMemory() {
    return mapped.all().stream().map(range -> memoryEntry(Entry.Kind.MAP, range)).toList();
  }

  /** Returns the handle of a block's stream; 0 for memory without a stream. */
  static long streamOf(BlockView block) {
    Matcher handle = HANDLE.matcher(block.stream());
    return handle.find() ? Long.parseUnsignedLong(handle.group(1), 16) : 0;
  }

  /**
   * Returns the bytes that a block's user has asked for; of a pending block only its size is known.
   */
  static long bytesOf(BlockView block) {
    return block.state() == BlockState.PENDING ? block.size() : block.requested();
  }

  /** Returns whether a block is live or pending. */
  static boolean isActive(BlockView block) {
    return block.state() == BlockState.LIVE || block.state() == BlockState.PENDING;
  }

  private void findInitialState() {
    Set<Long> touched = new HashSet<>();
    AddressSet touchedMemory = new AddressSet();
    boolean first = true;
    for (HistoryEvent each : events) {
      if (first) {
        firstNanos = each.nanos();
        first = false;
      }
      long end = each.address() == 0 ? 0 : each.address() + each.size();
      switch (each.action()) {
        case ALLOCATE -> touched.add(each.address());
        case FREE_REQUESTED, FREE_COMPLETED -> {
          if (touched.add(each.address())) {
            boolean pending = each.action() == Action.FREE_COMPLETED;
            put(
                each.address(),
                new Live(each.size(), each.stream(), each.tag(), each.pool(), pending));
          }
        }
        case GROW, MOVE -> touchedMemory.add(each.address(), end);
        case UNMAP, TRIM -> {
          touchedMemory
              .missing(each.address(), end)
              .forEach(part -> mapped.add(part.from(), part.end()));
          touchedMemory.add(each.address(), end);
        }
        case WAIT, OUT_OF_MEMORY -> {}
      }
    }
    lastNanos = firstNanos;
    for (SegmentView segment : snapshot.segments()) {
      touchedMemory
          .missing(segment.address(), segment.address() + segment.size())
          .forEach(part -> mapped.add(part.from(), part.end()));
      for (BlockView block : segment.blocks()) {
        if (isActive(block) && !touched.contains(block.address())) {
          put(block.address(), liveOf(block, segment));
        }
      }
    }
  }

  private static Live liveOf(BlockView block, SegmentView segment) {
    boolean pending = block.state() == BlockState.PENDING;
    return new Live(bytesOf(block), streamOf(block), block.tag(), segment.pool(), pending);
  }

  private void put(long address, Live block) {
    Live old = live.put(address, block);
    liveBytes += block.size() - (old == null ? 0 : old.size());
  }

  private void addInitial(long address, Live block) {
    initial.add(
        new Entry(
            Entry.Kind.ALLOC,
            firstNanos,
            address,
            block.size(),
            block.stream(),
            0,
            block.tag(),
            List.of(),
            block.pool()));
    if (block.pending()) {
      initial.add(entry(Entry.Kind.FREE_REQUESTED, address, block));
    }
  }

  private void mapInitialBlocks() {
    live.forEach((address, block) -> mapped.add(address, address + Math.max(1, block.size())));
  }

  private Entry entry(Entry.Kind kind, long address, Live block) {
    return new Entry(
        kind,
        lastNanos,
        address,
        block.size(),
        block.stream(),
        0,
        block.tag(),
        List.of(),
        block.pool());
  }

  private Entry memoryEntry(Entry.Kind kind, AddressSet.Range range) {
    long pool = poolAt(range.from());
    return new Entry(kind, lastNanos, range.from(), range.size(), 0, 0, "", List.of(), pool);
  }

  /** Returns the pool of an address in the snapshot; 0 for none. */
  private long poolAt(long address) {
    Map.Entry<Long, SegmentView> segment = segments.floorEntry(address);
    return segment != null && address < segment.getKey() + segment.getValue().size()
        ? segment.getValue().pool()
        : 0;
  }

  /** Passes the entries to {@code sink} in order. Call it only once. */
  void replay(EntrySink sink) throws IOException {
    for (HistoryEvent each : events) {
      // Threads may record events late.
      lastNanos = Math.max(lastNanos, each.nanos());
      replay(each, sink);
    }
    reachSnapshot(sink);
  }

  private void replay(HistoryEvent event, EntrySink sink) throws IOException {
    switch (event.action()) {
      case ALLOCATE -> {
        endWithin(event.address(), event.address() + Math.max(1, event.size()), sink);
        map(event.address(), event.address() + Math.max(1, event.size()), sink);
        put(
            event.address(),
            new Live(event.size(), event.stream(), event.tag(), event.pool(), false));
        sink.accept(Entry.of(Entry.Kind.ALLOC, event, lastNanos));
      }
      case FREE_REQUESTED -> {
        Live block = live.get(event.address());
        if (block != null && !block.pending()) {
          request(event.address(), block);
          sink.accept(freed(Entry.Kind.FREE_REQUESTED, event, block));
        }
      }
      case FREE_COMPLETED -> {
        Live block = live.get(event.address());
        if (block != null) {
          if (!block.pending()) {
            sink.accept(freed(Entry.Kind.FREE_REQUESTED, event, block));
          }
          remove(event.address(), block);
          sink.accept(freed(Entry.Kind.FREE_COMPLETED, event, block));
        }
      }
      case GROW -> map(Entry.Kind.MAP, event, sink);
      case MOVE -> map(Entry.Kind.MOVE, event, sink);
      case UNMAP -> unmap(event, sink);
      case TRIM -> {
        unmap(event, sink);
        sink.accept(Entry.of(Entry.Kind.TRIM, event, lastNanos));
      }
      case WAIT -> sink.accept(Entry.of(Entry.Kind.WAIT, event, lastNanos));
      case OUT_OF_MEMORY -> sink.accept(Entry.of(Entry.Kind.OOM, event, lastNanos));
    }
  }

  private void unmap(HistoryEvent event, EntrySink sink) throws IOException {
    for (AddressSet.Range part : withoutBlocks(event)) {
      mapped.remove(part.from(), part.end());
      sink.accept(Entry.ofMemory(Entry.Kind.UNMAP, event, lastNanos, part));
    }
  }

  /**
   * Creates a free entry with the size, stream and tag of the allocation, which readers compare.
   */
  private Entry freed(Entry.Kind kind, HistoryEvent event, Live block) {
    return new Entry(
        kind,
        lastNanos,
        event.address(),
        block.size(),
        block.stream(),
        event.thread(),
        block.tag(),
        event.stack(),
        block.pool());
  }

  private void request(long address, Live block) {
    live.put(address, block.asPending());
  }

  private void remove(long address, Live block) {
    live.remove(address);
    liveBytes -= block.size();
  }

  /** Ends the live block at this address, if there is one. */
  private void end(long address, EntrySink sink) throws IOException {
    Live block = live.get(address);
    if (block != null) {
      if (!block.pending()) {
        sink.accept(entry(Entry.Kind.FREE_REQUESTED, address, block));
      }
      remove(address, block);
      sink.accept(entry(Entry.Kind.FREE_COMPLETED, address, block));
    }
  }

  /** Ends all blocks that overlap the range. */
  private void endWithin(long from, long end, EntrySink sink) throws IOException {
    Map.Entry<Long, Live> before = live.lowerEntry(from);
    if (before != null && before.getKey() + before.getValue().size() > from) {
      end(before.getKey(), sink);
    }
    for (long address : List.copyOf(live.subMap(from, end).keySet())) {
      end(address, sink);
    }
  }

  private void map(Entry.Kind kind, HistoryEvent event, EntrySink sink) throws IOException {
    for (AddressSet.Range part : unmapped(event.address(), event.address() + event.size())) {
      mapped.add(part.from(), part.end());
      sink.accept(Entry.ofMemory(kind, event, lastNanos, part));
    }
  }

  private void map(long from, long end, EntrySink sink) throws IOException {
    for (AddressSet.Range part : unmapped(from, end)) {
      mapped.add(part.from(), part.end());
      sink.accept(memoryEntry(Entry.Kind.MAP, part));
    }
  }

  /** Returns the unmapped parts of a range, split at the borders of the snapshot's segments. */
  private List<AddressSet.Range> unmapped(long from, long end) {
    List<AddressSet.Range> parts = new ArrayList<>();
    for (AddressSet.Range each : mapped.missing(from, end)) {
      long at = each.from();
      for (long border : segments.navigableKeySet().subSet(each.from(), false, each.end(), false)) {
        parts.add(new AddressSet.Range(at, border));
        at = border;
      }
      parts.add(new AddressSet.Range(at, each.end()));
    }
    return parts;
  }

  /** Returns the mapped parts of the event's range without live blocks. */
  private List<AddressSet.Range> withoutBlocks(HistoryEvent event) {
    long from = event.address();
    // The event may have no address.
    long end = from == 0 ? 0 : from + event.size();
    AddressSet free = new AddressSet();
    mapped.within(from, end).forEach(part -> free.add(part.from(), part.end()));
    Map.Entry<Long, Live> before = live.lowerEntry(from);
    if (before != null) {
      free.remove(from, before.getKey() + before.getValue().size());
    }
    live.subMap(from, true, end, false)
        .forEach((address, block) -> free.remove(address, address + Math.max(1, block.size())));
    return free.all();
  }

  /** Adds the entries that lead from the current state to the snapshot. */
  private void reachSnapshot(EntrySink sink) throws IOException {
    Map<Long, Live> wanted = new HashMap<>();
    AddressSet memory = new AddressSet();
    for (SegmentView segment : snapshot.segments()) {
      memory.add(segment.address(), segment.address() + segment.size());
      for (BlockView block : segment.blocks()) {
        if (isActive(block)) {
          wanted.put(block.address(), liveOf(block, segment));
        }
      }
    }
    for (Map.Entry<Long, Live> each : new TreeMap<>(live).entrySet()) {
      Live end = wanted.get(each.getKey());
      if (end == null || !each.getValue().canBe(end)) {
        end(each.getKey(), sink);
      }
    }
    for (AddressSet.Range segment : memory.all()) {
      map(segment.from(), segment.end(), sink);
    }
    for (AddressSet.Range part : mapped.all()) {
      for (AddressSet.Range surplus : memory.missing(part.from(), part.end())) {
        mapped.remove(surplus.from(), surplus.end());
        sink.accept(memoryEntry(Entry.Kind.UNMAP, surplus));
      }
    }
    for (Map.Entry<Long, Live> each : new TreeMap<>(wanted).entrySet()) {
      reach(each.getKey(), each.getValue(), sink);
    }
  }

  private void reach(long address, Live wanted, EntrySink sink) throws IOException {
    Live block = live.get(address);
    if (block == null) {
      put(address, new Live(wanted.size(), wanted.stream(), wanted.tag(), wanted.pool(), false));
      sink.accept(entry(Entry.Kind.ALLOC, address, wanted));
      block = live.get(address);
    }
    if (wanted.pending() && block != null && !block.pending()) {
      request(address, block);
      sink.accept(entry(Entry.Kind.FREE_REQUESTED, address, block));
    }
  }
}
