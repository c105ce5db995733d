package org.vramkit.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.pinned.PooledPinnedBuffer;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.SimBackend;

/** Time to acquire and close a cached item of each pool. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class PoolBenchmark {
  private SimBackend backend;
  private CachingAllocator allocator;
  private Stream stream;
  private WorkspacePool workspaces;
  private BufferPool buffers;
  private PinnedPool pinned;

  /** Creates a pool of each kind. */
  @Setup(Level.Trial)
  public void open() {
    backend = MeasuredBackend.simulated();
    allocator = CachingAllocator.create(backend.getDevice(0));
    stream = backend.getDevice(0).createStream();
    workspaces = WorkspacePool.create(allocator);
    buffers = BufferPool.create(allocator);
    pinned = PinnedPool.create(backend.getDevice(0));
  }

  /** Closes the pools. */
  @TearDown(Level.Trial)
  public void close() {
    pinned.close();
    buffers.close();
    workspaces.close();
    allocator.close();
    stream.close();
    backend.close();
  }

  /** Measures a workspace of 32 MiB, the size that cuBLAS needs on Hopper. */
  @Benchmark
  public long workspace() {
    try (WorkspaceLease lease = workspaces.acquire(32 << 20, stream)) {
      return lease.getAddress();
    }
  }

  /** Measures a buffer of 1000 floats. */
  @Benchmark
  public long buffer() {
    try (TypedBuffer buffer = buffers.acquire(ElementType.FLOAT32, 1000, stream)) {
      return buffer.getAddress();
    }
  }

  /** Measures a page-locked buffer of 1 MiB. */
  @Benchmark
  public long pinned() {
    try (PooledPinnedBuffer buffer = pinned.acquire(1 << 20)) {
      return buffer.getSize();
    }
  }
}
