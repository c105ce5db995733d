package org.vramkit.bench.trace;

import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Evicts the allocator's data from the CPU caches before a timed call by writing to other memory,
 * as a program that works between its allocations would. It also replays untimed events before each
 * timed one, so that all events of a recording are sampled in turn.
 */
@State(Scope.Thread)
public class Sweep {
  /**
   * Events per timed call. Must not divide the length of a recording, so that all of its events are
   * sampled.
   */
  private static final int EVENTS = 61;

  private static final int CACHE_LINE = 64;

  /** Memory to write, in MiB; 0 keeps the caches warm and shows the cost of timing a call. */
  @Param({"0", "4"})
  public int sweptMib;

  private byte[] memory;

  /** Allocates the memory. */
  @Setup(Level.Trial)
  public void open() {
    memory = new byte[sweptMib << 20];
  }

  /** Sweeps the caches before each timed call. */
  @Setup(Level.Invocation)
  public void sweep(TraceBenchmark benchmark) {
    benchmark.skip(EVENTS - 1);
    for (int i = 0; i < memory.length; i += CACHE_LINE) {
      memory[i]++;
    }
  }
}
