package org.vramkit.tools.trace;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Details of a trace that a replay does not need: address and origin of each allocation, and other
 * events. They take 20 bytes per allocation; strings and stacks are stored once. Immutable once the
 * trace is read.
 */
public final class TraceDetails {
  private final Origins origins;
  private long[] addresses = new long[1024];
  private int[] tags = new int[1024];
  private int[] stacks = new int[1024];
  private int[] threads = new int[1024];
  private final SampledMarks marks = new SampledMarks();
  private Origin origin = Origin.UNKNOWN;
  private final ReservedBytes reserved = new ReservedBytes();
  private long reservedBefore;

  TraceDetails(Origins origins) {
    this.origins = origins;
  }

  /** Sets the origin of the following events. */
  void origin(Origin next) {
    origin = next;
  }

  void allocation(int number, long address) {
    if (number >= addresses.length) {
      int length = Math.max(number + 1, addresses.length + (addresses.length >> 1));
      addresses = Arrays.copyOf(addresses, length);
      tags = Arrays.copyOf(tags, length);
      stacks = Arrays.copyOf(stacks, length);
      threads = Arrays.copyOf(threads, length);
    }
    addresses[number] = address;
    tags[number] = origin.tag();
    stacks[number] = origin.stack();
    threads[number] = origin.thread();
  }

  void mark(Mark.Kind kind, int event, long nanos, long address, long size, int stream) {
    switch (kind) {
      case GROW, MOVE -> reserved.add(event, size);
      case SHRINK -> reserved.add(event, -size);
      case TRIM, OUT_OF_MEMORY, WAIT -> {}
    }
    marks.add(new Mark(kind, event, nanos, address, size, stream, origin));
  }

  /** Reports dropped details as repairs. */
  void count(TraceBuilder builder) {
    origins.count(builder);
    builder.repair(Repair.SAMPLED_MARKS, marks.getDropped());
  }

  /** Derives the bytes reserved before the recording from those at its end. */
  void endsWith(long bytes) {
    reservedBefore = Math.max(0, bytes - reserved.getNow());
    reserved.startWith(reservedBefore);
  }

  /** Returns the address of an allocation. */
  public long getAddress(int allocation) {
    return addresses[allocation];
  }

  /** Returns the origin of an allocation. */
  public Origin getOrigin(int allocation) {
    return new Origin(tags[allocation], stacks[allocation], threads[allocation]);
  }

  /** Returns tags by number. */
  public List<String> getTags() {
    return origins.tags.texts();
  }

  /** Returns names of threads by number. */
  public List<String> getThreads() {
    return origins.threads.texts();
  }

  /** Returns stack frames by number. */
  public List<String> getFrames() {
    return origins.stacks.frames();
  }

  /** Returns stacks by number, as numbers of frames, outermost first. */
  public List<int[]> getStacks() {
    return Collections.unmodifiableList(origins.stacks.stacks());
  }

  /**
   * Returns the events other than allocations and frees, in order; sampled if there are too many.
   */
  public List<Mark> getMarks() {
    return marks.all();
  }

  /** Returns the bytes that the allocator had reserved when the recording began. */
  public long getReservedBefore() {
    return reservedBefore;
  }

  /** Returns the allocator's reserved bytes over the recording. */
  public ReservedBytes getReserved() {
    return reserved;
  }

  /** Returns whether {@link #getMarks} is complete. */
  public boolean hasAllMarks() {
    return marks.getDropped() == 0;
  }
}
