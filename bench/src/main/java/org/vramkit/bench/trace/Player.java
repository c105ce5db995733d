package org.vramkit.bench.trace;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;

/**
 * Replays a recording through a caching allocator, one event at a time in simulated time, like
 * {@code vramkit replay}. Each block keeps its stream busy for the time of one write of its memory.
 */
final class Player {
  private final Recording recording;
  private final String virtualMemory;
  private final String pace;
  private final ClockDevice device = new ClockBackend().device();
  private final ClockStream[] streams;
  private final Allocation[] handles;
  private final long[] workNanos;
  private CachingAllocator allocator;
  private int next;
  private long begin;

  /**
   * Creates a player at the start of the first pass.
   *
   * @param virtualMemory the allocator's option {@code virtual-memory}
   * @param pace {@code recorded}, with simulated time as the allocator's clock, or {@code full}
   */
  Player(Recording recording, String virtualMemory, String pace) {
    this.recording = recording;
    this.virtualMemory = virtualMemory;
    this.pace = pace;
    streams = new ClockStream[recording.streamCount];
    for (int i = 0; i < streams.length; i++) {
      streams[i] = i == 0 ? device.getDefaultStream() : device.createStream();
    }
    int blocks = recording.sizes.length;
    handles = new Allocation[blocks];
    workNanos = new long[blocks];
    for (int block = 0; block < blocks; block++) {
      workNanos[block] = ClockDevice.nanosToWrite(recording.sizes[block]);
    }
    allocator = createAllocator();
  }

  private CachingAllocator createAllocator() {
    CachingAllocatorBuilder builder =
        CachingAllocator.builder(device).set("virtual-memory", virtualMemory);
    if (pace.equals("recorded")) {
      builder.clock(device.clock()::now);
    }
    return builder.build();
  }

  /** Returns whether the next event is the first of a pass. */
  boolean isAtStart() {
    return next == 0;
  }

  /** Replays the next event. */
  void step() {
    int event = recording.events[next];
    device.clock().advanceTo(begin + recording.nanos[next]);
    if (event >= 0) {
      ClockStream stream = streams[recording.streams[event]];
      handles[event] = allocator.allocate(recording.sizes[event], stream);
      stream.work(workNanos[event]);
    } else {
      handles[~event].close();
    }
    if (++next == recording.events.length) {
      next = 0;
      begin = device.clock().now();
    }
  }

  /** Replaces the allocator by a new one; only valid between passes. */
  void renewAllocator() {
    allocator.close();
    allocator = createAllocator();
  }

  /** Finishes the pass and closes the allocator, which fails if a block is live. */
  void close() {
    while (!isAtStart()) {
      step();
    }
    allocator.close();
  }
}
