package org.vramkit.sim.check;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.hazard.RunId;
import org.vramkit.sim.hazard.Strictness;
import org.vramkit.sim.hazard.UnwrittenReadPolicy;
import org.vramkit.sim.memory.AddressSpace;
import org.vramkit.sim.memory.Mapping;
import org.vramkit.sim.memory.PageTable;
import org.vramkit.sim.memory.Region;
import org.vramkit.sim.memory.RegionKind;

/**
 * Judges every access by the order that the API's rules guarantee, not by what went well in this
 * run.
 *
 * <h2>Order</h2>
 *
 * Each stream and each thread of the host has a vector clock. A submission takes over what its
 * thread knows; a wait takes over what an event's mark knew; a synchronisation, or a question
 * answered with yes, teaches the thread; {@link HostThreads} tells how threads learn from each
 * other. An access is in order if every earlier access in conflict is known to the stream by then.
 *
 * <h2>One rule for reuse</h2>
 *
 * Allocating is a virtual write on the allocating stream, freeing a virtual write on the freeing
 * stream and a virtual read on every recorded one. Histories are kept by byte range and survive
 * free, so early reuse, a missing recorded use and a free under work are all races of these.
 *
 * <h2>Memory that goes away</h2>
 *
 * Unmapping or freeing by the host is right only when the host knows all accesses to be done; then
 * their history is dropped, so that a page that appears elsewhere starts clean.
 *
 * <p>Where an order is missing, it is assumed after the report, so that one fault gives one report.
 * Not safe for threads: the backend's lock guards it.
 */
public final class Checker {
  private final CheckerOptions options;
  private final AddressSpace space;
  private final Peers peers;
  private final Clocks clocks = new Clocks();
  private final HostThreads hosts;
  private final History history;
  private final Ownership driver = new Ownership();
  private final Ownership pools = new Ownership();
  private final Reports reports;
  private final SyncLog syncs;
  private final Reporter reporter;
  private final Misuse misuse;
  private final WrongFrees wrongFrees;
  private final UnwrittenReads unwritten;
  private final MissingOrder order;
  private final PinnedAccesses pinned;
  private long index;
  private long owners;

  /** A checker that has seen nothing. */
  public Checker(CheckerOptions options, AddressSpace space, Peers peers, RunId run) {
    this.options = options;
    this.space = space;
    this.peers = peers;
    this.hosts = new HostThreads(options.strictness(), clocks);
    this.history = new History(hosts, options.maxHistory());
    this.reports = new Reports(options.maxReports());
    this.syncs = new SyncLog(() -> ++index, hosts::own, new LateOrders(reports));
    this.reporter = new Reporter(reports, run, syncs);
    this.wrongFrees = new WrongFrees(reporter, driver);
    this.misuse = new Misuse(this, options.requireContext());
    this.unwritten =
        new UnwrittenReads(
            options.enabled() ? options.unwrittenReads() : UnwrittenReadPolicy.IGNORE,
            options.maxHistory(),
            reporter);
    this.order = new MissingOrder(history, hosts, reporter);
    this.pinned =
        new PinnedAccesses(
            this,
            history,
            hosts,
            order,
            new PinnedContents(
                hosts.all(), reporter, () -> hostPoint("write through a view", AccessKind.WRITE)));
  }

  /** Whether anything is judged; without, it need not be told what pools do. */
  public boolean isEnabled() {
    return options.enabled();
  }

  /** How much is relied on that nobody promises. */
  public Strictness getStrictness() {
    return options.strictness();
  }

  /** The rules of page-locked memory. */
  public PinnedAccesses getPinned() {
    return pinned;
  }

  /** A clock for a new stream of a device. */
  public StreamClock newStream(String name, int device) {
    return clocks.create(name, device, hosts.current().known);
  }

  /** The stream is closed. */
  public void closed(StreamClock stream) {
    clocks.retire(stream);
  }

  /** The calling thread knows what came before a point to be done. */
  public void hostKnows(Snapshot snapshot) {
    hosts.learn(snapshot);
    pinned.learnt();
  }

  /** All threads of the host may rely on what the calling thread knows. */
  public void publishToAll() {
    hosts.publish(hosts.everybody());
  }

