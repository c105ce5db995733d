package org.vramkit.sim.check;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.MissingOrder.Suspicion;
import org.vramkit.sim.check.MissingOrder.Verdict;
import org.vramkit.sim.check.Operation.Touch;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.memory.AddressSpace;
import org.vramkit.sim.memory.Mapping;
import org.vramkit.sim.memory.Mappings;
import org.vramkit.sim.memory.Region;
import org.vramkit.sim.memory.RegionKind;

/**
 * Judges the accesses of work to devices' memory, rule after rule: the first that is broken is
 * reported, because the others build on it. Guarded by the backend's lock.
 */
public final class AccessChecker extends MemoryRules {
  /** How an access fares with a rule. */
  private enum Outcome {
    PASSED,
    REPORTED,
    /** No real device could go on after it. */
    FATAL
  }

  @FunctionalInterface
  private interface Rule {
    Outcome judge(Touch touch, Region region);
  }

  private final AddressSpace space;
  private final Peers peers;
  private final MisplacedAccess misplaced;
  private final boolean stages;

  private final List<Rule> rules =
      List.of(
          this::mayTouch, this::staysInRegion, this::staysInBlock, this::isMapped, this::isInOrder);

  /** Judges by the rules; the driver stages copies between devices, unless it is not to. */
  AccessChecker(MemoryRules shared, AddressSpace space, Peers peers, boolean stages) {
    super(shared);
    this.space = space;
    this.peers = peers;
    this.stages = stages;
    this.misplaced = new MisplacedAccess(shared);
  }

  /** Work is submitted, whose accesses are judged next. */
  public Operation submit(String name, StreamClock stream) {
    return operations.submit(name, stream);
  }

  /** Judges a read; as with all of these, whether a real device could have gone on after it. */
  public boolean read(Operation by, int device, long start, long bytes) {
    return consume(by, device, start, bytes, AccessKind.READ);
  }

  private boolean consume(Operation by, int device, long start, long bytes, AccessKind kind) {
    Outcome outcome = access(by, device, start, bytes, kind);
    // What waits for a gate comes after what was queued since, which may write. A pool that keeps
    // bytes elsewhere does not consume them.
    if (outcome == Outcome.PASSED
        && !by.isCaptured()
        && by.closedGate() == null
        && !hosts.isInPool()) {
      unwritten.read(by, start, start + bytes);
    }
    return outcome != Outcome.FATAL;
  }

  public boolean write(Operation by, int device, long start, long bytes) {
    Outcome outcome = access(by, device, start, bytes, AccessKind.WRITE);
    if (!by.isCaptured()) {
      unwritten.settled(start, start + bytes);
    }
    return outcome != Outcome.FATAL;
  }

  /** Judges atomic operations on a range, which read and write it. */
  public boolean change(Operation by, int device, long start, long bytes) {
    boolean legal = consume(by, device, start, bytes, AccessKind.ATOMIC);
    if (!by.isCaptured()) {
      unwritten.settled(start, start + bytes);
    }
    return legal;
  }

  /** Judges the read of a copy to the host. */
  public boolean copyToHost(Operation by, int device, long source, long bytes) {
    return read(by, stagedBy(by, device, source, bytes, AccessKind.READ), source, bytes);
  }

  /** Judges the write of a copy from the host. */
  public boolean copyFromHost(Operation by, int device, long target, long bytes) {
    return write(by, stagedBy(by, device, target, bytes, AccessKind.WRITE), target, bytes);
  }

  /** A copy brings bytes from page-locked memory that hold nothing. */
  public void brought(Operation by, long target, PinnedRange source) {
    if (enabled && by.closedGate() == null) {
      unwritten.brought(by, target, source);
    }
  }

  /** Judges a copy within devices. */
  public boolean copy(Operation by, int device, long target, long source, long bytes) {
    int reader = stagedBy(by, device, source, bytes, AccessKind.READ);
    Outcome read = access(by, reader, source, bytes, AccessKind.READ);
    int writer = stagedBy(by, device, target, bytes, AccessKind.WRITE);
    Outcome written = access(by, writer, target, bytes, AccessKind.WRITE);
    // Graphs are judged for this when they are captured, not with each launch.
    boolean first = by.node() == null || by.isCaptured();
    if (enabled && first && Math.abs(target - source) < bytes) {
      misplaced.overlapping(by, space.containing(target), target, source, bytes);
    }
    if (!by.isCaptured()) {
      unwritten.copied(by, target, source, bytes);
    }
    return read != Outcome.FATAL && written != Outcome.FATAL;
  }

