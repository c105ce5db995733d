package org.vramkit.pool.caching.outofmemory;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.AdviceText;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.PoolScope;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.PrivatePoolOptions;
import org.vramkit.pool.caching.SlabSource;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.schedule.Schedule;

/**
 * A random program that allocates until it is refused, and then follows one alternative of the
 * advice to the letter: the same seed meets the same refusal again.
 */
final class AdvisedProgram implements AutoCloseable {
  private static final int MOST_STEPS = 80;
  private static final List<Integer> MOST_MIB = List.of(1, 4, 20, 60);
  private static final DeviceProfile TINY = DeviceProfile.builder("tiny").memory(120 * MIB).build();

  private static final List<Schedule> SCHEDULES = Schedule.all();

  private final long seed;
  private final Random random;
  private final SimBackend backend;
  private final SimDevice device;
  private final CachingAllocator allocator;
  private final List<SimStream> streams = new ArrayList<>();
  private final ForeignMemory foreign;
  private final Map<Integer, SlabSource> sources = new LinkedHashMap<>();
  private final Map<Integer, PrivatePool> pools = new LinkedHashMap<>();
  private final Map<Integer, PrivatePool> allPools = new LinkedHashMap<>();
  private final List<PoolScope> scopes = new ArrayList<>();

  /** Opens scopes and captures, which lead only its own allocations elsewhere. */
  private final ExecutorService other = Executors.newSingleThreadExecutor();

  private final HeldAllocations held = new HeldAllocations();
  private final PoolCaptures captures;
  private @Nullable Request refused;
  private @Nullable AllocatorOutOfMemoryException refusal;

  /** Runs up to the refusal, or to the end; the seed also chooses the memory and the schedule. */
  AdvisedProgram(long seed) {
    this.seed = seed;
    this.random = new Random(seed);
    boolean isAlone = seed % 8 == 3 || seed % 8 == 4;
    this.backend =
        SimBackend.builder()
            .device(isAlone ? TINY : DeviceProfile.SMALL_8GIB)
            .schedule(SCHEDULES.get((int) (seed / 2 % SCHEDULES.size())))
            .seed(seed)
            .bytes(false)
            .checker(CheckerOptions.OFF)
            .build();
    this.device = backend.getDevice(0);
    this.foreign = new ForeignMemory(device);
    this.captures = new PoolCaptures(device, other);
    int limit = random.nextInt(4);
    CachingAllocatorBuilder builder =
        CachingAllocator.builder(device)
            .virtualMemory(seed % 2 == 0 ? VirtualMemoryUse.ON : VirtualMemoryUse.OFF)
            .clock(backend::getTimeNanos);
    if (limit > 0) {
      builder.limit(odd(limit == 1 ? 60 : 300));
    }
    allocator = builder.build();
    for (int i = 0; i < 3; i++) {
      streams.add(device.createStream());
    }
    if ((limit == 0 || random.nextInt(3) == 0) && !isAlone) {
      foreign.takeAllBut(odd(150));
    }
    for (int i = 0; i < MOST_STEPS && refusal == null; i++) {
      step();
    }
  }

  private long odd(int mostMib) {
    long bytes = 1 + (long) (random.nextDouble() * mostMib * MIB);
    return random.nextBoolean() ? ByteSize.roundUp(bytes, 2 * MIB) : bytes;
  }

  private SimStream anyStream() {
    return streams.get(random.nextInt(streams.size()));
  }

  private void step() {
    int choice = random.nextInt(22);
    if (choice < 12) {
      allocate();
    } else if (choice < 16 && !held.isEmpty()) {
      closeOne();
    } else if (choice == 16) {
      stepOfPools();
    } else if (choice == 17 && allocator.getLimit() != Long.MAX_VALUE) {
      allocator.setLimit(Math.max(0, allocator.getLimit() + odd(20) - 12 * MIB));
    } else if (choice < 20) {
      stepOfCaptures();
    } else if (!captures.isAny()) {
      device.synchronize();
    }
  }

  /** Begins a capture, ends it, closes its graph or a stream beside it. */
  private void stepOfCaptures() {
    if (!captures.isAny()) {
      if (captures.withGraphs().isEmpty() || random.nextBoolean()) {
        beginCapture();
      } else {
        captures.closeGraphs(anyOf(captures.withGraphs()));
      }
    } else if (random.nextInt(3) == 0) {
      captures.end();
    } else {
      streams.remove(random.nextInt(streams.size())).close();
      streams.add(device.createStream());
    }
  }