  /** The calling thread leaves what it knows to be done. */
  public void publish(HostClock handOver) {
    hosts.publish(handOver);
  }

  /** The calling thread takes over what was left. */
  public void receive(HostClock handOver) {
    hosts.receive(handOver);
  }

  /** The calling thread passes on whatever it learns, until {@link #endPublishing}. */
  public void publishTo(HostClock handOver) {
    hosts.publishTo(handOver);
  }

  /** Ends the {@link #publishTo} of the calling thread that began last. */
  public void endPublishing() {
    hosts.endPublishing();
  }

  /** The next point of a stream comes after all that the calling thread knows. */
  public void follow(StreamClock stream) {
    stream.join(hosts.current().known);
  }

  /** Where records, waits and synchronisations are told, to be named in reports. */
  public SyncLog getSyncs() {
    return syncs;
  }

  /** The hazards kept. */
  public List<HazardReport> getHazards() {
    return reports.getHazards();
  }

  /** The warnings kept. */
  public List<HazardReport> getWarnings() {
    return reports.getWarnings();
  }

  /** All hazards, also those not kept. */
  public long getCount() {
    return reports.getCount();
  }

  /** Forgets all reports. */
  public void clear() {
    reports.clear();
  }

  /** Reports nothing any more: what follows is the consequence of something fatal. */
  public void mute() {
    reports.mute();
  }

  /** Reports calls that concern no bytes. */
  public Misuse getMisuse() {
    return misuse;
  }

  /** How many byte ranges are remembered, with what was done to them or was not. */
  public int getHistorySize() {
    return history.size() + unwritten.size();
  }

  /** How many clocks there are, of streams and of host threads that touch memory themselves. */
  public int getClocks() {
    return clocks.size();
  }

  /** A submission to a stream, which comes after all that the host knows. */
  public Operation submit(String name, StreamClock stream) {
    stream.join(hosts.current().known);
    return new Operation(++index, name, null, stream, stream.nextEpoch(), stack());
  }

  /** A point of a stream that is no work of its own. */
  private Operation point(String name, AccessKind kind, StreamClock stream) {
    stream.join(hosts.current().known);
    return new Operation(++index, name, kind, stream, stream.getEpoch(), stack());
  }

  /** A point of the calling thread. */
  private Operation hostPoint(String name, AccessKind kind) {
    StreamClock own = hosts.own();
    return new Operation(++index, name, kind, own, own.getEpoch(), stack());
  }

  /** What the calling thread does to memory itself. */
  Operation byHost(String name, AccessKind kind) {
    StreamClock own = hosts.own();
    Operation operation = new Operation(++index, name, kind, own, own.nextEpoch(), stack());
    hosts.did(operation);
    return operation;
  }

  /** Where the caller is, outside the simulator; empty unless stacks are kept. */
  public List<StackTraceElement> stack() {
    return options.stacks() ? Stacks.ofCaller() : List.of();
  }

  // ---- accesses ----

  /**
   * Judges one access of work.
   *
   * @return whether a real device could have gone on after it
   */
  public boolean touch(Operation by, int device, long start, long bytes, boolean writes) {
    long before = reports.getCount();
    boolean legal = access(by, device, start, bytes, writes);
    if (writes) {
      unwritten.settled(start, start + bytes);
    } else if (reports.getCount() == before) {
      unwritten.read(by, start, start + bytes);
    }
    return legal;
  }

  /**
   * Judges a copy within devices.
   *
   * @return whether a real device could have gone on after it
   */
  public boolean copy(Operation by, int device, long target, long source, long bytes) {
    boolean legal = access(by, device, source, bytes, false);
    legal &= access(by, device, target, bytes, true);
    unwritten.copied(by, target, source, bytes);
    return legal;
  }

