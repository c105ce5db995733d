package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Named.named;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.pinned.PooledPinnedBuffer;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.SimBackend;

/**
 * After the close of a backend there is no work to wait for, and its memory was freed with the
 * context.
 */
@DisplayName("17.11 After the close of a CUDA backend")
class PoolsAfterBackendTest {
  private final SimulatedDriver driver = new SimulatedDriver(SimBackend.builder().build());
  private final CudaBackend backend = new CudaBackend("cuda", driver, new ProcessHealth());
  private final Device device = backend.getDevice(0);

  static Stream<Named<Function<Device, Allocator>>> allocators() {
    return Stream.of(
        named("caching, pages", CachingAllocator::create),
        named(
            "caching, segments",
            device -> CachingAllocator.builder(device).virtualMemory(VirtualMemoryUse.OFF).build()),
        named("direct", device -> DirectAllocator.builder(device).build()),
        named("driver pool", device -> DriverPoolAllocator.builder(device).build()),
        named("stream-ordered", device -> StreamOrderedPool.builder(device).build()));
  }

  @ParameterizedTest
  @MethodSource("allocators")
  @DisplayName("an allocator closes, and so do its allocations and a workspace pool over it")
  void allocator(Function<Device, Allocator> open) {
    var stream = device.createStream();
    var other = device.createStream();
    Allocator allocator = open.apply(device);
    WorkspacePool workspaces = WorkspacePool.create(allocator);
    WorkspaceLease lease = workspaces.acquire(4096, stream);
    workspaces.acquire(8192, other).close();
    Allocation live = allocator.allocate(4096, stream);
    Allocation shared = allocator.allocate(4096, stream);
    Allocation pending = allocator.allocate(4096, stream);
    for (Allocation each : List.of(live, shared, pending)) {
      stream.fill(each.getAddress(), (byte) 1, each.getSize());
    }
    shared.recordUse(other);
    pending.recordUse(other);
    pending.close();
    backend.close();
    live.close();
    shared.close();
    lease.close();
    workspaces.close();
    allocator.close();
    allocator.close();
    assertEquals(0, allocator.getStatistics().allocations().current());
    assertEquals(0, allocator.getStatistics().reserved().current());
    stream.close();
    other.close();
    assertEquals(List.of(), driver.crimes, "uses of destroyed handles");
  }

  @Test
  @DisplayName("a pool of page-locked memory closes, with copies that were under way")
  void pinnedPool() {
    var stream = device.createStream();
    long target = device.getMemory().allocate(4096);
    PinnedPool pool = PinnedPool.create(device);
    PooledPinnedBuffer copying = pool.acquire(4096);
    PooledPinnedBuffer held = pool.acquire(4096);
    copying.copyToDevice(target, stream);
    held.copyToDevice(target, stream);
    copying.close();
    backend.close();
    held.close();
    pool.close();
    assertEquals(0, pool.getLockedBytes());
    device.getMemory().free(target);
    stream.close();
    assertEquals(List.of(), driver.crimes, "uses of destroyed handles");
  }
}
