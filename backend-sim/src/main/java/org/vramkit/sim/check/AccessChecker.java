package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.Operation.Touch;
import org.vramkit.sim.check.OrderRule.Candidate;
import org.vramkit.sim.check.OrderRule.OrderCheck;
import org.vramkit.sim.check.Owners.BlockMap;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.memory.AddressSpace;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.AddressSpace.RegionKind;
import org.vramkit.sim.memory.Mappings;
import org.vramkit.sim.memory.Mappings.Mapping;
import org.vramkit.sim.memory.VirtualRange;

/**
 * Checks the accesses of work to device memory. Applies its rules in order and reports the first
 * that is broken, because each rule builds on those before it. Guarded by the backend's lock.
 */
public final class AccessChecker extends MemoryRules {
  /** The result of one rule. */
  private enum Outcome {
    PASSED,
    REPORTED,
    /** A real device could not continue. */
    FATAL
  }

  private final AddressSpace space;
  private final Peers peers;
  private final AccessErrors accessErrors;
  private final boolean stages;

  /**
   * Creates a checker; copies between devices without peer access are legal if {@code stages},
   * because the driver stages them.
   */
  AccessChecker(MemoryRules shared, AddressSpace space, Peers peers, boolean stages) {
    super(shared);
    this.space = space;
    this.peers = peers;
    this.stages = stages;
    this.accessErrors = new AccessErrors(shared);
  }

  /** Creates the operation of submitted work, whose accesses the caller then checks. */
  public Operation submit(String name, StreamClock stream) {
    return operations.submit(name, stream);
  }

  /**
   * Checks a read. Like all checks of this class, returns whether a real device could continue
   * after the access.
   */
  public boolean read(Operation by, int device, long start, long bytes) {
    return consume(by, device, start, bytes, AccessKind.READ);
  }