  private boolean access(Operation by, int device, long start, long bytes, boolean writes) {
    if (!options.enabled() || bytes == 0) {
      return true;
    }
    long end = start + bytes;
    AccessKind kind = writes ? AccessKind.WRITE : AccessKind.READ;
    Region region = space.containing(start);
    if (region == null) {
      nowhere(by, device, start, end, kind);
      return false;
    }
    if (region.getDevice() != device && !isReachable(by, device, region, start, end, kind)) {
      return false;
    }
    if (end > region.getEnd()) {
      outOfBounds(by, ownerOf(region), region, start, region.getEnd(), end, kind);
      return true;
    }
    PageTable pages = region.getPages();
    if (pages != null && !isMapped(by, device, region, pages, start, end, kind)) {
      return false;
    }
    OwnedBlock block = pools.liveContaining(start);
    if (block == null) {
      OwnedBlock dead = pools.deadContaining(start);
      if (dead != null) {
        useAfterFree(by, dead, start, end, kind);
        return true;
      }
      block = driver.liveContaining(start);
    }
    if (block == null && region.getKind() == RegionKind.POOL) {
      // Freed in stream order; the addresses stay until the stream has come to the free.
      nowhere(by, device, start, end, kind);
      return false;
    }
    if (block != null && end > block.end) {
      outOfBounds(by, block, region, start, block.end, end, kind);
      return true;
    }
    judgeOrder(by, block, region, start, end, writes);
    return true;
  }

  private void judgeOrder(
      Operation by,
      @Nullable OwnedBlock block,
      Region region,
      long start,
      long end,
      boolean writes) {
    AccessKind kind = writes ? AccessKind.WRITE : AccessKind.READ;
    Operation birth = block == null ? null : block.birth;
    if (block != null
        && birth != null
        && birth.stream() != by.stream()
        && !order.isBefore(birth, by.stream())) {
      reporter
          .find(HazardCode.USE_BEFORE_ALLOC)
          .in(block, region)
          .earlier(birth, AccessKind.ALLOCATE, block.start, block.end)
          .later(by, kind, start, end)
          .unordered(birth, by)
          .report("record an event on the allocating stream and make the using one wait for it");
      by.stream().join(birth.stream().getSlot(), birth.epoch());
    } else {
      Conflict conflict = order.conflict(by.stream(), start, end, writes);
      if (conflict != null) {
        order.report(
            conflict.race(writes),
            finding -> finding.in(block, region).between(conflict, by, kind, start, end),
            conflict,
            by,
            "record an event after the earlier operation and make the later stream wait for it");
      }
    }
    if (writes) {
      history.wrote(by, start, end);
    } else {
      history.read(by, start, end);
    }
  }

  private static void assumeOrder(StreamClock stream, Conflict conflict) {
    Operation earlier = conflict.operation();
    stream.join(earlier.stream().getSlot(), earlier.epoch());
  }

  private void nowhere(Operation by, int device, long start, long end, AccessKind kind) {
    OwnedBlock dead = driver.deadContaining(start);
    if (dead != null) {
      useAfterFree(by, dead, start, end, kind);
      return;
    }
    reporter
        .find(HazardCode.ILLEGAL_ADDRESS)
        .on(device)
        .later(by, kind, start, end)
        .missing("an allocation that holds the address")
        .report("use the address of a live allocation");
  }

  private void useAfterFree(Operation by, OwnedBlock dead, long start, long end, AccessKind kind) {
    OwnedBlock heir = dead.liveHeir();
    reporter
        .find(HazardCode.USE_AFTER_FREE)
        .in(dead)
        .earlier(dead.death, AccessKind.FREE, dead.start, dead.end)
        .later(by, kind, start, end)
        .missing(
            "the memory was given back before this was submitted"
                + (heir == null ? "" : "; it belongs to the " + heir.toOwner() + " by now"))
        .report("close the allocation after submitting its last use");
  }

  private void outOfBounds(
      Operation by,
      @Nullable OwnedBlock block,
      Region region,
      long start,
      long from,
      long end,
      AccessKind kind) {
    OwnedBlock neighbour = pools.liveContaining(from);
    reporter
        .find(HazardCode.OUT_OF_BOUNDS)
        .in(block, region)
        .later(by, kind, start, end)
        .at(from, end)
        .missing(
            ByteSize.format(end - from)
                + " beyond the end"
                + (neighbour == null ? ", in slack" : ", in the " + neighbour.toOwner()))
        .report("ask for more bytes, or touch fewer");
  }

  /** The allocation that a range of addresses is, if it is one. */
  private @Nullable OwnedBlock ownerOf(Region region) {
    return driver.liveAt(region.getStart());
  }

