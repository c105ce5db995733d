package org.vramkit.bench;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;

/**
 * The workload of RMM's benchmark {@code random_allocations}: 2N steps that allocate N blocks and
 * free them. A step allocates with a probability of 73 % while allocations remain and the live cap
 * permits it, and otherwise frees a random live block. Sizes are uniform from 1 byte to a maximum.
 *
 * <p>The constants are those of {@code cpp/benchmarks/random_allocations} in RMM 26. Unlike RMM's,
 * the steps are drawn in advance, outside of the timed section.
 */
final class RandomAllocations {
  private static final int ALLOCATE_PERCENT = 73;
  private static final long LIVE_CAP = 16_000 * ByteSize.MIB;
  private static final long FREE = 0;

  /** Size to allocate by step, or {@link #FREE}. */
  private final long[] sizes;

  /**
   * Index of the step's block among the live blocks. The last block moves to the index of a freed
   * one.
   */
  private final int[] places;

  private final Allocation[] live;
  private final long[] addresses;
  private final long[] bareSizes;

  /**
   * Draws the steps.
   *
   * @param count N
   * @param maximumBytes maximum size
   */
  RandomAllocations(int count, long maximumBytes, long seed) {
    sizes = new long[2 * count];
    places = new int[2 * count];
    SplittableRandom random = new SplittableRandom(seed);
    long[] held = new long[count];
    int most = 0;
    int holding = 0;
    int allocated = 0;
    long heldBytes = 0;
    for (int step = 0; step < sizes.length; step++) {
      long size = random.nextLong(1, maximumBytes + 1);
      boolean allocate =
          holding == 0
              || (random.nextInt(100) < ALLOCATE_PERCENT
                  && allocated < count
                  && heldBytes + size < LIVE_CAP);
      if (allocate) {
        sizes[step] = size;
        places[step] = holding;
        held[holding++] = size;
        allocated++;
        heldBytes += size;
        most = Math.max(most, holding);
      } else {
        int place = random.nextInt(holding);
        sizes[step] = FREE;
        places[step] = place;
        heldBytes -= held[place];
        held[place] = held[--holding];
      }
    }
    live = new Allocation[most];
    addresses = new long[most];
    bareSizes = new long[most];
  }

  /** Runs all steps, which free every block. */
  void run(Allocator allocator, Stream stream) {
    int holding = 0;
    for (int step = 0; step < sizes.length; step++) {
      int place = places[step];
      if (sizes[step] != FREE) {
        live[holding++] = allocator.allocate(sizes[step], stream);
      } else {
        live[place].close();
        live[place] = live[--holding];
      }
    }
    Arrays.fill(live, null);
  }

  /** Runs all steps with the lower bound. */
  void runBare() {
    int holding = 0;
    for (int step = 0; step < sizes.length; step++) {
      int place = places[step];
      long size = sizes[step];
      if (size != FREE) {
        addresses[holding] = Limit.allocate(size);
        bareSizes[holding++] = size;
      } else {
        Limit.free(addresses[place], bareSizes[place]);
        holding--;
        addresses[place] = addresses[holding];
        bareSizes[place] = bareSizes[holding];
      }
    }
  }
}