  private boolean consume(Operation by, int device, long start, long bytes, AccessKind kind) {
    Outcome outcome = access(by, device, start, bytes, kind);
    // Work behind a closed gate may run after work that is queued later and writes the bytes. A
    // pool that copies bytes to its backup does not depend on their values.
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
      unwritten.written(start, start + bytes);
    }
    return outcome != Outcome.FATAL;
  }

  /** Checks atomic operations, which read and write a range. */
  public boolean change(Operation by, int device, long start, long bytes) {
    boolean legal = consume(by, device, start, bytes, AccessKind.ATOMIC);
    if (!by.isCaptured()) {
      unwritten.written(start, start + bytes);
    }
    return legal;
  }

  /** Checks the read of a copy to the host. */
  public boolean copyToHost(Operation by, int device, long source, long bytes) {
    return read(by, accessingDevice(by, device, source, bytes, AccessKind.READ), source, bytes);
  }

  /** Checks the write of a copy from the host. */
  public boolean copyFromHost(Operation by, int device, long target, long bytes) {
    return write(by, accessingDevice(by, device, target, bytes, AccessKind.WRITE), target, bytes);
  }

  /** Notes that a copy moves unwritten bytes from page-locked memory. */
  public void copiedUnwritten(Operation by, long target, PinnedRange source) {
    if (enabled && by.closedGate() == null) {
      unwritten.copiedUnwritten(by, target, source);
    }
  }

  /** Notes that a pool moves bytes to its backup or back; unwritten ones remain unwritten. */
  public void moved(Operation by, long target, long source, long bytes) {
    if (by.isByPool()) {
      unwritten.moved(target, source, bytes);
    }
  }

  /** Checks a copy from device to device. */
  public boolean copy(Operation by, int device, long target, long source, long bytes) {
    int reader = accessingDevice(by, device, source, bytes, AccessKind.READ);
    Outcome read = access(by, reader, source, bytes, AccessKind.READ);
    int writer = accessingDevice(by, device, target, bytes, AccessKind.WRITE);
    Outcome written = access(by, writer, target, bytes, AccessKind.WRITE);
    // A graph is checked for overlapping copies at its capture, not at each launch.
    boolean first = by.node() == null || by.isCaptured();
    if (enabled && first && Math.abs(target - source) < bytes) {
      accessErrors.overlapping(by, space.containing(target), target, source, bytes);
    }
    if (!by.isCaptured()) {
      unwritten.copied(by, target, source, bytes);
    }
    return read != Outcome.FATAL && written != Outcome.FATAL;
  }

  /**
   * Returns the device that accesses one side of a copy. For plain memory, this is the device that
   * owns it, because the driver stages the copy if {@code device} has no peer access. Reports the
   * missing peer access if staging is not legal.
   */
  private int accessingDevice(Operation by, int device, long address, long bytes, AccessKind kind) {
    Region region = space.containing(address);
    if (region == null || !region.isPlain()) {
      return device;
    }
    int owner = region.device();
    boolean silent = stages || !enabled || bytes == 0 || by.launched() != null;
    if (!silent && owner != device && !peers.isEnabled(device, owner)) {
      Touch touch = new Touch(by, device, address, address + bytes, kind);
      accessErrors.inaccessible(touch, region, peers.isPossible(device, owner));
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
      // The capture has reported this access.
      return region == null ? Outcome.FATAL : Outcome.PASSED;
    }
    Touch touch = new Touch(by, device, start, start + bytes, kind);
    if (region == null) {
      accessErrors.noAllocation(touch);
      return Outcome.FATAL;
    }
    Outcome outcome = mayTouch(touch, region);
    if (outcome == Outcome.PASSED) {
      outcome = staysInRegion(touch, region);
    }
    if (outcome == Outcome.PASSED) {
      outcome = staysInBlock(touch, region);
    }
    if (outcome == Outcome.PASSED) {
      outcome = isMapped(touch, region);
    }
    return outcome == Outcome.PASSED ? isInOrder(touch, region) : outcome;
  }

  // ---- the rules ----

  /** Checks that the memory belongs to the device, is shared, or is open to the device. */
  private Outcome mayTouch(Touch touch, Region region) {
    int device = touch.device();
    if (device == region.device()
        || region.kind().isShared()
        || isAccessibleMapping(region, device, touch.start())
        || isOpen(region, device)) {
      return Outcome.PASSED;
    }
    accessErrors.inaccessible(touch, region, peers.isPossible(device, region.device()));
    return Outcome.FATAL;
  }

  /** Returns whether a mapping is open to a device. {@code cuMemSetAccess} needs no peer access. */
  private static boolean isAccessibleMapping(Region region, int device, long start) {
    Mappings pages = region.pages();
    Mapping mapping = pages == null ? null : pages.get(start);
    return mapping != null && mapping.isAccessible(device);
  }

  /**
   * Returns whether a device may access memory of another device. Peer access opens all plain
   * memory; driver pools are opened one by one.
   */
  private boolean isOpen(Region region, int device) {
    return region.kind() == RegionKind.POOL
        ? region.isOpenTo(device)
        : peers.isEnabled(device, region.device());
  }

  private Outcome staysInRegion(Touch touch, Region region) {
    if (touch.end() <= region.getEnd() || isReserved(region, touch)) {
      return Outcome.PASSED;
    }
    accessErrors.outOfBounds(touch, owners.driver.liveAt(region.start()), region, region.getEnd());
    return Outcome.REPORTED;
  }

  /** Returns whether a reservation and those behind it contain an access. */
  private boolean isReserved(Region region, Touch touch) {
    return region.pages() != null
        && new VirtualRange(space, touch.start(), touch.end() - touch.start()).isReserved();
  }

  /**
   * Checks that an access ends in the block in which it begins. An access beyond the block is fatal
   * only if it reaches addresses without accessible memory.
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
    accessErrors.outOfBounds(touch, block, region, block.end);
    return firstUnmapped(touch.device(), region, block.end, touch.end()) < touch.end()
        ? Outcome.FATAL
        : Outcome.REPORTED;
  }

  /** Checks that accessible memory is mapped at all accessed addresses. */
  private Outcome isMapped(Touch touch, Region region) {
    long at = firstUnmapped(touch.device(), region, touch.start(), touch.end());
    if (at >= touch.end()) {
      return Outcome.PASSED;
    }
    accessErrors.unmapped(touch, region, at);
    return Outcome.FATAL;
  }

  private long firstUnmapped(int device, Region region, long start, long end) {
    return region.pages() == null || start >= end
        ? end
        : new VirtualRange(space, start, end - start).firstInaccessible(device);
  }

  /**
   * Checks that the memory still has the same owner, and that work is ordered after the allocation
   * and the conflicting accesses.
   */
  private Outcome isInOrder(Touch touch, Region region) {
    GraphNode launched = touch.by().launched();
    return launched == null ? checkCall(touch, region) : checkLaunch(touch, launched, region);
  }

  /**
   * Checks a launch against the owner of the memory at the capture, which may have freed it since.
   */
  private Outcome checkLaunch(Touch touch, GraphNode node, Region region) {
    OwnedBlock block = node.isOpen() ? ownerNow(touch) : node.ownerOf(touch.start(), touch.kind());
    if (block == null || block.freed == null) {
      return order(touch, block, region);
    }
    if (!block.captured) {
      accessErrors.afterFree(touch, block);
      return Outcome.REPORTED;
    }
    OwnedBlock successor = owners.poolAt(touch.start()).overlapping(touch.start(), touch.end());
    if (successor == null || successor.captured) {
      return order(touch, block, region);
    }
    reportReuse(block, successor, touch.by(), touch.kind(), touch.start(), touch.end());
    return Outcome.REPORTED;
  }

  /** Returns the live owner of the memory, or the last one if the memory has none now. */
  private @Nullable OwnedBlock ownerNow(Touch touch) {
    BlockMap pool = owners.poolAt(touch.start());
    OwnedBlock live = pool.liveContaining(touch.start());
    OwnedBlock block = live == null ? pool.freed.containing(touch.start()) : live;
    return block == null ? owners.liveContaining(touch.start()) : block;
  }

  private Outcome checkCall(Touch touch, Region region) {
    if (hosts.isInPool()) {
      return checkPool(touch, region);
    }
    BlockMap pool = owners.poolAt(touch.start());
    OwnedBlock block = pool.liveContaining(touch.start());
    if (block == null) {
      OwnedBlock freed = pool.freed.containing(touch.start());
      if (freed != null) {
        accessErrors.afterFree(touch, freed);
        return Outcome.REPORTED;
      }
      block = owners.liveContaining(touch.start());
      OwnedBlock ahead = pool.liveIn(touch.start(), touch.end());
      if (ahead != null) {
        accessErrors.startsBefore(touch, block, region, ahead);
        return Outcome.REPORTED;
      }
    }
    if (block == null && (region.kind() == RegionKind.POOL || region.isPlain())) {
      // The memory was freed in stream order; its region exists until the stream reaches the free.
      accessErrors.noAllocation(touch);
      return Outcome.FATAL;
    }
    if (block != null && touch.end() > block.end) {
      accessErrors.outOfBounds(touch, block, region, block.end);
      return Outcome.REPORTED;
    }
    GraphNode captured = touch.by().node();
    if (captured != null) {
      captured.touches(touch.start(), touch.kind(), block);
      return Outcome.PASSED;
    }
    return order(touch, block, region);
  }

  /**
   * Checks an access of a pool, which may copy several blocks at once. Bytes between blocks have no
   * owner, and what the pool does with them is no race with the work of the last owner.
   */
  private Outcome checkPool(Touch touch, Region region) {
    List<OwnedBlock> blocks = new ArrayList<>(1);
    owners.pools.addInnermost(touch.start(), touch.end(), blocks);
    if (blocks.isEmpty()) {
      return order(touch, null, region);
    }
    Outcome outcome = Outcome.PASSED;
    for (OwnedBlock block : blocks) {
      Outcome part = checkOrder(touch.within(block.start, block.end), null, region);
      outcome = part == Outcome.PASSED ? outcome : part;
    }
    history.enter(touch.by(), touch.kind(), touch.start(), touch.end());
    return outcome;
  }

  /** Checks the order of an access, and enters the access into the history. */
  private Outcome order(Touch touch, @Nullable OwnedBlock block, Region region) {
    Outcome outcome = checkOrder(touch, block, region);
    history.enter(touch.by(), touch.kind(), touch.start(), touch.end());
    return outcome;
  }

  private Outcome checkOrder(Touch touch, @Nullable OwnedBlock block, Region region) {
    StreamClock stream = touch.by().stream;
    return (block != null && block.virtualWrite != null && !block.isAllocatedBefore(stream, hosts))
            || history.conflict(stream, touch.start(), touch.end(), touch.kind()) != null
        ? reportOrder(touch, block, region)
        : Outcome.PASSED;
  }

  private Outcome reportOrder(Touch touch, @Nullable OwnedBlock block, Region region) {
    OrderCheck check = order.before(touch.by());
    if (block != null && block.virtualWrite != null) {
      check.addAllocation(block, usedBeforeAllocation(touch, block, block.virtualWrite));
    }
    boolean ordered =
        check
            .addConflicts(
                touch.start(),
                touch.end(),
                touch.kind(),
                conflict ->
                    new Candidate(
                        conflict.race(touch.kind()),
                        finding -> finding.in(block, region).between(conflict, touch),
                        conflict.isByThread()
                            ? "order the two threads by a HandOff"
                            : "record an event after the earlier operation and make the later"
                                + " stream wait for it"))
            .report()
            .isEmpty();
    return ordered ? Outcome.PASSED : Outcome.REPORTED;
  }

  private Candidate usedBeforeAllocation(Touch touch, OwnedBlock block, Operation virtualWrite) {
    Conflict last =
        history.conflict(touch.by().stream, touch.start(), touch.end(), AccessKind.WRITE);
    // An event directly after the allocation would not order the stream's last write.
    String remedy =
        last == null
                || last.operation().stream != virtualWrite.stream
                || last.operation().index() <= virtualWrite.index()
            ? "record an event on the allocating stream and make the using stream wait for it"
            : ("record an event on the allocating stream after operation %s, its last on these"
                    + " bytes, and make the using stream wait for it")
                .formatted(last.operation().index());
    return new Candidate(
        HazardCode.USE_BEFORE_ALLOC,
        finding ->
            finding
                .in(block)
                .earlier(virtualWrite, AccessKind.ALLOCATE, block.start, block.end)
                .later(touch)
                .unordered(virtualWrite, touch.by()),
        remedy);
  }

  /** Peer access between devices. */
  public interface Peers {
    /** Returns whether the hardware supports peer access. */
    boolean isPossible(int device, int owner);

    /** Returns whether the program has enabled peer access. */
    boolean isEnabled(int device, int owner);
  }
}
