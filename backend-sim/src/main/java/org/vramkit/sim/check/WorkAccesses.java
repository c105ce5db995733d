package org.vramkit.sim.check;

import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.memory.AddressSpace;
import org.vramkit.sim.memory.Region;
import org.vramkit.sim.memory.RegionKind;

/**
 * Judges the accesses of work to devices' memory, rule after rule: the first that is broken is
 * reported, because the others build on it. Guarded by the backend's lock.
 */
public final class WorkAccesses extends MemoryRules {
  private final AddressSpace space;
  private final Reach reach;
  private final Bounds bounds;
  private final StreamRaces races;
  private final Reports reports;
  private final boolean stages;

  /** Judges by the rules; the driver stages copies between devices, unless it is not to. */
  WorkAccesses(
      MemoryRules shared, AddressSpace space, Peers peers, Reports reports, boolean stages) {
    super(shared);
    this.stages = stages;
    this.space = space;
    this.bounds = new Bounds(shared);
    this.reach = new Reach(shared, peers, bounds);
    this.races = new StreamRaces(shared);
    this.reports = reports;
  }

  /** Judges a read; as with all of these, whether a real device could have gone on after it. */
  public boolean read(Operation by, int device, long start, long bytes) {
    return consume(by, device, start, bytes, AccessKind.READ);
  }

  private boolean consume(Operation by, int device, long start, long bytes, AccessKind kind) {
    long before = reports.getFindings();
    boolean legal = access(by, device, start, bytes, kind);
    // What waits for a gate comes after what was queued since, which may write.
    if (reports.getFindings() == before && !by.isCaptured() && by.closedGate() == null) {
      unwritten.read(by, start, start + bytes);
    }
    return legal;
  }

  public boolean write(Operation by, int device, long start, long bytes) {
    boolean legal = access(by, device, start, bytes, AccessKind.WRITE);
    if (!by.isCaptured()) {
      unwritten.settled(start, start + bytes);
    }
    return legal;
  }

  /** Judges atomic operations on a range, which read and write it. */
  public boolean change(Operation by, int device, long start, long bytes) {
    boolean legal = consume(by, device, start, bytes, AccessKind.ATOMIC);
    if (!by.isCaptured()) {
      unwritten.settled(start, start + bytes);
    }
    return legal;
  }

  /** What a copy has brought from page-locked memory there was written by nobody. */
  public void brought(Operation by, long target, PinnedRange source) {
    if (enabled && by.closedGate() == null) {
      unwritten.brought(by, target, source);
    }
  }

  /** Judges a copy within devices. */
  public boolean copy(Operation by, int device, long target, long source, long bytes) {
    int reader = stagedBy(device, source);
    int writer = stagedBy(device, target);
    boolean legal = access(by, reader, source, bytes, AccessKind.READ);
    legal &= access(by, writer, target, bytes, AccessKind.WRITE);
    // What graphs do is told when it is captured, not with each launch.
    boolean first = by.node() == null || by.isCaptured();
    if (enabled && first && Math.abs(target - source) < bytes) {
      bounds.overlapping(by, space.containing(target), target, source, bytes);
    }
    if (!by.isCaptured()) {
      unwritten.copied(by, target, source, bytes);
    }
    return legal;
  }

  /**
   * The device that touches a side of a copy. The driver stages what a device may not touch itself,
   * if it is plain memory: then that is done by the memory's own.
   */
  private int stagedBy(int device, long address) {
    Region region = stages ? space.containing(address) : null;
    return region != null && region.kind() == RegionKind.PLAIN ? region.device() : device;
  }

  private boolean access(Operation by, int device, long start, long bytes, AccessKind kind) {
    if (!enabled || bytes == 0) {
      return true;
    }
    Touch touch = new Touch(by, device, start, start + bytes, kind);
    Region region = space.containing(start);
    GraphNode node = by.node();
    if (node != null && node.isCaptured() && !node.mayTouch(start, kind)) {
      return region != null;
    }
    if (region == null) {
      bounds.nowhere(touch);
      return false;
    }
    if (!reach.isAllowed(touch, region)) {
      return false;
    }
    if (touch.end() > region.getEnd()) {
      bounds.beyond(touch, owners.driver.liveAt(region.start()), region, region.getEnd());
      return true;
    }
    if (node != null && node.isCaptured()) {
      return reach.isMapped(touch, region) && accessOfGraph(touch, node, region);
    }
    OwnedBlock block = owners.poolAt(start).liveContaining(start);
    if (block != null
        && touch.end() > block.end
        && Reach.areMapped(device, region, start, block.end)) {
      // Whether there is memory behind the block is its pool's doing.
      bounds.beyond(touch, block, region, block.end);
      return Reach.areMapped(device, region, block.end, touch.end());
    }
    return reach.isMapped(touch, region) && accessInside(touch, region);
  }

  /** Whose memory it is was found when it was captured: it may have been freed since. */
  private boolean accessOfGraph(Touch touch, GraphNode node, Region region) {
    OwnedBlock block = node.ownerOf(touch.start(), touch.kind());
    if (block == null || block.death == null) {
      races.judge(touch, block, region);
      return true;
    }
    if (!block.captured) {
      bounds.freed(touch, block);
      return true;
    }
    OwnedBlock heir = owners.poolAt(touch.start()).overlapping(touch.start(), touch.end());
    if (heir != null && !heir.captured) {
      reportReuse(block, heir, touch.by(), touch.kind(), touch.start(), touch.end());
    } else {
      races.judge(touch, block, region);
    }
    return true;
  }

  private boolean accessInside(Touch touch, Region region) {
    Ownership pool = owners.poolAt(touch.start());
    OwnedBlock block = pool.liveContaining(touch.start());
    if (block == null) {
      OwnedBlock dead = pool.dead.containing(touch.start());
      if (dead != null) {
        bounds.freed(touch, dead);
        return true;
      }
      block = owners.liveContaining(touch.start());
      OwnedBlock ahead = pool.liveIn(touch.start(), touch.end());
      if (ahead != null) {
        bounds.before(touch, block, region, ahead);
        return true;
      }
    }
    if (block == null && (region.kind() == RegionKind.POOL || region.kind() == RegionKind.PLAIN)) {
      // Freed in stream order; the addresses stay until the stream has come to the free.
      bounds.nowhere(touch);
      return false;
    }
    GraphNode node = touch.by().node();
    if (block != null && touch.end() > block.end) {
      bounds.beyond(touch, block, region, block.end);
    } else if (node != null) {
      node.touches(touch.start(), touch.kind(), block);
    } else {
      races.judge(touch, block, region);
    }
    return true;
  }
}
