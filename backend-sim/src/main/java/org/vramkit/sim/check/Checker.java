package org.vramkit.sim.check;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
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
 * Each stream has a vector clock. A submission takes over what the host knows; a wait takes over
 * what an event's mark knew; a synchronisation, or a question answered with yes, teaches the host.
 * An access is in order if every earlier access in conflict is known to the stream by then.
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
  private final History history;
  private final Ownership driver = new Ownership();
  private final Ownership pools = new Ownership();
  private final Reports reports;
  private final Reporter reporter;
  private long index;

  /** A checker that has seen nothing. */
  public Checker(CheckerOptions options, AddressSpace space, Peers peers, long seed) {
    this.options = options;
    this.space = space;
    this.peers = peers;
    this.history = new History(clocks.getHost(), options.maxHistory());
    this.reports = new Reports(options.maxReports());
    this.reporter = new Reporter(reports, seed);
  }

  /** Whether anything is judged; without, it need not be told what pools do. */
  public boolean isEnabled() {
    return options.enabled();
  }

  /** A clock for a new stream. */
  public StreamClock newStream(String name) {
    return clocks.create(name);
  }

  /** The stream is closed. */
  public void closed(StreamClock stream) {
    clocks.retire(stream);
  }

  /** What the stream has done so far is known to be done by the host. */
  public void hostKnows(Snapshot snapshot) {
    clocks.getHost().join(snapshot);
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

  /** How many byte ranges have a history. */
  public int getHistorySize() {
    return history.size();
  }

  /** A submission to a stream, which comes after all that the host knows. */
  public Operation submit(String name, StreamClock stream) {
    stream.join(clocks.getHost());
    return new Operation(++index, name, stream, stream.nextEpoch(), stack());
  }

  /** A point of a stream that is no work of its own. */
  private Operation point(String name, StreamClock stream) {
    stream.join(clocks.getHost());
    return new Operation(++index, name, stream, stream.getEpoch(), stack());
  }

  private List<StackTraceElement> stack() {
    return options.stacks()
        ? StackWalker.getInstance()
            .walk(
                frames ->
                    frames
                        .filter(frame -> !frame.getClassName().startsWith("org.vramkit.sim."))
                        .limit(16)
                        .map(StackWalker.StackFrame::toStackTraceElement)
                        .toList())
        : List.of();
  }

  // ---- accesses ----

  /**
   * Judges one access of work.
   *
   * @return whether a real device could have gone on after it
   */
  public boolean touch(Operation by, int device, long start, long bytes, boolean writes) {
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
      outOfBounds(by, region.toString(), region.getDevice(), region.getEnd(), end, kind);
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
      outOfBounds(by, block.toString(), block.device, block.end, end, kind);
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
    String memory = block == null ? region.toString() : block.toString();
    Operation birth = block == null ? null : block.birth;
    if (birth != null && birth.stream() != by.stream() && !birth.isBefore(by.stream())) {
      reporter.report(
          HazardCode.USE_BEFORE_ALLOC,
          region.getDevice(),
          memory,
          Reporter.access(birth, AccessKind.ALLOCATE, start, end),
          Reporter.access(by, kind, start, end),
          start,
          end,
          Reporter.noOrder(birth, by),
          "record an event on the allocating stream and make the using one wait for it");
      by.stream().join(birth.stream().getSlot(), birth.epoch());
    } else {
      Conflict conflict = history.conflict(by.stream(), start, end, writes, 0);
      if (conflict != null) {
        HazardCode code =
            !conflict.wrote()
                ? HazardCode.RACE_WAR
                : writes ? HazardCode.RACE_WAW : HazardCode.RACE_RAW;
        reporter.unordered(
            code,
            region.getDevice(),
            memory,
            conflict,
            by,
            kind,
            "record an event after the earlier operation and make the later stream wait for it");
        assumeOrder(by.stream(), conflict);
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
    reporter.report(
        HazardCode.ILLEGAL_ADDRESS,
        device,
        "no allocation",
        null,
        Reporter.access(by, kind, start, end),
        start,
        end,
        "an allocation that holds the address",
        "use the address of a live allocation");
  }

  private void useAfterFree(Operation by, OwnedBlock dead, long start, long end, AccessKind kind) {
    Operation death = dead.death;
    reporter.report(
        HazardCode.USE_AFTER_FREE,
        dead.device,
        dead.toString(),
        death == null ? null : Reporter.access(death, AccessKind.FREE, dead.start, dead.end),
        Reporter.access(by, kind, start, end),
        start,
        end,
        "the memory was given back before this was submitted",
        "close the allocation after submitting its last use");
  }

  private void outOfBounds(
      Operation by, String memory, int device, long from, long end, AccessKind kind) {
    OwnedBlock neighbour = pools.liveContaining(from);
    reporter.report(
        HazardCode.OUT_OF_BOUNDS,
        device,
        memory,
        null,
        Reporter.access(by, kind, from, end),
        from,
        end,
        ByteSize.format(end - from)
            + " beyond the end"
            + (neighbour == null ? ", in slack" : ", in the " + neighbour),
        "ask for more bytes, or touch fewer");
  }

  private boolean isReachable(
      Operation by, int device, Region region, long start, long end, AccessKind kind) {
    int owner = region.getDevice();
    if (peers.isEnabled(device, owner)) {
      return true;
    }
    boolean possible = peers.isPossible(device, owner);
    reporter.report(
        possible ? HazardCode.PEER_NOT_ENABLED : HazardCode.WRONG_DEVICE,
        owner,
        region.toString(),
        null,
        Reporter.access(by, kind, start, end),
        start,
        end,
        String.format(Locale.ROOT, "device %d may not touch memory of device %d", device, owner),
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
        reporter.report(
            HazardCode.ACCESS_NOT_MAPPED,
            region.getDevice(),
            region.toString(),
            null,
            Reporter.access(by, kind, start, end),
            at,
            end,
            mapping == null ? "no memory is mapped there" : "access was never set",
            mapping == null ? "map memory first" : "call setAccess after map");
        return false;
      }
      at = mapping.getEnd();
    }
    return true;
  }

  /** A stream waits for an event that was never recorded. */
  public void waitedForNothing(int device, StreamClock stream) {
    if (options.enabled()) {
      reporter.report(
          HazardCode.WAIT_ON_UNRECORDED_EVENT,
          device,
          "no memory",
          null,
          Reporter.access(point("wait for event", stream), AccessKind.RECORD, 0, 0),
          0,
          0,
          "a mark: the event was never recorded",
          "record the event before making a stream wait for it");
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
  private void misuse(HazardCode code, String operation, String missing, String remedy) {
    if (options.enabled()) {
      Access later = new Access(operation, ++index, "host", AccessKind.RECORD, 0, 0, stack());
      reporter.report(code, -1, "no memory", null, later, 0, 0, missing, remedy);
    }
  }

  // ---- the driver's memory ----

  /** Memory that may be used as of a point of a stream, or at once if there is none. */
  public void driverAllocated(
      String kind, int device, long start, long bytes, @Nullable StreamClock stream) {
    driver.forgetDead(start, start + bytes);
    pools.forgetDead(start, start + bytes);
    driver.add(
        new OwnedBlock(
            kind, device, start, bytes, stream == null ? null : point("allocate", stream)));
  }

  /** The host takes memory away: a plain free. */
  public void hostFreed(int device, long start, long bytes, StreamClock host) {
    takeAway(HazardCode.FREE_IN_FLIGHT, "free", AccessKind.FREE, device, start, bytes, host);
    OwnedBlock block = driver.liveAt(start);
    if (block != null) {
      driver.free(block, point("free", host));
    }
  }

  /** The host unmaps memory. */
  public void unmapped(int device, long start, long bytes, StreamClock host) {
    takeAway(HazardCode.UNMAP_UNDER_WORK, "unmap", AccessKind.UNMAP, device, start, bytes, host);
  }

  private void takeAway(
      HazardCode code,
      String name,
      AccessKind kind,
      int device,
      long start,
      long bytes,
      StreamClock host) {
    long end = start + bytes;
    if (options.enabled()) {
      Conflict pending = history.pending(start, end);
      if (pending != null) {
        OwnedBlock owner = pools.overlapping(pending.start(), pending.end());
        reporter.unordered(
            code,
            device,
            owner == null ? String.format(Locale.ROOT, "memory at 0x%x", start) : owner.toString(),
            pending,
            point(name, host),
            kind,
            "wait for the stream, or ask it until it is idle, before taking memory away");
      }
    }
    history.forget(start, end);
    pools.drop(start, end);
    pools.forgetDead(start, end);
  }

  /** A free in stream order. */
  public void streamFreed(long start, StreamClock stream) {
    OwnedBlock block = driver.liveAt(start);
    if (block == null) {
      return;
    }
    Operation free = point("free", stream);
    Operation birth = block.birth;
    if (options.enabled()) {
      if (birth != null && birth.stream() != stream && !birth.isBefore(stream)) {
        reporter.report(
            HazardCode.FREE_BEFORE_ALLOC,
            block.device,
            block.toString(),
            Reporter.access(birth, AccessKind.ALLOCATE, start, block.end),
            Reporter.access(free, AccessKind.FREE, start, block.end),
            start,
            block.end,
            Reporter.noOrder(birth, free),
            "make the freeing stream wait for the allocating one");
      } else {
        Conflict conflict = history.conflict(stream, start, block.end, true, 0);
        if (conflict != null) {
          reporter.unordered(
              HazardCode.FREE_RACE,
              block.device,
              block.toString(),
              conflict,
              free,
              AccessKind.FREE,
              "make the freeing stream wait for every stream that used the memory");
        }
      }
    }
    history.forget(start, block.end);
    pools.drop(start, block.end);
    pools.forgetDead(start, block.end);
    driver.free(block, free);
  }

  /** A free of an address that is not the driver's to take. */
  public void invalidFree(int device, long address, StreamClock host) {
    if (!options.enabled()) {
      return;
    }
    OwnedBlock dead = driver.deadAt(address);
    OwnedBlock containing = driver.liveContaining(address);
    Operation dying = dead == null ? null : dead.death;
    reporter.report(
        dead != null && containing == null ? HazardCode.DOUBLE_FREE : HazardCode.INVALID_FREE,
        device,
        dead != null && containing == null
            ? dead.toString()
            : containing == null ? "no allocation" : "inside the " + containing,
        dying == null ? null : Reporter.access(dying, AccessKind.FREE, address, address),
        Reporter.access(point("free", host), AccessKind.FREE, address, address),
        address,
        address,
        "an allocation that starts at the address",
        "free each allocation once, by the address it was given");
  }

  // ---- what pools tell ----

  /** A pool handed out a block. */
  public void poolAllocated(int device, long start, long bytes, StreamClock stream) {
    if (!options.enabled()) {
      return;
    }
    long end = start + bytes;
    Operation allocation = point("pool allocate", stream);
    OwnedBlock other = pools.overlapping(start, end);
    OwnedBlock last = pools.deadContaining(start);
    OwnedBlock block = new OwnedBlock("block", device, start, bytes, allocation);
    if (other != null) {
      Operation earlier = other.birth;
      reporter.report(
          HazardCode.OVERLAPPING_BLOCKS,
          device,
          other.toString(),
          earlier == null
              ? null
              : Reporter.access(earlier, AccessKind.ALLOCATE, other.start, other.end),
          Reporter.access(allocation, AccessKind.ALLOCATE, start, end),
          Math.max(start, other.start),
          Math.min(end, other.end),
          "the first owner has not given it back",
          "mend the pool: a block must have one owner");
    }
    Conflict conflict = history.conflict(stream, start, end, true, 0);
    if (conflict != null) {
      reporter.unordered(
          HazardCode.EARLY_REUSE,
          device,
          (last == null ? "memory with a past, now " : "last the " + last + ", now ") + block,
          conflict,
          allocation,
          AccessKind.ALLOCATE,
          "record the use of the other stream before closing, or have the pool wait for it");
      assumeOrder(stream, conflict);
    }
    history.wrote(allocation, start, end);
    pools.forgetDead(start, end);
    pools.add(block);
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
      Operation death = dead.death;
      reporter.report(
          HazardCode.RECORD_AFTER_FREE,
          device,
          dead.toString(),
          death == null ? null : Reporter.access(death, AccessKind.FREE, dead.start, dead.end),
          Reporter.access(point("record use", stream), AccessKind.RECORD, start, dead.end),
          start,
          dead.end,
          "the memory was given back before the use was recorded",
          "record the use before closing");
    }
  }

  /** A user gave a block back to its pool. */
  public void poolFreed(int device, long start, StreamClock stream) {
    if (!options.enabled()) {
      return;
    }
    Operation free = point("pool free", stream);
    OwnedBlock block = pools.liveAt(start);
    if (block == null) {
      OwnedBlock dead = pools.deadAt(start);
      if (dead != null) {
        Operation death = dead.death;
        reporter.report(
            HazardCode.DOUBLE_FREE,
            device,
            dead.toString(),
            death == null ? null : Reporter.access(death, AccessKind.FREE, start, dead.end),
            Reporter.access(free, AccessKind.FREE, start, dead.end),
            start,
            dead.end,
            "it was given back before",
            "give each block back once");
      }
      return;
    }
    for (StreamClock user : block.users) {
      if (user != stream) {
        history.read(point("recorded use", user), start, block.end);
      }
    }
    // The free is a virtual write, but it must not hide accesses that nobody recorded: it is
    // entered
    // beside them, as one more access that a new owner has to come after.
    history.read(free, start, block.end);
    pools.free(block, free);
  }
}
