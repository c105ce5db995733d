package org.vramkit.pressure.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.StreamKind;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.direct.ManagedAllocator;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.pressure.SpillStore;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

/** A device with streams and all that serves its memory. */
final class Gpu implements AutoCloseable {
  static final int MOST_COPIED = 4096;

  private static final int THREADS = 128;
  private static final String PTX =
      """
      .version 7.0
      .target sm_50
      .address_size 64
      .visible .entry copyBytes(.param .u64 to, .param .u64 from, .param .u32 count) {
        .reg .pred %p<2>;
        .reg .b16 %h<2>;
        .reg .b32 %r<6>;
        .reg .b64 %d<8>;
        ld.param.u64 %d1, [to];
        ld.param.u64 %d2, [from];
        ld.param.u32 %r1, [count];
        mov.u32 %r2, %ctaid.x;
        mov.u32 %r3, %ntid.x;
        mov.u32 %r4, %tid.x;
        mad.lo.s32 %r5, %r2, %r3, %r4;
        setp.ge.u32 %p1, %r5, %r1;
        @%p1 bra END;
        cvt.u64.u32 %d3, %r5;
        cvta.to.global.u64 %d4, %d1;
        cvta.to.global.u64 %d5, %d2;
        add.s64 %d6, %d5, %d3;
        ld.global.u8 %h1, [%d6];
        add.s64 %d7, %d4, %d3;
        st.global.u8 [%d7], %h1;
      END:
        ret;
      }
      """;

  final PinnedPool pinned;
  final SpillStore store;

  private final SplittableRandom random;
  private final SimDevice device;
  private final boolean isVirtual;
  private final List<SimStream> streams = new ArrayList<>();
  private final KernelModule module;
  private final CachingAllocator caching;
  private final PrivatePool pool;
  private final BufferPool buffers;
  private final WorkspacePool workspaces;
  private final StreamOrderedPool ordered;
  private final DriverPoolAllocator driverPool;
  private final ManagedAllocator managed;

  Gpu(SimBackend backend, int ordinal, SplittableRandom random) {
    this.random = random;
    this.device = backend.getDevice(ordinal);
    this.isVirtual = random.nextInt(3) != 0;
    SimDevice other = backend.getDevice(1 - ordinal);
    var builder =
        CachingAllocator.builder(device)
            .clock(backend::getTimeNanos)
            .virtualMemory(isVirtual ? VirtualMemoryUse.ON : VirtualMemoryUse.OFF)
            .steal(anyOf(StealPolicy.values()))
            .moveTime(random.nextInt(3) / 2.0);
    if (isVirtual) {
      builder.accessibleFrom(other);
    }
    if (random.nextBoolean()) {
      builder.threadCache(0);
    }
    caching = builder.build();
    pool = caching.createPool();
    store = SpillStore.over(caching).build();
    buffers = BufferPool.create(caching);
    workspaces = WorkspacePool.create(caching);
    ordered = StreamOrderedPool.builder(device).build();
    driverPool = DriverPoolAllocator.builder(device).accessibleFrom(other).build();
    managed = ManagedAllocator.builder(device).build();
    pinned = PinnedPool.create(device);
    module = device.loadModule(PTX);
    streams.add(device.getDefaultStream());
    streams.add(device.createStream(StreamKind.BLOCKING));
    streams.add(device.createStream());
    streams.add(device.createStream());
  }

  private <T> T anyOf(T[] choices) {
    return choices[random.nextInt(choices.length)];
  }

  SimStream anyStream() {
    return streams.get(random.nextInt(streams.size()));
  }

  /** Closes a stream whose work has ended, and opens another. */
  SimStream replaceStream() {
    SimStream old = streams.remove(1 + random.nextInt(streams.size() - 1));
    old.synchronize();
    old.close();
    streams.add(device.createStream());
    return old;
  }

  Piece take(long size, SimStream stream) {
    Kind kind = anyOf(Kind.values());
    return switch (kind) {
      case BUFFERS -> {
        TypedBuffer buffer = buffers.acquire(ElementType.INT8, size, stream);
        yield new Piece(this, kind, buffer, buffer::close, size, stream, null);
      }
      case WORKSPACES -> {
        WorkspaceLease lease = workspaces.acquire(size, stream);
        yield new Piece(this, kind, lease, lease::close, size, stream, null);
      }
      case MANAGED -> {
        Allocation made = managed.allocate(size, stream);
        yield new Piece(this, kind, made, made::close, size, stream, managed.getMemory(made));
      }
      case PRIVATE_POOL ->
          isSuspended()
              ? of(Kind.CACHING, caching.allocate(size, stream), stream)
              : of(kind, pool.getAllocator().allocate(size, stream), stream);
      case ALIGNED ->
          of(kind, caching.allocateAligned(size, 256L << random.nextInt(14), stream), stream);
      case CACHING -> of(kind, caching.allocate(size, stream), stream);
      case SPILLING -> of(kind, store.getAllocator().allocate(size, stream), stream);
      case STREAM_ORDERED -> of(kind, ordered.allocate(size, stream), stream);
      case DRIVER_POOL -> of(kind, driverPool.allocate(size, stream), stream);
    };
  }

  private Piece of(Kind kind, Allocation made, SimStream stream) {
    return new Piece(this, kind, made, made::close, made.getSize(), stream, null);
  }

  void copyByPtx(Piece from, Piece to, int bytes, SimStream stream) {
    LaunchConfig grid = LaunchConfig.of((bytes + THREADS - 1) / THREADS, THREADS);
    stream.launch(module.getKernel("copyBytes"), grid, to.memory, from.memory, bytes);
  }

  boolean isSuspended() {
    return pool.isSuspended();
  }

  boolean canSuspend() {
    return isVirtual && !isSuspended();
  }

  void suspend(Backup backup, SimStream stream) {
    pool.suspend(backup, stream);
  }

  void resume(SimStream stream) {
    pool.resume(stream);
  }

  void trim() {
    caching.trim(0);
    workspaces.trim(0);
    pinned.trim(0);
  }

  @Override
  public void close() {
    store.close();
    buffers.close();
    workspaces.close();
    pinned.close();
    pool.close();
    for (Allocator each : List.of(caching, ordered, driverPool, managed)) {
      assertEquals(0, each.getStatistics().requested().current(), () -> "live in " + each);
      each.close();
    }
    module.close();
    streams.stream().skip(1).forEach(SimStream::close);
  }
}