  /**
   * The device that touches a side of a copy. The driver stages what a device may not touch itself,
   * if it is plain memory: then that is done by the memory's own. Where staging is to be reported,
   * the copy is judged as well.
   */
  private int stagedBy(Operation by, int device, long address, long bytes, AccessKind kind) {
    Region region = space.containing(address);
    if (region == null || region.kind() != RegionKind.PLAIN) {
      return device;
    }
    int owner = region.device();
    boolean silent = stages || !enabled || bytes == 0 || by.launched() != null;
    if (!silent && owner != device && !peers.isEnabled(device, owner)) {
      Touch touch = new Touch(by, device, address, address + bytes, kind);
      misplaced.elsewhere(touch, region, peers.isPossible(device, owner));
    }
    return owner;
  }

  private Outcome access(Operation by, int device, long start, long bytes, AccessKind kind) {
    if (!enabled || bytes == 0) {
      return Outcome.PASSED;
    }
    Region region = space.containing(start);
    GraphNode launched = by.launched();
    if (launched != null && !launched.mayTouch(start, kind)) {
      // It was reported when it was captured.
      return region == null ? Outcome.FATAL : Outcome.PASSED;
    }
    Touch touch = new Touch(by, device, start, start + bytes, kind);
    if (region == null) {
      misplaced.nowhere(touch);
      return Outcome.FATAL;
    }
    for (Rule rule : rules) {
      Outcome outcome = rule.judge(touch, region);
      if (outcome != Outcome.PASSED) {
        return outcome;
      }
    }
    return Outcome.PASSED;
  }

  // ---- the rules ----

  /** A device touches its own memory, and that of others where it may. */
  private Outcome mayTouch(Touch touch, Region region) {
    int device = touch.device();
    if (device == region.device()
        || region.kind().isShared()
        || isAccessibleMapping(region, device, touch.start())
        || isOpen(region, device)) {
      return Outcome.PASSED;
    }
    misplaced.elsewhere(touch, region, peers.isPossible(device, region.device()));
    return Outcome.FATAL;
  }

  /** Mapped memory knows by itself who may touch it: cuMemSetAccess needs no peer access. */
  private static boolean isAccessibleMapping(Region region, int device, long start) {
    Mappings pages = region.pages();
    Mapping mapping = pages == null ? null : pages.get(start);
    return mapping != null && mapping.isAccessible(device);
  }

  /** Peer access opens plain memory, and never that of pools, which are opened one by one. */
  private boolean isOpen(Region region, int device) {
    return region.kind() == RegionKind.POOL
        ? region.isOpenTo(device)
        : peers.isEnabled(device, region.device());
  }

  private Outcome staysInRegion(Touch touch, Region region) {
    if (touch.end() <= region.getEnd()) {
      return Outcome.PASSED;
    }
    misplaced.beyond(touch, owners.driver.liveAt(region.start()), region, region.getEnd());
    return Outcome.REPORTED;
  }

  /**
   * Work keeps to the block where it begins; whether memory lies behind that is its pool's doing.
   */
  private Outcome staysInBlock(Touch touch, Region region) {
    OwnedBlock block =
        touch.by().launched() == null && !hosts.isInPool()
            ? owners.poolAt(touch.start()).liveContaining(touch.start())
            : null;
    if (block == null
        || touch.end() <= block.end
        || firstUnmapped(touch.device(), region, touch.start(), block.end) < block.end) {
      return Outcome.PASSED;
    }
    misplaced.beyond(touch, block, region, block.end);
    return firstUnmapped(touch.device(), region, block.end, touch.end()) < touch.end()
        ? Outcome.FATAL
        : Outcome.REPORTED;
  }

  /** Memory is behind all addresses, and the device may touch it. */
  private Outcome isMapped(Touch touch, Region region) {
    long at = firstUnmapped(touch.device(), region, touch.start(), touch.end());
    if (at >= touch.end()) {
      return Outcome.PASSED;
    }
    misplaced.unmapped(touch, region, at);
    return Outcome.FATAL;
  }

  private static long firstUnmapped(int device, Region region, long start, long end) {
    Mappings pages = region.pages();
    long at = pages == null ? end : start;
    while (pages != null && at < end) {
      Mapping mapping = pages.get(at);
      if (mapping == null || !mapping.isAccessible(device)) {
        return at;
      }
      at = mapping.getEnd();
    }
    return at;
  }

  /** The memory is still its owner's, and work comes after its allocation and all in conflict. */
  private Outcome isInOrder(Touch touch, Region region) {
    GraphNode launched = touch.by().launched();
    return launched == null ? ofCall(touch, region) : ofLaunch(touch, launched, region);
  }

