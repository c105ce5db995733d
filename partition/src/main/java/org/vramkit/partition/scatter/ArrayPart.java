package org.vramkit.partition.scatter;

import org.vramkit.api.device.Stream;
import org.vramkit.partition.plan.Tile;

/**
 * A part of an array in device memory.
 *
 * @param context the tile of the part, with its device, allocator and workspace
 * @param address device address of the part's first element
 * @param bytes size of the part
 */
public record ArrayPart(TileContext context, long address, long bytes) {
  /** Returns the range of elements. */
  public Tile getTile() {
    return context.getTile();
  }

  /**
   * Returns the stream that copies the part to and from the device. Submit all work on the part to
   * it.
   */
  public Stream getStream() {
    return context.getStream();
  }
}
