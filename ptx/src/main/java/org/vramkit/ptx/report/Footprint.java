package org.vramkit.ptx.report;

import java.util.List;

/**
 * The bytes of global memory that a launch accessed. Ranges of a list are in the order of addresses
 * and do not overlap.
 *
 * @param reads bytes that the launch read before it wrote them, if ever
 * @param writes bytes that it wrote other than by atomic operations alone
 * @param atomics bytes that it accessed by atomic operations alone
 */
public record Footprint(
    List<AccessedRange> reads, List<AccessedRange> writes, List<AccessedRange> atomics) {
  /** The footprint of a launch that is not observed. */
  public static final Footprint NONE = new Footprint(List.of(), List.of(), List.of());

  /** Creates a footprint. */
  public Footprint {
    reads = List.copyOf(reads);
    writes = List.copyOf(writes);
    atomics = List.copyOf(atomics);
  }
}
