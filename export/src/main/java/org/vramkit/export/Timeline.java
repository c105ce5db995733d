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
 * The events of a recording as a story without contradiction, which ends with its snapshot.
 *
 * <p>Readers go through a recording with strict books, PyTorch's page backwards from the snapshot:
 * an allocation that is freed and was never made, or lies where no memory is, stops them. A
 * recording may well have such: the oldest events are forgotten, threads note theirs a moment late,
 * and between the last event and the snapshot something may have happened. So the events are gone
 * through twice. The first time tells what must have been live and mapped before them: what is
 * freed or unmapped before it was made, and what is there at the end without an allocation. The
 * second time keeps books of live blocks and of mapped memory, leaves out what has happened
 * already, and adds what must have happened.
 *
 * <p>The rules that entries fit afterwards: a block is allocated where none is live, and where
 * memory is mapped; its free is requested once and then completed once, or it is pending in the
 * snapshot; memory is mapped where none is, in parts that no segment's border divides, and unmapped
 * where no block begins; at the end, what is live, pending and mapped is what the snapshot has.
 *
 * <p>Keeps the live blocks, and while it looks for what was there before the addresses that were
 * used; never the events. For one thread.
 */
final class Timeline {
  /** The handle of a stream, behind its name in parentheses if it has one. */
  private static final Pattern HANDLE = Pattern.compile("0x([0-9a-f]+)\\)?$");

  private final AllocatorSnapshot snapshot;
  private final Iterable<HistoryEvent> events;

  /** Of the snapshot, by address. */
  private final TreeMap<Long, SegmentView> segments = new TreeMap<>();

  /** By address. */
  private final TreeMap<Long, Live> live = new TreeMap<>();

  private final AddressSet mapped = new AddressSet();
  private long liveBytes;
  private long firstNanos;
  private long lastNanos;
  private final List<Entry> initial = new ArrayList<>();

  /** A block that is held, or waits for other streams. */
  private record Live(long size, long stream, String tag, long pool, boolean pending) {
    /**
     * Returns whether a block of the snapshot at the same address may be this one, still or by
     * then.
     */
    boolean canBe(Live end) {
      // Of a block that waits for streams neither its tag nor its user's size is known any more.
      return stream == end.stream
          && (end.pending ? size <= end.size : !pending && size == end.size && tag.equals(end.tag));
    }

    Live asPending() {
      return new Live(size, stream, tag, pool, true);
    }
  }

  /**
   * Looks for what was there before the events.
   *
   * @param events that tell the same each time
   */
  Timeline(AllocatorSnapshot snapshot, Iterable<HistoryEvent> events) {
    this.snapshot = snapshot;
    this.events = events;
    snapshot.segments().forEach(each -> segments.put(each.address(), each));
    lookBack();
    live.forEach(this::addInitial);
    mapBeneathInitial();
  }

  /** Bytes asked for that are live at the moment of the last entry. */
  long liveBytes() {
    return liveBytes;
  }

  /** Bytes of memory at the moment of the last entry. */
  long mappedBytes() {
    return mapped.bytes();
  }

  /** When the first event was; 0 without any. */
  long firstNanos() {
    return firstNanos;
  }

  /** Allocations that were made before the first event. */
  List<Entry> initial() {
    return initial;
  }

  /** Memory that was there before the first event. Only before {@link #tell}. */
  List<Entry> initialMemory() {
    return mapped.all().stream().map(range -> memoryEntry(Entry.Kind.MAP, range)).toList();
  }

  /** The number of a stream: its handle; 0 for memory that belongs to none. */
  static long streamOf(BlockView block) {
    Matcher handle = HANDLE.matcher(block.stream());
    return handle.find() ? Long.parseUnsignedLong(handle.group(1), 16) : 0;
  }

  /** Returns whether a user or queued work still has it. */
  static boolean isActive(BlockView block) {
    return block.state() == BlockState.LIVE || block.state() == BlockState.PENDING;
  }

  private void lookBack() {
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
    return new Live(
        pending ? block.size() : block.requested(),
        streamOf(block),
        block.tag(),
        segment.pool(),
        pending);
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

  private void mapBeneathInitial() {
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

  /** The pool that has an address in the end; 0 if none has. */
  private long poolAt(long address) {
    Map.Entry<Long, SegmentView> segment = segments.floorEntry(address);
    return segment != null && address < segment.getKey() + segment.getValue().size()
        ? segment.getValue().pool()
        : 0;
  }

  /** Tells the entries in order. Only once. */
  void tell(EntrySink sink) throws IOException {
    for (HistoryEvent each : events) {
      // Threads may note theirs a moment late.
      lastNanos = Math.max(lastNanos, each.nanos());
      tell(each, sink);
    }
    reachSnapshot(sink);
  }

  private void tell(HistoryEvent event, EntrySink sink) throws IOException {
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

  /** With the size, stream and tag of the allocation, which readers compare. */
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

  /** Nothing is live at this address from now on. */
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

  /** Nothing lives at any of these addresses from now on. */
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

  /** The parts without memory, none across the border of two segments of the snapshot. */
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

  /** The parts with memory, less those that live blocks lie in. */
  private List<AddressSet.Range> withoutBlocks(HistoryEvent event) {
    long from = event.address();
    // What went back may have lain at no address.
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

  /** Ends with what the snapshot has. */
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