  private boolean isReachable(
      Operation by, int device, Region region, long start, long end, AccessKind kind) {
    int owner = region.getDevice();
    if (peers.isEnabled(device, owner)) {
      return true;
    }
    boolean possible = peers.isPossible(device, owner);
    reporter
        .find(possible ? HazardCode.PEER_NOT_ENABLED : HazardCode.WRONG_DEVICE)
        .in(ownerOf(region), region)
        .later(by, kind, start, end)
        .missing(
            String.format(
                Locale.ROOT, "device %d may not touch memory of device %d", device, owner))
        .report(
            possible
                ? "enable peer access, or copy through the host"
                : "use a stream of the device that owns the memory, or copy through the host");
    return false;
  }

  private boolean isMapped(
      Operation by,
      int device,
      Region region,
      PageTable pages,
      long start,
      long end,
      AccessKind kind) {
    for (long at = start; at < end; ) {
      Mapping mapping = pages.get(at);
      if (mapping == null || !mapping.isAccessible(device)) {
        reporter
            .find(HazardCode.ACCESS_NOT_MAPPED)
            .in(region)
            .later(by, kind, start, end)
            .at(at, end)
            .missing(mapping == null ? "no memory is mapped there" : "access was never set")
            .report(mapping == null ? "map memory first" : "call setAccess after map");
        return false;
      }
      at = mapping.getEnd();
    }
    return true;
  }

  /** A stream waits for an event that was never recorded. */
  public void waitedForNothing(int device, StreamClock stream, long event) {
    if (options.enabled()) {
      Operation wait = point("wait for event", AccessKind.RECORD, stream);
      syncs.waitedForNothing(wait, event);
      reporter
          .find(HazardCode.WAIT_ON_UNRECORDED_EVENT)
          .on(device)
          .later(wait, AccessKind.RECORD, 0, 0)
          .missing("a mark: the event was never recorded")
          .report("record the event before making a stream wait for it");
    }
  }

  /** Work in stream order called a function of the driver. */
  public void notPermitted(String function, String work) {
    misuse(
        HazardCode.NOT_PERMITTED,
        work + " calls " + function,
        "the driver waits for " + work + ", so " + work + " must not wait for the driver",
        "let it set a flag or complete a future, and call the driver from a thread of the host");
  }

  /** The host waits for work that waits for the host. */
  public void deadlock(String cycle) {
    misuse(
        HazardCode.DEADLOCK, "wait", cycle, "open the gate before waiting, or from another thread");
  }

  /** A hazard that concerns no memory. */
  void misuse(HazardCode code, String operation, String missing, String remedy) {
    if (options.enabled()) {
      reporter
          .find(code)
          .later(hostPoint(operation, AccessKind.RECORD), AccessKind.RECORD, 0, 0)
          .missing(missing)
          .report(remedy);
    }
  }

  // ---- the driver's memory ----

  /** Memory that may be used at once. */
  public void driverAllocated(String kind, int device, long start, long bytes) {
    OwnedBlock before = driver.lastFreed(device, bytes);
    driverAllocated(kind, device, start, bytes, null, before);
  }

  /**
   * Memory that may be used as of a point of a stream.
   *
   * @param recycled where the same memory was when it last belonged to somebody; 0 for new memory
   */
  public void driverAllocated(
      String kind, int device, long start, long bytes, StreamClock stream, long recycled) {
    driverAllocated(kind, device, start, bytes, stream, driver.deadAt(recycled));
  }

  private void driverAllocated(
      String kind,
      int device,
      long start,
      long bytes,
      @Nullable StreamClock stream,
      @Nullable OwnedBlock before) {
    Operation allocation =
        stream == null
            ? hostPoint("allocate", AccessKind.ALLOCATE)
            : point("allocate", AccessKind.ALLOCATE, stream);
    OwnedBlock block =
        stream == null
            ? OwnedBlock.atOnce(++owners, kind, device, start, bytes, allocation)
            : OwnedBlock.inStreamOrder(++owners, kind, null, device, start, bytes, allocation);
    block.succeeds(before);
    driver.forgetDead(start, start + bytes);
    pools.forgetDead(start, start + bytes);
    driver.add(block);
    unwritten.handedOut(block);
  }

