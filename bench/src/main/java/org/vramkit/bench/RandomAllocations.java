package org.vramkit.bench;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;

/**
 * The workload of RMM's benchmark {@code random_allocations}: 2N steps, at each of which a block is
 * allocated with a probability of 73 % if fewer than N were so far and it fits under the live cap,
 * and a random live one is freed otherwise. Sizes are uniform from 1 byte to a maximum. In 2N steps
 * all N are allocated and all are freed.
 *
 * <p>The constants are those of {@code cpp/benchmarks/random_allocations} in RMM 26. Unlike there,
 * the steps are drawn beforehand, so that drawing costs nothing while times are taken.
 */
final class RandomAllocations {
  private static final int ALLOCATE_PERCENT = 73;
  private static final long LIVE_CAP = 16_000 * ByteSize.MIB;
  private static final long FREE = 0;

  /** A size, or {@link #FREE}. */
  private final long[] sizes;

  /** The place of a block among the live ones, densely numbered; the last takes a freed place. */
  private final int[] places;

  private final Allocation[] live;
  private final long[] addresses;
  private final long[] bareSizes;

  /**
   * Draws the steps.
   *
   * @param count N
   * @param maximumBytes largest size
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

  /** All steps; ends with nothing live. */
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

  /** The same steps of the bare limit. */
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
