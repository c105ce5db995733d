package org.vramkit.pool.caching.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.pool.caching.AllocatorSnapshot;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CountingSource;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.PoolScope;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.PrivatePoolOptions;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.caching.program.MarkedBlocks.Marked;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.DriverCall;
import org.vramkit.sim.driver.FaultPlan;

/**
 * A short program of one seed that makes an allocator do all that calls the driver, and goes on
 * where a call fails: what it asked for it asks for once more, and then it must get it. Only calls
 * that the allocator makes are listed; the program's own are not to fail.
 */
final class FaultedProgram {
  private static final int STEPS = 24;
  private static final int MOST_POOLS = 2;
  private static final int LONGEST_KERNEL = 400_000;

  private final SplittableRandom random;
  private final FaultedMachine machine;
  private final SecondTries tries;
  private final MarkedBlocks blocks = new MarkedBlocks();
  private final List<PrivatePool> pools = new ArrayList<>();
  private final CachingAllocator allocator;
  private int refusals;
  private String doing = "make the allocator";

  FaultedProgram(long seed, VirtualMemoryUse use, FaultPlan faults) {
    this.random = new SplittableRandom(seed);
    this.machine = new FaultedMachine(seed, faults);
    this.tries = new SecondTries(machine);
    this.allocator = tries.insist(machine.allocator(seed, use, random)::build);
    tries.afterEachFailure(
        () -> {
          check();
          blocks.lookAtAll();
        });
  }

  /** All of it, to an end at which everything went back. */
  void run() {
    work();
    machine.device.synchronize();
    machine.driver.look();
    check();
    tries.insist(allocator::close);
    machine.end();
    machine.driver.look();
    assertEquals(0, machine.driver.getTaken(), "given back");
  }

  private void work() {
    handOver();
    fitTogether();
    for (int i = 0; i < STEPS; i++) {
      step(random.split());
    }
    doing = "close the blocks";
    while (!blocks.isEmpty()) {
      free(blocks.takeLast());
    }
  }

  /** The same until the device is lost; then it lets go of all it has. */
  void runAndLose() {
    assertThrows(FatalDeviceException.class, this::run);
    doing = "let go of what was lost, having tried to " + doing;
    checkSums();
    while (!blocks.isEmpty()) {
      tolerateLoss(blocks.takeLast().block()::close);
    }
    checkSums();
    tolerateLoss(allocator::close);
    allocator.close();
    machine.end();
  }

  /** The same until an error of the JVM breaks the allocator; then it is closed. */
  void runAndBreak() {
    OutOfMemoryError error = assertThrows(OutOfMemoryError.class, this::run);
    doing = "close what is broken, having tried to " + doing;
    // An error of the user's source breaks nothing; the close may have been in progress.
    boolean isOfSource =
        Arrays.stream(error.getStackTrace())
            .anyMatch(frame -> frame.getClassName().equals(CountingSource.class.getName()));
    try {
      allocator.allocate(1, machine.streams.get(0)).close();
      assertTrue(isOfSource, "a broken allocator goes on");
    } catch (IllegalStateException refused) {
      assertTrue(isOfSource ? refused instanceof ClosedException : refused.getCause() == error);
    }
    while (!blocks.isEmpty()) {
      blocks.takeLast().block().close();
    }
    pools.forEach(PrivatePool::close);
    allocator.close();
    machine.end();
    machine.driver.look();
    assertEquals(0, machine.driver.getTaken(), "given back");
  }

  private static void tolerateLoss(Runnable step) {
    try {
      step.run();
    } catch (FatalDeviceException lost) {
      // What a lost device says to everything, as it may.
    }
  }

  /** The calls that the allocator made. */
  List<DriverCall> getCalls() {
    return tries.getCalls();
  }

  /** How often something had to be asked for once more. */
  int getRetries() {
    return tries.getRetries();
  }

  /** How often an allocation was one of these although plenty of memory was free. */
  int getRefusals() {
    return refusals;
  }

  /** How many calls were made to fail. */
  long getFaults() {
    return machine.getFaults();
  }

  /** What it does at the moment. */
  @Override
  public String toString() {
    return doing;
  }

  private void step(SplittableRandom dice) {
    int choice = dice.nextInt(100);
    if (choice < 40) {
      allocate(dice);
    } else if (choice < 65) {
      doing = "close a block";
      if (!blocks.isEmpty()) {
        free(blocks.takeAny(dice));
      }
    } else if (choice < 77) {
      doing = "close a block that another stream reads";
      if (!blocks.isEmpty()) {
        Marked block = blocks.takeAny(dice);
        useElsewhere(block, anyStream(dice), dice.nextLong(LONGEST_KERNEL));
        useElsewhere(block, anyStream(dice), dice.nextLong(LONGEST_KERNEL));
        free(block);
      }
    } else if (choice < 82) {
      doing = "pass time";
      machine.backend.advance(dice.nextLong(LONGEST_KERNEL));
      tries.insist(() -> allocator.decay());
    } else if (choice < 88) {
      doing = "trim";
      long keep = dice.nextBoolean() ? 0 : dice.nextLong(machine.limit);
      tries.insist(() -> allocator.trim(keep));
    } else if (choice < 98) {
      changePools(dice);
    } else {
      allocator.resetPeaks();
      machine.driver.look();
      machine.driver.resetPeak();
    }
  }

  // ---- what it does ----

