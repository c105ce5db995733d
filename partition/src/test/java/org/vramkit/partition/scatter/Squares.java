package org.vramkit.partition.scatter;

import java.nio.ByteBuffer;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/** Computes squares of units, by kernels and on the CPU. */
final class Squares {
  private Squares() {}

  static final int UNITS = 1000;

  /** Returns a task that computes squares by a kernel on the tile's stream. */
  static TileTask squares(int[] result) {
    return tile -> {
      Tile units = tile.getTile();
      int bytes = Math.toIntExact(units.getUnits() * Integer.BYTES);
      SimStream stream = (SimStream) tile.getStream();
      long memory = tile.getDevice().getMemory().allocate(bytes);
      try {
        ByteBuffer values = ByteBuffer.allocate(bytes);
        for (long i = units.from(); i < units.to(); i++) {
          values.putInt((int) (i * i));
        }
        stream.launch(
            SimKernel.named("square")
                .writes(memory, bytes)
                .body(device -> device.write(memory, values.array()))
                .build());
        ByteBuffer back = ByteBuffer.allocate(bytes);
        stream.copyToHost(back, memory);
        for (long i = units.from(); i < units.to(); i++) {
          result[(int) i] = back.getInt();
        }
      } finally {
        stream.synchronize();
        tile.getDevice().getMemory().free(memory);
      }
    };
  }

  static CpuTask squaresOnCpu(int[] result) {
    return (from, to) -> {
      for (long i = from; i < to; i++) {
        result[(int) i] = (int) (i * i);
      }
    };
  }

  static int[] expected() {
    int[] squares = new int[UNITS];
    for (int i = 0; i < UNITS; i++) {
      squares[i] = i * i;
    }
    return squares;
  }
}
