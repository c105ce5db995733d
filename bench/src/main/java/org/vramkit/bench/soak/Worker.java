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
 * One thread of the soak test. It allocates and fills blocks on its own stream, checks them and
 * frees them. It also copies blocks on its neighbour's stream, and closes each source, with a
 * recorded use, while the copy may still be queued.
 */
final class Worker implements Callable<Worker.Result> {
  private static final int SMALLEST_LOG2 = 9;
  private static final int LARGEST_LOG2 = 26;

  /**
   * The result of a worker.
   *
   * @param allocations number of allocations
   * @param handOvers number of blocks copied on another stream and closed during the copy
   * @param mismatches number of wrong bytes
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
  private final List<FilledBlock> live = new ArrayList<>();
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
        // Checks only some blocks, because a check waits for the stream, which should stay busy.
        FilledBlock filled = takeAny();
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
    add(FilledBlock.fill(allocator.allocate(bytes, own), own, nextValue()));
  }

  /** Copies a block on the neighbour's stream, closes the block and keeps the copy. */
  private void handOver(FilledBlock filled) {
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
    add(new FilledBlock(copy, neighbour, filled.value()));
  }

  private void add(FilledBlock filled) {
    live.add(filled);
    liveBytes += filled.block().getSize();
    allocations++;
  }

  private FilledBlock takeAny() {
    int index = random.nextInt(live.size());
    FilledBlock last = live.remove(live.size() - 1);
    FilledBlock taken = index == live.size() ? last : live.set(index, last);
    liveBytes -= taken.block().getSize();
    return taken;
  }

  private void checkAndClose(FilledBlock filled) {
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