  /** Judges by the owner that was found at the capture, who may have freed the memory since. */
  private Outcome ofLaunch(Touch touch, GraphNode node, Region region) {
    OwnedBlock block = node.ownerOf(touch.start(), touch.kind());
    if (block == null || block.death == null) {
      return order(touch, block, region);
    }
    if (!block.captured) {
      misplaced.freed(touch, block);
      return Outcome.REPORTED;
    }
    OwnedBlock heir = owners.poolAt(touch.start()).overlapping(touch.start(), touch.end());
    if (heir == null || heir.captured) {
      return order(touch, block, region);
    }
    reportReuse(block, heir, touch.by(), touch.kind(), touch.start(), touch.end());
    return Outcome.REPORTED;
  }

  private Outcome ofCall(Touch touch, Region region) {
    if (hosts.isInPool()) {
      // A pool moves the bytes of several users at once.
      return order(touch, null, region);
    }
    Ownership pool = owners.poolAt(touch.start());
    OwnedBlock block = pool.liveContaining(touch.start());
    if (block == null) {
      OwnedBlock dead = pool.dead.containing(touch.start());
      if (dead != null) {
        misplaced.freed(touch, dead);
        return Outcome.REPORTED;
      }
      block = owners.liveContaining(touch.start());
      OwnedBlock ahead = pool.liveIn(touch.start(), touch.end());
      if (ahead != null) {
        misplaced.before(touch, block, region, ahead);
        return Outcome.REPORTED;
      }
    }
    if (block == null && (region.kind() == RegionKind.POOL || region.kind() == RegionKind.PLAIN)) {
      // Freed in stream order; the addresses stay until the stream has come to the free.
      misplaced.nowhere(touch);
      return Outcome.FATAL;
    }
    if (block != null && touch.end() > block.end) {
      misplaced.beyond(touch, block, region, block.end);
      return Outcome.REPORTED;
    }
    GraphNode captured = touch.by().node();
    if (captured != null) {
      captured.touches(touch.start(), touch.kind(), block);
      return Outcome.PASSED;
    }
    return order(touch, block, region);
  }

  /** Judges the order of an access to memory of a block, if it is known, and remembers it. */
  private Outcome order(Touch touch, @Nullable OwnedBlock block, Region region) {
    StreamClock stream = touch.by().stream;
    Outcome outcome = Outcome.PASSED;
    if ((block != null && block.birth != null && !block.isThereFor(stream, hosts))
        || history.conflict(stream, touch.start(), touch.end(), touch.kind()) != null) {
      outcome = reportOrder(touch, block, region);
    }
    history.enter(touch.by(), touch.kind(), touch.start(), touch.end());
    return outcome;
  }

  private Outcome reportOrder(Touch touch, @Nullable OwnedBlock block, Region region) {
    Verdict verdict = order.before(touch.by());
    if (block != null && block.birth != null) {
      verdict.addBirth(block, usedBeforeAllocation(touch, block, block.birth));
    }
    boolean ordered =
        verdict
            .addConflicts(
                touch.start(),
                touch.end(),
                touch.kind(),
                conflict ->
                    new Suspicion(
                        conflict.race(touch.kind()),
                        finding -> finding.in(block, region).between(conflict, touch),
                        conflict.isByThread()
                            ? "hand over between the two threads with HandOff"
                            : "record an event after the earlier operation and make the later"
                                + " stream wait for it"))
            .report()
            .isEmpty();
    return ordered ? Outcome.PASSED : Outcome.REPORTED;
  }

  private Suspicion usedBeforeAllocation(Touch touch, OwnedBlock block, Operation birth) {
    Conflict last =
        history.conflict(touch.by().stream, touch.start(), touch.end(), AccessKind.WRITE);
    // An event right after the allocation would only show the next hazard, where it was written.
    String remedy =
        last == null
                || last.operation().stream != birth.stream
                || last.operation().index() <= birth.index()
            ? "record an event on the allocating stream and make the using one wait for it"
            : ("record an event on the allocating stream after operation %s, its last on these"
                    + " bytes, and make the using one wait for it")
                .formatted(last.operation().index());
    return new Suspicion(
        HazardCode.USE_BEFORE_ALLOC,
        finding ->
            finding
                .in(block)
                .earlier(birth, AccessKind.ALLOCATE, block.start, block.end)
                .later(touch)
                .unordered(birth, touch.by()),
        remedy);
  }
}
