package org.vramkit.pool.caching.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.OutOfMemoryReport;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CountingSource;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.PoolScope;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.PrivatePoolOptions;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.caching.internal.heap.HeapChecks;
import org.vramkit.pool.caching.program.MarkedBlocks.Marked;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

/**
 * A random program of one seed, and the model that it is held against: who holds which bytes. It
 * asks for what an allocator has, one step after the other, on several threads in turn.
 */
final class RandomProgram {
  private static final int MOST_POOLS = 3;
  private static final int THREADS = 4;

  /** What it does in so many of all steps. */
  private record Move(int weight, Runnable action) {}

  private final List<Move> moves =
      List.of(
          new Move(80, this::allocate),
          new Move(65, this::free),
          new Move(10, this::freeMany),
          new Move(12, this::useElsewhere),
          new Move(10, this::passTime),
          new Move(4, this::trim),
          new Move(5, this::changePools),
          new Move(3, this::renewStream),
          new Move(3, this::changeLimit),
          new Move(3, this::capture),
          new Move(2, this::launchOrClose),
          new Move(3, this::tidy));

  private final RandomSettings settings;
  private final SplittableRandom random;
  private final SimBackend backend;
  private final SimDevice device;
  private final CachingAllocator allocator;
  private final List<SimStream> streams = new ArrayList<>();
  private final List<PrivatePool> pools = new ArrayList<>();
  private final RandomGraphs graphs;
  private final MarkedBlocks blocks = new MarkedBlocks();
  private final List<ExecutorService> threads =
      Stream.generate(Executors::newSingleThreadExecutor).limit(THREADS).toList();

  private final long usedBefore;
  private int step;
  private boolean faulty;
  boolean watched;

  RandomProgram(long seed, VirtualMemoryUse use) {
    settings = new RandomSettings(seed, use);
    random = settings.random;
    backend = settings.backend;
    device = backend.getDevice(0);
    usedBefore = device.getMemoryInfo().getUsedBytes();
    allocator = settings.allocator(this::relieve);
    graphs = new RandomGraphs(settings, allocator);
    for (int i = 0; i < 3; i++) {
      streams.add(device.createStream());
    }
  }

  /** So many steps, and to an end at which everything went back. */
  void run(int steps) {
    try {
      for (int i = 0; i < steps; i++) {
        step();
      }
      finish();
    } finally {
      threads.forEach(ExecutorService::shutdown);
    }
  }

  int getStep() {
    return step;
  }

  long getFaults() {
    return backend.getFaults().getInjected();
  }

  private void step() {
    step++;
    if (watched) {
      Insides.arenas(allocator).forEach(pool -> HeapChecks.watch(pool.heap));
    }
    faulty = settings.faulty && settings.oneIn(5);
    if (faulty) {
      Fault fault = settings.pick(Fault.OUT_OF_MEMORY, Fault.UNKNOWN);
      backend
          .getFaults()
          .failNth(settings.pick(RandomSettings.CALLS), 1 + random.nextInt(2), fault);
    }
    int thread = random.nextInt(THREADS + 2);
    if (thread < THREADS) {
      on(threads.get(thread), this::move);
    } else {
      move();
    }
    noMoreFaults();
    check();
  }

