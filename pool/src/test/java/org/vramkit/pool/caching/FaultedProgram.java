package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.DriverCall;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.schedule.Schedule;

/**
 * A short program of one seed that makes an allocator do all that calls the driver, and goes on
 * where a call fails: what it asked for it asks for once more, and then it must get it. Only calls
 * that the allocator makes are listed; the program's own are not to fail.
 */
final class FaultedProgram {
  private static final int STEPS = 24;
  private static final int MOST_POOLS = 2;
  private static final int LONGEST_KERNEL = 400_000;

  /** Of those on which streams stay busy, so that there is something to wait for. */
  private static final List<Schedule> SCHEDULES =
      List.of(Schedule.timed(), Schedule.lazy(), Schedule.random(), Schedule.starving());

  private record Held(Allocation block, SimStream stream, byte value) {
    /** The byte that is compared: the first or the last, where blocks meet others. */
    long marked() {
      return block.getAddress() + (value % 2 == 0 ? 0 : block.getSize() - 1);
    }
  }

  /** Of every second seed blocks are large enough for extents of several pages. */
  private final int scale;

  private final long memory;

  /** So little that it runs out of memory, by the allocator's own books: the driver has more. */
  private final long limit;

  private final long piece;

  /** Below this it must get what it wants, wherever free memory may lie. */
  private final long plenty;

  private final SplittableRandom random;
  private final SimBackend backend;
  private final SimDevice device;
  private final DriverView driver;
  private final List<DriverCall> calls = new ArrayList<>();
  private final List<SimStream> streams = new ArrayList<>();
  private final List<PrivatePool> pools = new ArrayList<>();
  private final List<Held> held = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private final CachingAllocator allocator;
  private long requested;
  private int retries;
  private int refusals;
  private String doing = "make the allocator";

  FaultedProgram(long seed, VirtualMemoryUse use, FaultPlan faults) {
    this.scale = seed % 2 == 0 ? 4 : 1;
    this.memory = 128 * Sandbox.MIB * scale;
    this.limit = memory / 4;
    this.piece = memory / 32;
    this.plenty = limit / 4;
    this.random = new SplittableRandom(seed);
    this.backend =
        SimBackend.builder()
            .device(
                DeviceProfile.builder("small")
                    .from(DeviceProfile.SMALL_8GIB)
                    .memory(memory)
                    .build())
            .seed(seed)
            .schedule(SCHEDULES.get((int) (seed % SCHEDULES.size())))
            .faults(faults)
            .build();
    this.device = backend.getDevice(0);
    this.driver = new DriverView(backend.getDriverCalls());
    for (int i = 0; i < 3; i++) {
      streams.add(device.createStream());
    }
    List<StealPolicy> policies = List.of(StealPolicy.values());
    CachingAllocatorBuilder builder =
        CachingAllocator.builder(device)
            .virtualMemory(use)
            .threadCache(random.nextBoolean() ? 0 : Sandbox.MIB)
            .streamCache(random.nextBoolean() ? 0 : 4 * Sandbox.MIB)
            .steal(policies.get((int) (seed % policies.size())))
            .growthPatience(seed % 2 == 0 ? 16 : 0)
            .decay(seed % 2 == 0 ? Duration.ofMillis(1) : Duration.ZERO)
            .clock(backend::getTimeNanos)
            .limit(limit);
    if (use == VirtualMemoryUse.ON) {
      builder.extentShare(scale > 1 ? 1 : 0);
    }
    this.allocator = build(builder);
  }

  private CachingAllocator build(CachingAllocatorBuilder builder) {
    try {
      return listed(builder::build);
    } catch (FatalDeviceException lost) {
      throw lost;
    } catch (GpuException | OutOfMemoryError e) {
      if (getFaults() == 0) {
        throw e;
      }
      retries++;
      return build(builder);
    }
  }

  /** All of it, to an end at which everything went back. */
  void run() {
    work();
    device.synchronize();
    driver.look();
    check();
    insist(allocator::close);
    streams.forEach(SimStream::close);
    driver.look();
    assertEquals(0, driver.getTaken(), "given back");
    assertEquals(List.of(), backend.getHazards(), "hazards");
    assertEquals(List.of(), backend.getLeaks(), "leaks");
  }

  private void work() {
    handOver();
    fitTogether();
    for (int i = 0; i < STEPS; i++) {
      step(random.split());
    }
    doing = "close the blocks";
    while (!held.isEmpty()) {
      free(held.remove(held.size() - 1));
    }
  }

