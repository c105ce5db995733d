package org.vramkit.partition.scatter;

import org.vramkit.api.device.Stream;
import org.vramkit.partition.plan.Tile;

/**
 * A part of an array in the memory of a device.
 *
 * @param context the tile, its device, allocator and workspace
 * @param address of the part's first element on the device
 * @param bytes how long the part is
 */
public record ArrayPart(TileContext context, long address, long bytes) {
  /** Which elements these are. */
  public Tile getTile() {
    return context.getTile();
  }

  /** The stream on which the part comes and goes; all work on it belongs here. */
  public Stream getStream() {
    return context.getStream();
  }
}