  private void beginCapture() {
    if (pools.isEmpty()) {
      addPool(PrivatePoolOptions.DEFAULT);
    }
    int number = anyOf(pools.keySet());
    captures.begin(number, requireNonNull(pools.get(number)));
  }

  private int anyOf(Set<Integer> numbers) {
    return new ArrayList<>(numbers).get(random.nextInt(numbers.size()));
  }

  private void addPool(PrivatePoolOptions options) {
    PrivatePool pool = allocator.createPool(options);
    pools.put((int) pool.getId(), pool);
    allPools.put((int) pool.getId(), pool);
    if (options.source() instanceof SlabSource slab) {
      sources.put((int) pool.getId(), slab);
    }
  }

  private void stepOfPools() {
    if (pools.size() < 3 && random.nextBoolean()) {
      PrivatePoolOptions options = PrivatePoolOptions.DEFAULT;
      if (random.nextBoolean()) {
        options = options.withLimit(odd(60));
      }
      if (random.nextInt(3) == 0) {
        long base = (1L << 46) + sources.size() * (1L << 40);
        options = options.withSource(new SlabSource(base, ByteSize.roundUp(odd(80), 2 * MIB)));
      }
      addPool(options);
    } else if (!pools.isEmpty()) {
      Integer id = anyOf(pools.keySet());
      if (!captures.isInto(id)) {
        PrivatePool pool = requireNonNull(pools.remove(id));
        if (random.nextInt(3) == 0) {
          scopes.add(CompletableFuture.supplyAsync(pool::use, other).join());
        }
        pool.close();
      }
    }
  }

  private void allocate() {
    int pool = 0;
    if (!pools.isEmpty() && random.nextInt(3) == 0) {
      pool = anyOf(pools.keySet());
    }
    long bytes = odd(MOST_MIB.get(random.nextInt(MOST_MIB.size())));
    if (random.nextInt(200) == 0) {
      bytes += 8 * ByteSize.GIB;
    }
    if (captures.withGraphs().contains(pool) && !captures.isInto(pool)) {
      return; // It serves captures only.
    }
    long alignment = pool == 0 && random.nextInt(8) == 0 ? 256L << random.nextInt(14) : 256;
    Request request = new Request(bytes, alignment, pool, streamFor(pool));
    try {
      Allocation allocation = allocate(request);
      held.add(allocation, pool);
      if (random.nextInt(3) == 0) {
        SimStream user = anyStream();
        user.launch(SimKernel.named("use").taking(1_000_000_000L).build());
        allocation.recordUse(user);
      }
    } catch (AllocatorOutOfMemoryException e) {
      refused = request;
      refusal = e;
    }
  }

  /** Any, but the captured one for memory of a capture. */
  private SimStream streamFor(int pool) {
    return captures.isInto(pool) ? captures.stream() : anyStream();
  }

  private Allocation allocate(Request request) {
    if (request.pool() == 0) {
      return allocator.allocateAligned(request.bytes(), request.alignment(), request.stream());
    }
    Allocator own = requireNonNull(pools.get(request.pool())).getAllocator();
    return own.allocate(request.bytes(), request.stream());
  }

  private void closeOne() {
    held.closeOne(random);
  }

  boolean isRefused() {
    return refusal != null;
  }

  AllocatorOutOfMemoryException refusal() {
    return requireNonNull(refusal);
  }

  private String advice() {
    return refusal().getReport().advice();
  }

  List<String> alternatives() {
    return AdviceText.alternatives(advice());
  }

  /** Follows an alternative, and asks again. */
  void follow(int which) {
    Request again = refused;
    for (String part : AdviceText.steps(alternatives().get(which))) {
      again = followPart(part, again);
    }
    if (again != null) {
      String told = this + ": '" + alternatives().get(which) + "' of " + refusal().getMessage();
      try {
        allocate(again).close();
      } catch (ClosedException e) {
        return; // The program has closed the stream of the request meanwhile.
      } catch (AllocatorOutOfMemoryException e) {
        if (e.getReport().advice().contains("let its SegmentSource provide more")
            && !advice().contains("let its SegmentSource")) {
          return; // Nobody but the source can tell.
        }
        throw new AssertionError(told + "\n then " + e.getMessage() + e.getReport().steps(), e);
      }
    }
  }

