package org.vramkit.bench.trace;

import org.vramkit.bench.Programs;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.Traces;

/**
 * A recorded program in arrays: its allocations and frees, and after them the frees of what it left
 * live, so that a pass over it can be followed by another.
 */
final class Recording {
  /** The number of a block that is allocated, or the complement of one that is freed. */
  final int[] events;

  /** When, in nanoseconds since the pass began. */
  final long[] nanos;

  /** By block: bytes. */
  final long[] sizes;

  /** By block: number of its stream; 0 is the default stream. */
  final int[] streams;

  final int streamCount;

  private Recording(Trace trace) {
    int blocks = trace.getAllocationCount();
    int recorded = trace.getEventCount();
    sizes = new long[blocks];
    streams = new int[blocks];
    for (int block = 0; block < blocks; block++) {
      sizes[block] = trace.getSize(block);
      streams[block] = trace.getStream(block);
    }
    streamCount = trace.getStreamCount();
    events = new int[2 * blocks];
    nanos = new long[2 * blocks];
    boolean[] live = new boolean[blocks];
    for (int event = 0; event < recorded; event++) {
      int block = trace.getAllocation(event);
      live[block] = trace.isAllocation(event);
      events[event] = live[block] ? block : ~block;
      nanos[event] = trace.getNanos(event);
    }
    int next = recorded;
    for (int block = 0; block < blocks; block++) {
      if (live[block]) {
        events[next] = ~block;
        nanos[next] = nanos[recorded - 1];
        next++;
      }
    }
    if (next != events.length) {
      throw new IllegalArgumentException(
          trace.getName() + " frees " + (next - blocks) + " blocks of " + blocks);
    }
  }

  /**
   * Reads one of the recorded programs.
   *
   * @param name its file's name without {@code .csv.gz}
   */
  static Recording read(String name) {
    return new Recording(Traces.read(Programs.get(name)));
  }
}
