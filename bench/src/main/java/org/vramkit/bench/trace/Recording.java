package org.vramkit.bench.trace;

import org.vramkit.bench.Programs;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.Traces;

/**
 * A recorded program as arrays. Frees of the blocks that the program left live are appended, so
 * that passes can follow each other.
 */
final class Recording {
  /** By event: the number of the allocated block, or its complement {@code ~number} for a free. */
  final int[] events;

  /** By event: nanoseconds since the pass began. */
  final long[] nanos;

  /** By block: size in bytes. */
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
   * @param name file name without {@code .csv.gz}
   */
  static Recording read(String name) {
    return new Recording(Traces.read(Programs.get(name)));
  }
}
