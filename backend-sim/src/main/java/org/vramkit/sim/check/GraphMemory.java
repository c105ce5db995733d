package org.vramkit.sim.check;

import java.util.List;
import org.vramkit.sim.check.Owners.BlockMap;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Checks captured work, and blocks that pools allocate during a capture. A block that is open at
 * the end of the capture exists for all launches. A block that is also freed in the capture begins
 * and ends with each launch. Guarded by the backend's lock.
 */
public final class GraphMemory extends MemoryRules {
  GraphMemory(MemoryRules shared) {
    super(shared);
  }

  /** Creates the operation of captured work, which does not run and has no order yet. */
  public Operation capture(String name, StreamClock stream, GraphNode node) {
    return operations.captured(name, stream).of(node);
  }

  /** Creates the operation of the same work in a launch. */
  public Operation launch(String name, StreamClock stream, GraphNode node) {
    node.seal();
    return operations.submit(name, stream).of(node);
  }

  /** Adds a block that a pool allocated in a capture; the tag is empty for none. */
  public OwnedBlock allocated(int device, long start, long bytes, StreamClock stream, String tag) {
    long end = start + bytes;
    Operation allocation = operations.point("pool allocate", AccessKind.ALLOCATE, stream);
    OwnedBlock block = OwnedBlock.captured(owners.nextId(), tag, device, start, bytes, allocation);
    if (enabled) {
      BlockMap pool = owners.pools.innermost(start, end);
      reportOverlap(pool, block);
      // Work that a pool knows to be done comes before each launch, on any stream.
      if (history.pending(hosts.allAndPools(), start, end) == null) {
        history.forget(start, end);
      }
      pool.add(block);
      unwritten.allocated(block);
    }
    return block;
  }

  /**
   * Begins a block that is allocated and freed within the launch, as an allocation at this point.
   */
  public void begins(OwnedBlock block, StreamClock stream) {
    if (!enabled) {
      return;
    }
    Operation allocation = operations.point("allocate in a graph", AccessKind.ALLOCATE, stream);
    Conflict conflict = history.pending(hosts.forPools(stream), block.start, block.end);
    if (conflict != null) {
      reports
          .find(HazardCode.EARLY_REUSE)
          .in(block)
          .after(block.previous())
          .between(conflict, allocation, AccessKind.ALLOCATE, block.start, block.end)
          .report(
              "record the use of the other stream before closing, or have the stream that the block"
                  + " belongs to wait for it in the capture; order launches of graphs that share a"
                  + " pool");
      conflict.operation().comeBefore(stream);
    }
    enterAllocation(allocation, conflict, block.start, block.end);
    unwritten.allocated(block);
  }

  /**
   * Ends a block that {@link #begins} has begun. {@code users} are the streams with recorded uses.
   */
  public void ends(OwnedBlock block, StreamClock stream, List<StreamClock> users) {
    if (!enabled) {
      return;
    }
    for (StreamClock user : users) {
      Operation use = operations.point("recorded use", AccessKind.RECORD, user);
      history.read(use, block.start, block.end);
    }
    Operation free = operations.point("free in a graph", AccessKind.FREE, stream);
    history.read(free, block.start, block.end);
    unwritten.written(block.start, block.end);
  }
}