  /** The same until the device is lost; then it lets go of all it has. */
  void runAndLose() {
    assertThrows(FatalDeviceException.class, this::run);
    doing = "let go of what was lost, having tried to " + doing;
    checkSums();
    while (!held.isEmpty()) {
      Allocation block = held.remove(held.size() - 1).block;
      requested -= block.getSize();
      tolerateLoss(block::close);
    }
    checkSums();
    tolerateLoss(allocator::close);
    allocator.close();
    streams.forEach(SimStream::close);
    assertEquals(List.of(), backend.getHazards(), "hazards");
    assertEquals(List.of(), backend.getLeaks(), "leaks");
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
    return calls;
  }

  /** How often something had to be asked for once more. */
  int getRetries() {
    return retries;
  }

  /** How often an allocation was one of these although plenty of memory was free. */
  int getRefusals() {
    return refusals;
  }

  /** How many calls were made to fail. */
  long getFaults() {
    return backend.getFaults().getInjected();
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
      if (!held.isEmpty()) {
        Held block = held.remove(dice.nextInt(held.size()));
        free(block);
      }
    } else if (choice < 77) {
      doing = "close a block that another stream reads";
      if (!held.isEmpty()) {
        Held block = held.remove(dice.nextInt(held.size()));
        useElsewhere(block, anyStream(dice), dice.nextLong(LONGEST_KERNEL));
        useElsewhere(block, anyStream(dice), dice.nextLong(LONGEST_KERNEL));
        free(block);
      }
    } else if (choice < 82) {
      doing = "pass time";
      backend.advance(dice.nextLong(LONGEST_KERNEL));
      insist(() -> allocator.decay());
    } else if (choice < 88) {
      doing = "trim";
      long keep = dice.nextBoolean() ? 0 : dice.nextLong(limit);
      insist(() -> allocator.trim(keep));
    } else if (choice < 98) {
      changePools(dice);
    } else {
      allocator.resetPeaks();
      driver.look();
      driver.resetPeak();
    }
  }

  // ---- what it does ----

  /** More than half of the memory goes from a stream that is busy with it to another one. */
  private void handOver() {
    doing = "hand a block over";
    long bytes = limit / 2 + 1;
    for (int i = 0; i < 2; i++) {
      SimStream stream = streams.get(i);
      Held block = hold(insist(() -> allocator.allocate(bytes, stream)), stream, (byte) i);
      fill(block, LONGEST_KERNEL);
      held.remove(block);
      free(block);
    }
  }

  /** A stream that stays busy wants one block of what it freed in two pieces. */
  private void fitTogether() {
    doing = "fit pieces together";
    SimStream stream = streams.get(2);
    List<Held> three = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Held each = hold(insist(() -> allocator.allocate(piece, stream)), stream, (byte) (10 + i));
      fill(each, 10 * LONGEST_KERNEL);
      three.add(each);
    }
    for (Held outer : List.of(three.get(0), three.get(2))) {
      held.remove(outer);
      free(outer);
    }
    Held whole = hold(insist(() -> allocator.allocate(3 * piece / 2, stream)), stream, (byte) 13);
    fill(whole, 0);
    for (Held each : List.of(three.get(1), whole)) {
      held.remove(each);
      free(each);
    }
  }

  private Held hold(Allocation block, SimStream stream, byte value) {
    Held fresh = new Held(block, stream, value);
    held.add(fresh);
    requested += block.getSize();
    return fresh;
  }

  private void allocate(SplittableRandom dice) {
    SimStream stream = anyStream(dice);
    long most = dice.nextInt(6) == 0 ? 2 * limit : (long) scale << (10 + dice.nextInt(14));
    long bytes = 1 + dice.nextLong(most);
    boolean scoped = dice.nextBoolean();
    PrivatePool pool =
        pools.isEmpty() || dice.nextBoolean() ? null : pools.get(dice.nextInt(pools.size()));
    doing = "allocate " + bytes + (pool == null ? "" : scoped ? " in a scope" : " from a pool");
    try {
      boolean plenty = hasPlenty(bytes);
      int retriesBefore = retries;
      Allocation block = insist(() -> allocate(pool, scoped, bytes, stream));
      refusals += plenty ? retries - retriesBefore : 0;
      fill(hold(block, stream, (byte) dice.nextInt()), dice.nextLong(LONGEST_KERNEL));
    } catch (DeviceOutOfMemoryException full) {
      assertFalse(
          hasPlenty(bytes),
          () -> "refused " + bytes + " with " + requested + " in use: " + full.getMessage());
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
      assertFalse(scope.isClosed());
      return allocator.allocate(bytes, stream);
    }
  }

  private boolean hasPlenty(long bytes) {
    return requested + inPools() + bytes <= plenty;
  }

  /** What private pools have that others cannot use. */
  private long inPools() {
    return allocator.getSnapshot().segments().stream()
        .filter(segment -> segment.pool() > 0)
        .mapToLong(AllocatorSnapshot.SegmentView::size)
        .sum();
  }

  private void useElsewhere(Held block, SimStream user, long nanos) {
    try (SimEvent filled = device.createEvent()) {
      filled.record(block.stream);
      user.waitFor(filled);
    }
    look(block, user, nanos);
    block.block.recordUse(user);
  }

  private void free(Held block) {
    requested -= block.block.getSize();
    look(block, block.stream, 0);
    // A close has no second try: what it cannot do yet it does later.
    long before = getFaults();
    try {
      listed(
          () -> {
            block.block.close();
            return block;
          });
    } catch (OutOfMemoryError e) {
      if (getFaults() == before) {
        throw e;
      }
    }
    assertTrue(block.block.isClosed());
  }

  private void changePools(SplittableRandom dice) {
    if (pools.size() < MOST_POOLS && dice.nextBoolean()) {
      doing = "make a pool";
      PrivatePoolOptions options = PrivatePoolOptions.DEFAULT.withLending(dice.nextBoolean());
      boolean sourced = dice.nextBoolean();
      pools.add(
          insist(
              () ->
                  allocator.createPool(
                      sourced ? options.withSource(new CountingSource(device)) : options)));
    } else if (!pools.isEmpty()) {
      doing = "close a pool";
      PrivatePool pool = pools.remove(dice.nextInt(pools.size()));
      if (dice.nextBoolean()) {
        PoolScope scope = pool.use();
        pool.close();
        insist(scope::close);
      } else {
        insist(pool::close);
      }
    }
  }

  private SimStream anyStream(SplittableRandom dice) {
    return streams.get(dice.nextInt(streams.size()));
  }

  // ---- contents, written and looked at in stream order, without a wait ----

  private void fill(Held held, long nanos) {
    long at = held.marked();
    held.stream.launch(
        SimKernel.named("fill")
            .writes(held.block.getAddress(), held.block.getSize())
            .taking(nanos)
            .body(bytes -> bytes.fill(at, held.value, 1))
            .build());
  }

  private void look(Held held, SimStream on, long nanos) {
    long at = held.marked();
    on.launch(
        SimKernel.named("look")
            .reads(held.block.getAddress(), held.block.getSize())
            .taking(nanos)
            .body(bytes -> compare(at, held.value, bytes.read(at, 1)[0]))
            .build());
  }

  private void compare(long at, byte value, byte found) {
    if (found != value) {
      wrong.add("0x" + Long.toHexString(at) + " holds " + found + " instead of " + value);
    }
  }

  // ---- what may fail ----

  private void insist(Runnable step) {
    insist(
        () -> {
          step.run();
          return step;
        });
  }

  /** Does something that calls the driver; where a call was made to fail, once more. */
  private <T> T insist(Supplier<T> step) {
    long before = getFaults();
    try {
      return listed(step);
    } catch (FatalDeviceException lost) {
      throw lost;
    } catch (GpuException | OutOfMemoryError e) {
      if (getFaults() == before) {
        throw e;
      }
      driver.look();
      check();
      held.forEach(each -> look(each, each.stream, 0));
      T done = insist(step);
      retries++;
      return done;
    }
  }

  private <T> T listed(Supplier<T> step) {
    driver.look();
    try {
      return step.get();
    } finally {
      calls.addAll(driver.look());
    }
  }

  /** The books add up, and are the driver's. */
  private void check() {
    SnapshotChecks.assertAgrees(allocator);
    checkSums();
    AllocatorStatistics now = allocator.getStatistics();
    assertEquals(driver.getTaken(), now.reserved().current(), "reserved, as the driver sees it");
    assertEquals(driver.getPeak(), now.reserved().peak(), "its peak, as the driver saw it");
    assertEquals(List.of(), wrong, "blocks with foreign contents");
  }

  private void checkSums() {
    SnapshotChecks.assertSums(allocator.getStatistics(), requested, held.size());
  }
}