  /** Physical memory that never was behind addresses appeared at some. */
  public void mapped(int device, long start, long bytes) {
    Operation map = hostPoint("map", AccessKind.ALLOCATE);
    unwritten.handedOut(OwnedBlock.atOnce(0, "mapping", device, start, bytes, map));
  }

  /** The host takes memory away: a plain free. */
  public void hostFreed(int device, long start, long bytes) {
    Operation free = byHost("free", AccessKind.FREE);
    takeAway(HazardCode.FREE_IN_FLIGHT, free, AccessKind.FREE, device, start, bytes);
    OwnedBlock block = driver.liveAt(start);
    if (block != null) {
      driver.free(block, free);
      order.freed(free, block, clocks.submitted(device));
    }
  }

  /** The host unmaps memory. */
  public void unmapped(int device, long start, long bytes) {
    Operation unmap = byHost("unmap", AccessKind.UNMAP);
    takeAway(HazardCode.UNMAP_UNDER_WORK, unmap, AccessKind.UNMAP, device, start, bytes);
  }

  private void takeAway(
      HazardCode code, Operation by, AccessKind kind, int device, long start, long bytes) {
    long end = start + bytes;
    Conflict pending = options.enabled() ? history.conflict(hosts.all(), start, end, true) : null;
    if (pending != null) {
      Finding finding = reporter.find(code).on(device);
      OwnedBlock block = pools.overlapping(pending.start(), pending.end());
      if (block == null) {
        block = driver.liveContaining(pending.start());
      }
      if (block != null) {
        finding.in(block);
      }
      finding
          .between(pending, by, kind, start, end)
          .report("wait for the stream, or ask it until it is idle, before taking memory away");
    }
    history.forget(start, end);
    unwritten.settled(start, end);
    pools.drop(start, end);
    pools.forgetDead(start, end);
  }

  /** A free in stream order. */
  public void streamFreed(long start, StreamClock stream) {
    OwnedBlock block = driver.liveAt(start);
    if (block == null) {
      return;
    }
    Operation free = point("free", AccessKind.FREE, stream);
    Operation birth = block.birth;
    if (options.enabled()) {
      if (birth != null && birth.stream() != stream && !order.isBefore(birth, stream)) {
        reporter
            .find(HazardCode.FREE_BEFORE_ALLOC)
            .in(block)
            .earlier(birth, AccessKind.ALLOCATE, start, block.end)
            .later(free, AccessKind.FREE, start, block.end)
            .unordered(birth, free)
            .report("make the freeing stream wait for the allocating one");
      } else {
        Conflict conflict = history.conflict(ofAllHosts(stream), start, block.end, true);
        if (conflict != null) {
          reporter
              .find(HazardCode.FREE_RACE)
              .in(block)
              .between(conflict, free, AccessKind.FREE, start, block.end)
              .report("make the freeing stream wait for every stream that used the memory");
        }
      }
    }
    history.forget(start, block.end);
    unwritten.settled(start, block.end);
    pools.drop(start, block.end);
    pools.forgetDead(start, block.end);
    driver.free(block, free);
  }

  /**
   * A plain free of an address that is not the driver's to take.
   *
   * @param region what the address belongs to, if it is no allocation; null for nothing
   */
  public void invalidFree(int device, long address, @Nullable Region region) {
    if (options.enabled()) {
      wrongFrees.report(device, address, hostPoint("free", AccessKind.FREE), region);
    }
  }

  /**
   * A free in stream order of an address that is not the pool's to take.
   *
   * @param region what the address belongs to, if it is no allocation; null for nothing
   */
  public void invalidFree(int device, long address, StreamClock stream, @Nullable Region region) {
    if (options.enabled()) {
      wrongFrees.report(device, address, point("free", AccessKind.FREE, stream), region);
    }
  }

  // ---- what pools tell ----

  /**
   * Pools, and the driver's, hand memory on under their own locks: what any thread has waited for
   * counts, and the allocation stands for it from then on.
   */
  private Order ofAllHosts(StreamClock stream) {
    return Order.either(stream, hosts.all());
  }

