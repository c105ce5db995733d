package org.vramkit.sim.hazard;

import java.util.List;
import java.util.Objects;

/**
 * The most memory that a program had on a device at once.
 *
 * @param requestedBytes live bytes of pools, as their users requested them; blocks of a pool within
 *     a block of another pool count once
 * @param reservedBytes bytes that the program took from the driver
 * @param blocks blocks of pools that were live at the requested peak; they may lack less than a
 *     hundredth of it
 */
public record MemoryPeak(long requestedBytes, long reservedBytes, List<Leak> blocks) {
  /** Copies the blocks. */
  public MemoryPeak {
    blocks = List.copyOf(Objects.requireNonNull(blocks, "blocks"));
  }
}
