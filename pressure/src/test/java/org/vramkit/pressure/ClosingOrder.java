package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.decorator.LimitingAllocator;
import org.vramkit.pool.decorator.RetryingAllocator;
import org.vramkit.pool.decorator.StatisticsScope;
import org.vramkit.pool.decorator.TraceRecorder;
import org.vramkit.pool.decorator.TrackingAllocator;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.SimBackend;

/**
 * One random order: opens pools, scopes, graphs, stores, admissions, and decorators over each
 * other, takes blocks from each, suspends pools, and closes all of it in any order. A close that is
 * refused is repeated later. Uses one thread, and no work on the device.
 */
final class ClosingOrder {
  private static final int STEPS = 400;

  /**
   * Keeps the peak low, so that memory that stays with each pool or graph would exceed the bound.
   */
  private static final int MOST_OPEN = 20;

  private static final long SLACK = 64 * ByteSize.MIB;

  /** Something to close. */
  private record Opened(String name, AutoCloseable close) {}

  /** An allocator and its name. */
  private record Source(String name, Allocator allocator) {}

  private final Random random;
  private final Device device;
  private final CachingAllocator allocator;
  private final List<Stream> streams = new ArrayList<>();
  private final List<Opened> opened = new ArrayList<>();
  private final List<Source> sources = new ArrayList<>();
  private final List<PrivatePool> pools = new ArrayList<>();

  /** What happened, for a failure. */
  private final List<String> steps = new ArrayList<>();

  /** Bytes that open graphs keep, though their blocks may be closed. */
  private long keptByGraphs;

  private long peak;
  private int refused;
  private int names;

  ClosingOrder(long seed, SimBackend gpu) {
    this.random = new Random(seed);
    this.device = gpu.getDevice(0);
    this.allocator =
        CachingAllocator.builder(device)
            .virtualMemory(random.nextBoolean() ? VirtualMemoryUse.AUTO : VirtualMemoryUse.OFF)
            .build();
    for (int i = 0; i < 3; i++) {
      streams.add(device.createStream());
    }
    sources.add(new Source("the allocator", allocator));
  }

  /** Runs the order; returns how many closes were refused because something was open. */
  int run() {
    try {
      for (int i = 0; i < STEPS; i++) {
        step();
        check();
      }
      for (int left = Integer.MAX_VALUE; !opened.isEmpty(); ) {
        assertTrue(opened.size() < left, "nothing more can be closed: " + opened);
        left = opened.size();
        Collections.shuffle(opened, random);
        for (Opened each : List.copyOf(opened)) {
          close(each);
          check();
        }
      }
      assertEquals(0, allocator.getStatistics().getLiveBytes(), "live");
      allocator.trim(0);
      assertEquals(0, allocator.getStatistics().reserved().current(), "reserved at the end");
      allocator.close();
      streams.forEach(Stream::close);
      return refused;
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(String.join("; ", steps), e);
    }
  }

  private void check() {
    peak = Math.max(peak, allocator.getStatistics().allocated().current() + keptByGraphs);
    long reserved = allocator.getStatistics().reserved().current();
    assertTrue(
        reserved <= 2 * peak + SLACK,
        ByteSize.format(reserved) + " reserved, the peak was " + ByteSize.format(peak));
  }

  private void step() {
    try {
      switch (opened.size() < MOST_OPEN ? random.nextInt(25) : 24) {
        case 0, 14, 15 -> openPool();
        case 1 -> openScope();
        case 2 -> capture();
        case 3 -> openStore();
        case 4 -> openAdmission();
        case 5 -> openDecorator();
        case 6 -> openBuffers();
        case 7 -> openWorkspaces();
        case 8, 9, 10, 11, 12, 13 -> allocate();
        case 16 -> suspendOrResume();
        default -> closeAny();
      }
    } catch (GpuException | IllegalStateException e) {
      // A limit, a grant, or a closed or suspended upstream refuses an allocation.
      steps.add("refused by " + e.getClass().getSimpleName());
    }
  }

  private void closeAny() {
    if (!opened.isEmpty()) {
      close(opened.get(random.nextInt(opened.size())));
    }
  }

  private <T extends AutoCloseable> T open(String kind, T what) {
    return open(kind, what, what);
  }

  private <T> T open(String kind, T what, AutoCloseable close) {
    String name = kind + " " + names++;
    steps.add("open " + name);
    opened.add(new Opened(name, close));
    return what;
  }

  /** Opens an allocator, which is used until it is closed. */
  private void openSource(String kind, Allocator made, AutoCloseable owner) {
    Source source = new Source(kind, made);
    sources.add(source);
    open(
        kind,
        made,
        () -> {
          owner.close();
          sources.remove(source);
        });
  }

  private void close(Opened what) {
    try {
      what.close().close();
      opened.remove(what);
      steps.add("close " + what.name());
    } catch (IllegalStateException early) {
      refused++;
      steps.add("try to close " + what.name());
    } catch (Exception e) {
      throw new AssertionError("cannot close " + what.name(), e);
    }
  }