  /**
   * A pool handed out a block.
   *
   * @param tag what its user calls it; empty without one
   */
  public void poolAllocated(int device, long start, long bytes, StreamClock stream, String tag) {
    if (!options.enabled()) {
      return;
    }
    long end = start + bytes;
    Operation allocation = point("pool allocate", AccessKind.ALLOCATE, stream);
    OwnedBlock other = pools.overlapping(start, end);
    OwnedBlock block =
        OwnedBlock.inStreamOrder(
            ++owners, "block", tag.isEmpty() ? null : tag, device, start, bytes, allocation);
    block.succeeds(pools.deadOverlapping(start, end));
    if (other != null) {
      reporter
          .find(HazardCode.OVERLAPPING_BLOCKS)
          .in(block)
          .after(other)
          .earlier(other.allocated, AccessKind.ALLOCATE, other.start, other.end)
          .later(allocation, AccessKind.ALLOCATE, start, end)
          .at(Math.max(start, other.start), Math.min(end, other.end))
          .missing("the first owner has not given it back")
          .report("mend the pool: a block must have one owner");
    }
    Conflict conflict = history.conflict(ofAllHosts(stream), start, end, true);
    if (conflict != null) {
      // That the first owner's work is not done either says nothing new.
      if (other == null) {
        reporter
            .find(HazardCode.EARLY_REUSE)
            .in(block)
            .after(pools.deadOverlapping(conflict.start(), conflict.end()))
            .between(conflict, allocation, AccessKind.ALLOCATE, start, end)
            .report(
                "record the use of the other stream before closing, or have the pool wait for it");
      }
      assumeOrder(stream, conflict);
    }
    history.wrote(allocation, start, end);
    pools.forgetDead(start, end);
    pools.add(block);
    unwritten.handedOut(block);
  }

  /** The blocks that pools have handed out and not taken back, by address. */
  public List<Leak> getLiveBlocks() {
    return pools.allLive().stream()
        .map(
            block ->
                new Leak(
                    LeakKind.BLOCK,
                    block.device,
                    block.start,
                    block.end - block.start,
                    block.allocated.toAccess(AccessKind.ALLOCATE, block.start, block.end).stack(),
                    false))
        .toList();
  }

  /** A user told of a use by another stream. */
  public void poolUsed(int device, long start, StreamClock stream) {
    if (!options.enabled()) {
      return;
    }
    OwnedBlock block = pools.liveAt(start);
    if (block != null) {
      if (!block.users.contains(stream)) {
        block.users.add(stream);
      }
      return;
    }
    OwnedBlock dead = pools.deadAt(start);
    if (dead != null) {
      reporter
          .find(HazardCode.RECORD_AFTER_FREE)
          .in(dead)
          .earlier(dead.death, AccessKind.FREE, dead.start, dead.end)
          .later(point("record use", AccessKind.RECORD, stream), AccessKind.RECORD, start, dead.end)
          .missing("the memory was given back before the use was recorded")
          .report("record the use before closing");
    }
  }

  /** A user gave a block back to its pool. */
  public void poolFreed(int device, long start, StreamClock stream) {
    if (!options.enabled()) {
      return;
    }
    Operation free = point("pool free", AccessKind.FREE, stream);
    OwnedBlock block = pools.liveAt(start);
    if (block == null) {
      OwnedBlock dead = pools.deadAt(start);
      if (dead != null) {
        reporter
            .find(HazardCode.DOUBLE_FREE)
            .in(dead)
            .earlier(dead.death, AccessKind.FREE, start, dead.end)
            .later(free, AccessKind.FREE, start, dead.end)
            .missing("it was given back before")
            .report("give each block back once");
      }
      OwnedBlock containing = pools.liveContaining(start);
      if (containing != null) {
        reporter
            .find(HazardCode.INVALID_FREE)
            .in(containing)
            .later(free, AccessKind.FREE, start, start)
            .missing("the address lies inside the block")
            .report("give a block back by the address it was handed out with");
      }
      return;
    }
    for (StreamClock user : block.users) {
      if (user != stream) {
        history.read(point("recorded use", AccessKind.RECORD, user), start, block.end);
      }
    }
    // The free is a virtual write, but it must not hide accesses that nobody recorded: it is
    // entered beside them, as one more access that a new owner has to come after.
    history.read(free, start, block.end);
    unwritten.settled(start, block.end);
    pools.free(block, free);
  }
}
