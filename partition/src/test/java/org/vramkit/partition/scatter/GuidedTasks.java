package org.vramkit.partition.scatter;

import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/** Tasks of guided scatters. */
final class GuidedTasks {
  private GuidedTasks() {}

  /** Launches a kernel that writes an int for each unit, on the tile's stream. */
  static void write(TileContext tile) {
    long bytes = tile.getTile().getUnits() * Integer.BYTES;
    long memory = tile.getDevice().getMemory().allocate(bytes);
    SimStream stream = (SimStream) tile.getStream();
    stream.launch(SimKernel.named("write").writes(memory, bytes).build());
    stream.synchronize();
    tile.getDevice().getMemory().free(memory);
  }

  /** Launches a kernel that accesses no memory. */
  static void launch(TileContext tile) {
    ((SimStream) tile.getStream()).launch(SimKernel.named("nothing").build());
  }
}