  /** Repeats the refused request with a limit raised by some bytes. */
  boolean isServedWithLimit(long raise) {
    allocator.setLimit(allocator.getLimit() + raise);
    return isServed(refusedBytes());
  }

  /** Repeats the refused request with some more bytes free on the device. */
  boolean isServedWithFreeOfOthers(long bytes) {
    return foreign.free(bytes) && isServed(refusedBytes());
  }

  /** Repeats the refused request for some bytes. */
  boolean isServed(long bytes) {
    Request request = requireNonNull(refused);
    try {
      allocate(request.of(bytes)).close();
      return true;
    } catch (ClosedException | AllocatorOutOfMemoryException e) {
      return false;
    }
  }

  /** Returns whether captures or graphs keep memory, whose least place is not looked for. */
  boolean isBesideCapture() {
    return captures.isAny() || !captures.withGraphs().isEmpty();
  }

  long refusedBytes() {
    return requireNonNull(refused).bytes();
  }

  private @Nullable Request followPart(String way, @Nullable Request request) {
    if (request == null) {
      return null;
    }
    if (way.startsWith("raise the limit by ")) {
      long raised = allocator.getLimit() + AdviceText.sizeIn(way);
      assertTrue(
          !sources.isEmpty() || raised < device.getMemoryInfo().totalBytes() + MIB,
          () -> this + ": " + advice());
      allocator.setLimit(raised);
    } else if (way.startsWith("free ") && way.contains("other users")) {
      assertTrue(
          foreign.free(AdviceText.sizeIn(way)), () -> this + ": others hold less: " + advice());
    } else if (way.startsWith("free ")) {
      assertTrue(
          held.free(AdviceText.sizeIn(way), request.pool(), random) > 0,
          () -> this + ": nothing is live: " + advice());
    } else if (way.startsWith("ask for at most ")) {
      return request.of(AdviceText.sizeIn(way));
    } else if (way.startsWith("trim private pool ")) {
      for (int each : AdviceText.poolsIn(way)) {
        requireNonNull(allPools.get(each)).getAllocator().trim(0);
      }
      if (way.contains(" more")) {
        trimAllBut(request.pool());
      }
    } else if (way.equals("close the allocations of other pools and trim these")) {
      held.closeAllBut(request.pool());
      trimAllBut(request.pool());
    } else if (way.equals("close all allocations, captures and graphs and trim all pools")) {
      closeAll();
    } else if (way.startsWith("nothing that this program can free suffices")) {
      closeAll();
      assertFalse(isServed(request.bytes()), () -> this + ": it does: " + refusal().getMessage());
      return null;
    } else if (way.startsWith("allocate from a new pool ")) {
      SlabSource source = sources.get(request.pool());
      addPool(new PrivatePoolOptions(AdviceText.sizeIn(way), source));
      int last = Collections.max(pools.keySet());
      if (captures.isInto(request.pool())) {
        captures.closeGraphs(request.pool());
      }
      return new Request(request.bytes(), request.alignment(), last, request.stream());
    } else if (way.equals("let its SegmentSource provide more")) {
      requireNonNull(sources.get(request.pool())).extend(2 * request.bytes() + 4 * MIB);
    } else if (way.equals("end the captures and close their graphs")) {
      captures.close();
    } else if (way.equals("use a larger device")) {
      assertTrue(
          request.bytes() > device.getMemoryInfo().totalBytes(),
          () -> this + ": " + refusal().getMessage());
      return null;
    } else {
      throw new AssertionError(
          this + ": advice that no program can follow: '" + way + "' of " + advice());
    }
    return request;
  }

  private void closeAll() {
    captures.close();
    held.closeAllBut(-1);
    trimAllBut(-1);
  }

  private void trimAllBut(int pool) {
    allPools.values().stream()
        .filter(each -> each.getId() != pool)
        .forEach(each -> each.getAllocator().trim(0));
    if (pool != 0) {
      allocator.trim(0);
    }
  }

  @Override
  public void close() {
    captures.close();
    held.closeAllBut(-1);
    scopes.forEach(PoolScope::close);
    allocator.close();
    foreign.close();
    streams.forEach(SimStream::close);
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
    other.shutdown();
  }

  @Override
  public String toString() {
    return "seed " + seed;
  }
}
