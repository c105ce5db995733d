package org.vramkit.bench.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;

/**
 * One thread of the soak. It allocates on its own stream and fills; it checks and frees; and it
 * copies a block on its neighbour's stream, records that use and closes the block at once, while
 * the copy may still be queued.
 */
final class Worker implements Callable<Worker.Result> {
  private static final int SMALLEST_LOG2 = 9;
  private static final int LARGEST_LOG2 = 26;

  /**
   * The results of a worker.
   *
   * @param allocations blocks that it took
   * @param handOvers blocks that were copied on another stream and closed meanwhile
   * @param mismatches bytes that were wrong
   */
  record Result(long allocations, long handOvers, long mismatches) {

    Result plus(Result other) {
      return new Result(
          allocations + other.allocations,
          handOvers + other.handOvers,
          mismatches + other.mismatches);
    }
  }

  private final Allocator allocator;
  private final Stream own;
  private final Stream neighbour;
  private final SplittableRandom random;
  private final long mostLive;
  private final long endNanos;
  private final List<Filled> live = new ArrayList<>();
  private long liveBytes;
  private long allocations;
  private long handOvers;
  private long mismatches;

  Worker(
      Allocator allocator,
      Stream own,
      Stream neighbour,
      SplittableRandom random,
      long mostLive,
      long endNanos) {
    this.allocator = allocator;
    this.own = own;
    this.neighbour = neighbour;
    this.random = random;
    this.mostLive = mostLive;
    this.endNanos = endNanos;
  }

  @Override
  public Result call() {
    while (System.nanoTime() - endNanos < 0) {
      step();
    }
    while (!live.isEmpty()) {
      checkAndClose(takeAny());
    }
    return new Result(allocations, handOvers, mismatches);
  }

  private void step() {
    int action = random.nextInt(16);
    if (action < 7) {
      allocate();
    } else if (!live.isEmpty()) {
      if (action < 9) {
        handOver(takeAny());
      } else {
        // One in a few is looked at: a check waits for the stream, and streams shall stay busy.
        Filled filled = takeAny();
        if (action < 11) {
          checkAndClose(filled);
        } else {
          filled.block().close();
        }
      }
    }
  }

  private void allocate() {
    long base = 1L << random.nextInt(SMALLEST_LOG2, LARGEST_LOG2);
    long bytes = base + random.nextLong(base);
    if (liveBytes + bytes > mostLive) {
      return;
    }
    add(Filled.fill(allocator.allocate(bytes, own), own, nextValue()));
  }

  /** The neighbour's stream copies the block once it is filled; the copy is then looked after. */
  private void handOver(Filled filled) {
    Allocation source = filled.block();
    long bytes = source.getSize();
    Allocation copy = allocator.allocate(bytes, neighbour);
    try (Event filledMark = own.getDevice().createEvent()) {
      filledMark.record(own);
      neighbour.waitFor(filledMark);
    }
    neighbour.copy(copy.getAddress(), source.getAddress(), bytes);
    source.recordUse(neighbour);
    source.close();
    handOvers++;
    add(new Filled(copy, neighbour, filled.value()));
  }

  private void add(Filled filled) {
    live.add(filled);
    liveBytes += filled.block().getSize();
    allocations++;
  }

  private Filled takeAny() {
    int index = random.nextInt(live.size());
    Filled last = live.remove(live.size() - 1);
    Filled taken = index == live.size() ? last : live.set(index, last);
    liveBytes -= taken.block().getSize();
    return taken;
  }

  private void checkAndClose(Filled filled) {
    mismatches += filled.countMismatches();
    filled.block().close();
  }

  private byte nextValue() {
    return (byte) random.nextInt(1, 256);
  }

  @Override
  public String toString() {
    return "worker with " + live.size() + " blocks of " + ByteSize.format(liveBytes);
  }
}