  /** More than half of the memory goes from a stream that is busy with it to another one. */
  private void handOver() {
    doing = "hand a block over";
    long bytes = machine.limit / 2 + 1;
    for (int i = 0; i < 2; i++) {
      Marked block = allocate(bytes, machine.streams.get(i), (byte) i);
      blocks.fill(block, LONGEST_KERNEL);
      blocks.take(block);
      free(block);
    }
  }

  /** A stream that stays busy wants one block of what it freed in two pieces. */
  private void fitTogether() {
    doing = "fit pieces together";
    SimStream stream = machine.streams.get(2);
    List<Marked> three = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Marked each = allocate(machine.piece, stream, (byte) (10 + i));
      blocks.fill(each, 10 * LONGEST_KERNEL);
      three.add(each);
    }
    for (Marked outer : List.of(three.get(0), three.get(2))) {
      blocks.take(outer);
      free(outer);
    }
    Marked whole = allocate(3 * machine.piece / 2, stream, (byte) 13);
    blocks.fill(whole, 0);
    for (Marked each : List.of(three.get(1), whole)) {
      blocks.take(each);
      free(each);
    }
  }

  private Marked allocate(long bytes, SimStream stream, byte value) {
    return blocks.hold(tries.insist(() -> allocator.allocate(bytes, stream)), stream, value);
  }

  private void allocate(SplittableRandom dice) {
    SimStream stream = anyStream(dice);
    long most =
        dice.nextInt(6) == 0 ? 2 * machine.limit : (long) machine.scale << (10 + dice.nextInt(14));
    long bytes = 1 + dice.nextLong(most);
    boolean scoped = dice.nextBoolean();
    PrivatePool pool =
        pools.isEmpty() || dice.nextBoolean() ? null : pools.get(dice.nextInt(pools.size()));
    doing = "allocate " + bytes + (pool == null ? "" : scoped ? " in a scope" : " from a pool");
    try {
      boolean plenty = hasPlenty(bytes);
      int retriesBefore = tries.getRetries();
      Allocation block = tries.insist(() -> allocate(pool, scoped, bytes, stream));
      refusals += plenty ? tries.getRetries() - retriesBefore : 0;
      blocks.fill(blocks.hold(block, stream, (byte) dice.nextInt()), dice.nextLong(LONGEST_KERNEL));
    } catch (DeviceOutOfMemoryException full) {
      assertFalse(
          hasPlenty(bytes),
          () ->
              "refused "
                  + bytes
                  + " with "
                  + blocks.getRequested()
                  + " in use: "
                  + full.getMessage());
    }
  }

  private Allocation allocate(
      @Nullable PrivatePool pool, boolean scoped, long bytes, SimStream stream) {
    if (pool == null) {
      return allocator.allocate(bytes, stream);
    }
    if (!scoped) {
      return pool.getAllocator().allocate(bytes, stream);
    }
    try (PoolScope scope = pool.use()) {
      assertFalse(Insides.isClosed(scope));
      return allocator.allocate(bytes, stream);
    }
  }

  private boolean hasPlenty(long bytes) {
    return blocks.getRequested() + inPools() + bytes <= machine.plenty;
  }

  /** What private pools have that others cannot use. */
  private long inPools() {
    return allocator.getSnapshot().segments().stream()
        .filter(segment -> segment.pool() > 0)
        .mapToLong(AllocatorSnapshot.SegmentView::size)
        .sum();
  }

  private void useElsewhere(Marked block, SimStream user, long nanos) {
    try (SimEvent filled = machine.device.createEvent()) {
      filled.record(block.stream());
      user.waitFor(filled);
    }
    blocks.look(block, user, nanos);
    block.block().recordUse(user);
  }

  private void free(Marked block) {
    blocks.look(block, block.stream(), 0);
    tries.once(block.block()::close);
    assertTrue(block.block().isClosed());
  }

  private void changePools(SplittableRandom dice) {
    if (pools.size() < MOST_POOLS && dice.nextBoolean()) {
      doing = "make a pool";
      PrivatePoolOptions options = PrivatePoolOptions.DEFAULT;
      boolean sourced = dice.nextBoolean();
      pools.add(
          tries.insist(
              () ->
                  allocator.createPool(
                      sourced ? options.withSource(new CountingSource(machine.device)) : options)));
    } else if (!pools.isEmpty()) {
      doing = "close a pool";
      PrivatePool pool = pools.remove(dice.nextInt(pools.size()));
      if (dice.nextBoolean()) {
        PoolScope scope = pool.use();
        pool.close();
        tries.insist(scope::close);
      } else {
        tries.insist(pool::close);
      }
    }
  }

  private SimStream anyStream(SplittableRandom dice) {
    return machine.streams.get(dice.nextInt(machine.streams.size()));
  }

  /** The books add up, and are the driver's. */
  private void check() {
    SnapshotChecks.assertAgrees(allocator);
    checkSums();
    AllocatorStatistics now = allocator.getStatistics();
    assertEquals(
        machine.driver.getTaken(), now.reserved().current(), "reserved, as the driver sees it");
    assertEquals(machine.driver.getPeak(), now.reserved().peak(), "its peak, as the driver saw it");
    blocks.assertContents();
  }

  private void checkSums() {
    SnapshotChecks.assertSums(allocator.getStatistics(), blocks.getRequested(), blocks.getCount());
  }
}
