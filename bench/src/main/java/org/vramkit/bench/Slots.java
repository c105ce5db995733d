package org.vramkit.bench;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.Padded;

/**
 * The live blocks of one thread that runs {@link Churn}, of the allocator and of the lower bound.
 * Padded to avoid false sharing of the step count.
 */
final class Slots extends Padded {
  private final Churn churn;
  private final Allocator allocator;
  private final Stream stream;
  private final Allocation[] blocks;
  private final long[] addresses;
  private final long[] sizes;
  private int step;
  private boolean isEmpty;
  private boolean isBareEmpty;

  /** Fills every slot of the allocator and of the lower bound. */
  Slots(Churn churn, Allocator allocator, Stream stream) {
    this.churn = churn;
    this.allocator = allocator;
    this.stream = stream;
    blocks = new Allocation[churn.live()];
    addresses = new long[churn.live()];
    sizes = new long[churn.live()];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = allocator.allocate(churn.size(step), stream);
      sizes[i] = churn.size(step);
      addresses[i] = Limit.allocate(sizes[i]);
      step = churn.after(step);
    }
  }

  /** Closes a random block and allocates another in its slot. */
  long replace() {
    step = churn.after(step);
    free();
    return allocate();
  }

  /** Frees a random address of the lower bound and allocates another in its slot. */
  long replaceBare() {
    step = churn.after(step);
    freeBare();
    return allocateBare();
  }

  /**
   * Performs half a replacement: closes a random block, or fills the slot emptied by the last call.
   */
  long half() {
    isEmpty = !isEmpty;
    if (isEmpty) {
      step = churn.after(step);
      return free();
    }
    return allocate();
  }

  /** Performs half a replacement with the lower bound. */
  long halfBare() {
    isBareEmpty = !isBareEmpty;
    if (isBareEmpty) {
      step = churn.after(step);
      return freeBare();
    }
    return allocateBare();
  }

  private long free() {
    Allocation old = blocks[churn.slot(step)];
    old.close();
    return old.getSize();
  }

  private long allocate() {
    Allocation fresh = allocator.allocate(churn.size(step), stream);
    blocks[churn.slot(step)] = fresh;
    return fresh.getAddress();
  }

  private long freeBare() {
    int slot = churn.slot(step);
    Limit.free(addresses[slot], sizes[slot]);
    return sizes[slot];
  }

  private long allocateBare() {
    int slot = churn.slot(step);
    long size = churn.size(step);
    long address = Limit.allocate(size);
    addresses[slot] = address;
    sizes[slot] = size;
    return address;
  }

  /** Closes all blocks. A block that {@link #half} has closed already is not affected. */
  void close() {
    for (Allocation each : blocks) {
      each.close();
    }
  }
}
