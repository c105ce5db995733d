package org.vramkit.ptx.memory;

import org.jspecify.annotations.Nullable;

/**
 * The global memory of a device, as a launch sees it. A launch asks once for each range that it
 * touches, and keeps the answers until it ends; mappings must not change meanwhile. Device
 * addresses are from 1 to 2<sup>56</sup> - 1; the launch uses higher ones for shared and local
 * memory.
 */
@FunctionalInterface
public interface Memory {
  /**
   * Returns the bytes at an address: a range that contains it, as long as possible but within one
   * allocation. Accesses beyond its end are looked up again; an access across two pieces of one
   * allocation is allowed if the pieces adjoin.
   *
   * @return null if no memory is allocated and accessible there: the access is out of bounds
   */
  @Nullable MemoryPiece find(long address);
}
