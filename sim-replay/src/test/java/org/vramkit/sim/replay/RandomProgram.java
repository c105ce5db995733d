package org.vramkit.sim.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A random program on several streams and buffers in which every access waits for the one before it
 * on the same buffer; and one fault, if wanted.
 */
final class RandomProgram {
  /** What goes wrong, once. */
  enum Fault {
    /** Nothing. */
    NONE,
    /** A wait between two streams is forgotten. */
    MISSING_WAIT,
    /** Memory is freed before the host has waited. */
    EARLY_FREE,
    /** A kernel runs on memory that was freed. */
    LATE_USE,
    /** A kernel goes beyond its buffer. */
    OVERRUN
  }

  private static final int STREAMS = 4;
  private static final int BUFFERS = 5;
  private static final long BYTES = 1 << 16;

  private final SplittableRandom random;
  private final Sketch sketch = new Sketch();
  private final List<Integer> streams = new ArrayList<>();
  private final List<Integer> buffers = new ArrayList<>();
  private final int[] lastStream = new int[BUFFERS];

  private RandomProgram(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** A program of some hundred steps. */
  static Program of(long seed, Fault fault) {
    RandomProgram program = new RandomProgram(seed);
    program.write(fault);
    return program.sketch.program(seed);
  }

  private void write(Fault fault) {
    for (int i = 0; i < STREAMS; i++) {
      streams.add(sketch.stream());
    }
    for (int i = 0; i < BUFFERS; i++) {
      int buffer = sketch.allocate(BYTES);
      buffers.add(buffer);
      // What the steps read was written.
      sketch.launch(streams.get(0), "fill", List.of(), List.of(new ByteRange(buffer, 0, BYTES)));
    }
    sketch.synchronizeDevice();
    int count = 40;
    int faulty = random.nextInt(10, 30);
    for (int i = 0; i < count; i++) {
      if (i == faulty) {
        fail(fault);
      } else {
        work();
      }
    }
    sketch.synchronizeDevice();
    buffers.forEach(sketch::free);
  }

  private void work() {
    int buffer = random.nextInt(BUFFERS);
    int stream = streams.get(random.nextInt(STREAMS));
    if (lastStream[buffer] != 0 && lastStream[buffer] != stream) {
      int event = sketch.event();
      sketch.record(event, lastStream[buffer]);
      sketch.waitFor(stream, event);
    }
    long offset = random.nextInt(16) * 1024L;
    long bytes = random.nextLong(4096, BYTES - offset);
    ByteRange range = new ByteRange(buffers.get(buffer), offset, bytes);
    sketch.launch(stream, "step", List.of(range), List.of(range));
    lastStream[buffer] = stream;
  }

  private int otherThan(int stream) {
    int other;
    do {
      other = streams.get(random.nextInt(STREAMS));
    } while (other == stream);
    return other;
  }

  private void fail(Fault fault) {
    int stream = streams.get(random.nextInt(STREAMS));
    switch (fault) {
      case NONE -> work();
      case MISSING_WAIT -> forget();
      case EARLY_FREE -> {
        int extra = sketch.allocate(BYTES);
        sketch.launch(stream, "last", List.of(), List.of(new ByteRange(extra, 0, BYTES)));
        sketch.free(extra);
      }
      case LATE_USE -> {
        int extra = sketch.allocate(BYTES);
        sketch.launch(stream, "first", List.of(), List.of(new ByteRange(extra, 0, BYTES)));
        sketch.synchronize(stream);
        sketch.query(StepKind.QUERY_STREAM, stream, true);
        sketch.free(extra);
        sketch.launch(stream, "late", List.of(), List.of(new ByteRange(extra, 512, 1024)));
      }
      case OVERRUN -> {
        int extra = sketch.allocate(BYTES);
        sketch.launch(stream, "wide", List.of(), List.of(new ByteRange(extra, 512, BYTES)));
        sketch.synchronize(stream);
        sketch.free(extra);
      }
    }
  }

  /** Two kernels on a buffer, one after the other on two streams that nothing orders. */
  private void forget() {
    int buffer = random.nextInt(BUFFERS);
    int first = streams.get(random.nextInt(STREAMS));
    ByteRange whole = new ByteRange(buffers.get(buffer), 0, BYTES);
    sketch.synchronizeDevice();
    sketch.launch(first, "producer", List.of(), List.of(whole));
    sketch.launch(otherThan(first), "consumer", List.of(whole), List.of());
    sketch.synchronizeDevice();
  }
}