  private static void on(ExecutorService thread, Runnable action) {
    try {
      CompletableFuture.runAsync(action, thread).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof AssertionError failed) {
        throw failed;
      }
      throw e;
    }
  }

  private void move() {
    int at = random.nextInt(moves.stream().mapToInt(Move::weight).sum());
    for (Move move : moves) {
      at -= move.weight();
      if (at < 0) {
        move.action().run();
        return;
      }
    }
  }

  private void noMoreFaults() {
    backend.getFaults().clear();
    faulty = false;
  }

  /** A call that fails only where the driver's calls do. */
  private void tolerate(String what, Runnable call) {
    try {
      call.run();
    } catch (GpuException e) {
      assertTrue(faulty, () -> what + " failed without a fault: " + e);
    }
  }

  // ---- what it does ----

  private void allocate() {
    int count = settings.oneIn(10) ? 1 + random.nextInt(20) : 1;
    for (int i = 0; i < count; i++) {
      if (!allocateOne()) {
        return;
      }
    }
  }

  private boolean allocateOne() {
    SimStream stream = anyStream();
    long bytes = settings.size();
    PrivatePool pool = anyOpenPool();
    try {
      Allocation block = allocate(bytes, stream, pool);
      noMoreFaults();
      blocks.fill(
          blocks.hold(block, stream, (byte) random.nextInt()),
          random.nextBoolean() ? settings.kernelNanos() : 0);
      return true;
    } catch (NotSupportedException e) {
      // What is never split has no part that lies right.
      return false;
    } catch (DeviceOutOfMemoryException e) {
      long held = blocks.getRequested() + SnapshotChecks.keptByPools(allocator.getSnapshot());
      assertTrue(
          faulty || settings.isLimited() || held + bytes > settings.memory / 4,
          () -> "refused " + bytes + " with " + held + " in use: " + e.getMessage());
      return false;
    } catch (GpuException e) {
      assertTrue(faulty, () -> "failed without a fault: " + e);
      return false;
    }
  }

  /** From the default pool, or from a private one through a scope or through itself. */
  private Allocation allocate(long bytes, SimStream stream, @Nullable PrivatePool pool) {
    if (pool == null) {
      return allocateHere(bytes, stream);
    }
    if (random.nextBoolean()) {
      return pool.getAllocator().allocate(bytes, stream);
    }
    try (PoolScope scope = pool.use()) {
      assertEquals(false, Insides.isClosed(scope));
      return allocateHere(bytes, stream);
    }
  }

  private Allocation allocateHere(long bytes, SimStream stream) {
    long alignment = settings.oneIn(6) ? 1L << random.nextInt(22) : 1;
    Allocation block =
        alignment > 1
            ? allocator.allocateAligned(bytes, alignment, stream)
            : settings.oneIn(8)
                ? allocator.tagged("tag").allocate(bytes, stream)
                : allocator.allocate(bytes, stream);
    assertEquals(0, block.getAddress() % Math.max(256, alignment), "alignment");
    return block;
  }

  private void freeMany() {
    for (int i = random.nextInt(12); i > 0; i--) {
      free();
    }
  }

  private void free() {
    if (!blocks.isEmpty()) {
      free(settings.oneIn(4) ? blocks.takeLast() : blocks.takeAny(random));
    }
  }

  private void free(Marked block) {
    blocks.look(block, block.stream(), settings.kernelNanos() / 8);
    tolerate("a close", block.block()::close);
    assertTrue(block.block().isClosed());
  }

  /** The handler of some programs. */
  private boolean relieve(OutOfMemoryReport report, int attempt) {
    if (attempt > 2 || graphs.isCapturing() || blocks.isEmpty() || random.nextBoolean()) {
      return false;
    }
    free();
    return true;
  }

  /** Another stream reads a block for a while, in order, and the block may be freed meanwhile. */
  private void useElsewhere() {
    noMoreFaults();
    if (blocks.isEmpty()) {
      return;
    }
    Marked block = blocks.all().get(random.nextInt(blocks.getCount()));
    SimStream other = anyStream();
    order(block.stream(), other);
    blocks.look(block, other, settings.kernelNanos());
    if (random.nextBoolean()) {
      block.block().recordUse(other);
    } else {
      assertTrue(allocator.recordUse(block.place(), other));
    }
  }

  private void passTime() {
    backend.advance(random.nextLong(Math.max(200_000, settings.longestKernel)));
  }

  private void trim() {
    long keep = random.nextBoolean() ? 0 : random.nextLong(settings.memory);
    tolerate("a trim", () -> allocator.trim(keep));
  }

  /** Makes a pool of any kind, or closes one, perhaps with live blocks. */
  private void changePools() {
    if (pools.size() < MOST_POOLS && random.nextBoolean()) {
      PrivatePoolOptions options =
          PrivatePoolOptions.DEFAULT.withLimit(settings.pick(settings.memory / 4, Long.MAX_VALUE));
      tolerate(
          "a new pool",
          () ->
              pools.add(
                  allocator.createPool(
                      random.nextBoolean()
                          ? options
                          : options.withSource(new CountingSource(device)))));
    } else if (!pools.isEmpty()) {
      PrivatePool pool = pools.remove(random.nextInt(pools.size()));
      tolerate("the end of a pool", pool::close);
    }
  }

  /** A stream is closed, perhaps at work, and another one goes on with its blocks. */
  private void renewStream() {
    noMoreFaults();
    int index = random.nextInt(streams.size());
    SimStream old = streams.get(index);
    SimStream fresh = device.createStream();
    order(old, fresh);
    for (Marked block : blocks.all()) {
      if (block.stream() == old) {
        blocks.take(block);
        block.block().recordUse(fresh);
        blocks.hold(block.block(), fresh, block.value());
      }
    }
    old.close();
    streams.set(index, fresh);
  }

  private void changeLimit() {
    settings.limit();
    allocator.setLimit(settings.oneIn(3) ? Long.MAX_VALUE : random.nextLong(settings.memory));
  }

  private void capture() {
    noMoreFaults();
    if (!pools.isEmpty()) {
      graphs.capture(pools.get(random.nextInt(pools.size())), anyStream());
    }
  }

  private void launchOrClose() {
    noMoreFaults();
    graphs.launchOrClose(anyStream());
  }

  private void tidy() {
    switch (random.nextInt(4)) {
      case 0 -> tolerate("a decay", allocator::decay);
      case 1 -> tolerate("emptying caches", allocator::emptyCache);
      case 2 -> allocator.resetPeaks();
      default -> allocator.resetStatistics();
    }
  }

  // ---- what it chooses from ----

  private SimStream anyStream() {
    return streams.get(random.nextInt(streams.size()));
  }

  /** One that no graph holds the memory of; perhaps null. */
  private @Nullable PrivatePool anyOpenPool() {
    PrivatePool pool =
        pools.isEmpty() || random.nextBoolean() ? null : pools.get(random.nextInt(pools.size()));
    return pool == null || pool.getGraphCount() > 0 ? null : pool;
  }

  private void order(SimStream before, SimStream after) {
    try (SimEvent event = device.createEvent()) {
      event.record(before);
      after.waitFor(event);
    }
  }

  // ---- what it is held against ----

  private void check() {
    AllocatorStatistics now = allocator.getStatistics();
    SnapshotChecks.assertAgrees(allocator);
    SnapshotChecks.assertSums(now, blocks.getRequested(), blocks.getCount());
    assertEquals(
        device.getMemoryInfo().getUsedBytes() - usedBefore,
        now.reserved().current(),
        "reserved as the driver sees it");
    assertTrue(now.allocated().peak() >= now.allocated().current(), "peak");
    blocks.assertContents();
    assertEquals(List.of(), backend.getHazards(), "hazards");
  }

  private void finish() {
    while (!blocks.isEmpty()) {
      free(blocks.takeLast());
    }
    device.synchronize();
    check();
    graphs.close();
    allocator.close();
    streams.forEach(SimStream::close);
    assertEquals(usedBefore, device.getMemoryInfo().getUsedBytes(), "given back");
    assertEquals(List.of(), backend.getHazards(), "hazards");
    assertEquals(List.of(), backend.getLeaks(), "leaks");
    backend.close();
  }
}
