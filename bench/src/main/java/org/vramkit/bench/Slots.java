package org.vramkit.bench;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.Padded;

/**
 * The live blocks of one thread at churn, the allocator's and beside them the bare limit's. Padded,
 * because each thread counts its steps here.
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

  /** Fills every slot on both sides. */
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

  /** A pair: closes a random block and allocates another in its place. */
  long replace() {
    step = churn.after(step);
    free();
    return allocate();
  }

  /** The same pair of the bare limit. */
  long replaceBare() {
    step = churn.after(step);
    freeBare();
    return allocateBare();
  }

  /** The first half of a pair or the second, in turn. */
  long half() {
    isEmpty = !isEmpty;
    if (isEmpty) {
      step = churn.after(step);
      return free();
    }
    return allocate();
  }

  /** The same half of the bare limit. */
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

  /** Closes what is live; a block whose half of a pair is missing is closed already. */
  void close() {
    for (Allocation each : blocks) {
      each.close();
    }
  }
}
