package org.vramkit.sim.check;

import java.util.List;
import org.vramkit.sim.check.Owners.BlockMap;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Judges captured work, and the blocks that pools hand out in a capture. Such a block is there for
 * all launches; one that is given back in the capture begins and ends anew with each of them.
 * Guarded by the backend's lock.
 */
public final class GraphMemory extends MemoryRules {
  GraphMemory(MemoryRules shared) {
    super(shared);
  }

  /** Work that is being captured: nothing runs, and it comes after nothing yet. */
  public Operation capture(String name, StreamClock stream, GraphNode node) {
    return operations.captured(name, stream).of(node);
  }

  /** The same work with a launch. */
  public Operation launch(String name, StreamClock stream, GraphNode node) {
    node.seal();
    return operations.submit(name, stream).of(node);
  }

  /** A pool handed out a block in a capture; the tag is empty for none. */
  public OwnedBlock allocated(int device, long start, long bytes, StreamClock stream, String tag) {
    long end = start + bytes;
    Operation allocation = operations.point("pool allocate", AccessKind.ALLOCATE, stream);
    OwnedBlock block = OwnedBlock.captured(owners.nextId(), tag, device, start, bytes, allocation);
    if (enabled) {
      BlockMap pool = owners.pools.innermost(start, end);
      replaced(pool, block);
      // What a pool knows to be done comes before each launch, on whatever stream.
      if (history.conflict(hosts.allAndPools(), start, end, AccessKind.WRITE) == null) {
        history.forget(start, end);
      }
      pool.add(block);
      unwritten.allocated(block);
    }
    return block;
  }

  /** With a launch, a block begins that ends in it: as if it were handed out there and then. */
  public void begins(OwnedBlock block, StreamClock stream) {
    if (!enabled) {
      return;
    }
    Operation allocation = operations.point("allocate in a graph", AccessKind.ALLOCATE, stream);
    Conflict conflict =
        history.conflict(
            hosts.forPools(allocation.stream), block.start, block.end, AccessKind.WRITE);
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
      stream.join(conflict.operation());
    }
    history.wrote(allocation, block.start, block.end);
    unwritten.allocated(block);
  }

  /** With a launch, such a block ends; these streams are told to use it. */
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
