package org.vramkit.bench.trace;

import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Writes to other memory before a timed call, as a program does that works between its allocations:
 * the allocator's code and data are no longer in the processor's nearest caches. Each timed call is
 * preceded by calls that are not timed, so that all events of a recording are sampled in turn.
 */
@State(Scope.Thread)
public class Sweep {
  /** It divides the number of events of none of the recordings. */
  private static final int EVENTS = 61;

  private static final int CACHE_LINE = 64;

  /** Memory to write to, in MiB; 0 leaves the caches hot and shows what timing one call costs. */
  @Param({"0", "4"})
  public int sweptMib;

  private byte[] memory;

  /** Takes the memory. */
  @Setup(Level.Trial)
  public void open() {
    memory = new byte[sweptMib << 20];
  }

  /** Before each timed call. */
  @Setup(Level.Invocation)
  public void sweep(TraceBenchmark benchmark) {
    benchmark.skip(EVENTS - 1);
    for (int i = 0; i < memory.length; i += CACHE_LINE) {
      memory[i]++;
    }
  }
}