  private Source source() {
    return sources.get(random.nextInt(sources.size()));
  }

  private Stream stream() {
    return streams.get(random.nextInt(streams.size()));
  }

  /** Returns a size, mostly small. */
  private long bytes() {
    return 1 + random.nextLong(1L << random.nextInt(8, 26));
  }

  private @Nullable PrivatePool pool() {
    return pools.isEmpty() ? null : pools.get(random.nextInt(pools.size()));
  }

  private void openPool() {
    PrivatePool pool = allocator.createPool();
    pools.add(pool);
    openSource(
        "pool",
        pool.getAllocator(),
        () -> {
          pool.close();
          pools.remove(pool);
        });
  }

  private void openScope() {
    PrivatePool pool = pool();
    if (pool != null) {
      open("scope", pool.use());
    }
  }

  /** Captures a graph; the pool may be closed before the capture, or the capture discarded. */
  private void capture() {
    PrivatePool pool = pool();
    if (pool == null || pool.isSuspended()) {
      return;
    }
    Stream stream = device.createStream();
    long bytes = 0;
    PoolCapture capture = pool.capture(stream);
    List<Allocation> blocks = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      Allocation block = pool.getAllocator().allocate(bytes(), stream);
      bytes += block.getSize();
      blocks.add(block);
    }
    if (random.nextInt(4) == 0) {
      capture.close();
    } else {
      Graph graph = capture.end();
      long kept = bytes;
      keptByGraphs += kept;
      open(
          "graph",
          graph,
          () -> {
            graph.close();
            keptByGraphs -= kept;
          });
      capture.close();
    }
    blocks.forEach(block -> open("captured block", block));
    open("captured stream", stream);
  }

  /** Suspends a pool, which may be closed before its resume, or resumes it. */
  private void suspendOrResume() {
    PrivatePool pool = pool();
    if (pool == null) {
      return;
    }
    if (pool.isSuspended()) {
      pool.resume(stream());
    } else {
      pool.suspend(random.nextInt(4) == 0 ? Backup.HOST : Backup.NONE, stream());
    }
    steps.add(pool.isSuspended() ? "suspend a pool" : "resume a pool");
  }

  private void openStore() {
    SpillStore store = SpillStore.over(source().allocator()).build();
    openSource("store", store.getAllocator(), store);
    for (int i = random.nextInt(3); i > 0; i--) {
      Spillable spillable = open("spillable", store.create(bytes(), random.nextInt(3)));
      open("lease", spillable.materialize(stream()));
    }
  }

  private void openAdmission() {
    Admission admission = Admission.over(source().allocator()).limit(64 * ByteSize.MIB).build();
    open("admission", admission);
    for (int i = random.nextInt(3); i > 0; i--) {
      // Null if it can never be granted, or waits: then nobody uses it.
      Grant grant =
          admission
              .acquireAsync(Demand.of("job", bytes()))
              .toCompletableFuture()
              .exceptionally(refusal -> null)
              .getNow(null);
      if (grant != null) {
        openSource("grant", grant.getAllocator(), grant);
      }
    }
  }

  private void openDecorator() {
    Allocator upstream = source().allocator();
    Allocator made =
        switch (random.nextInt(6)) {
          case 0 -> LimitingAllocator.over(upstream, 16 * ByteSize.MIB);
          case 1 -> TrackingAllocator.over(upstream);
          case 2 -> StatisticsScope.over(upstream);
          case 3 -> RetryingAllocator.over(upstream, attempt -> false);
          case 4 -> TraceRecorder.over(upstream, Writer.nullWriter());
          default -> WaitingAllocator.over(upstream, Duration.ZERO);
        };
    openSource(made.getClass().getSimpleName(), made, made);
  }

  private void openBuffers() {
    BufferPool pool = open("buffers", BufferPool.create(source().allocator()));
    for (int i = random.nextInt(4); i > 0; i--) {
      open("buffer", pool.acquire(ElementType.FLOAT32, 1 + bytes() / 4, stream()));
    }
  }

  private void openWorkspaces() {
    WorkspacePool pool = open("workspaces", WorkspacePool.create(source().allocator()));
    for (int i = random.nextInt(4); i > 0; i--) {
      open("workspace", pool.acquire(bytes(), stream()));
    }
  }

  private void allocate() {
    Source source = source();
    Allocation block = source.allocator().allocate(bytes(), stream());
    String kind = "block of " + source.name();
    if (random.nextInt(4) > 0) {
      open(kind, block);
      return;
    }
    SharedAllocation first = open("share of a " + kind, SharedAllocation.of(block));
    try {
      open("share of a " + kind, first.retain());
    } catch (ClosedException e) {
      throw new AssertionError("an owner is open", e);
    }
  }
}
