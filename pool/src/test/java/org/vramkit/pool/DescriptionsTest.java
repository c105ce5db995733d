package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.api.units.ByteSize.MIB;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.decorator.LimitingAllocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.pinned.PooledPinnedBuffer;
import org.vramkit.pool.stream.StreamPool;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("17.24 In a log or a debugger")
class DescriptionsTest {

  @Test
  @DisplayName("allocators and pools say what they are, of which device, and what they have")
  void described() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      try (SimStream stream = device.createStream();
          Allocator allocator = StreamOrderedPool.builder(device).build();
          Allocator limited = LimitingAllocator.over(allocator, 9 * MIB);
          BufferPool buffers = BufferPool.create(allocator);
          WorkspacePool workspaces = WorkspacePool.create(allocator);
          PinnedPool pinned = PinnedPool.create(device);
          Allocation live = allocator.allocate(MIB, stream)) {
        assertEquals(MIB, live.getSize());
        TypedBuffer buffer = buffers.acquire(ElementType.INT8, MIB, stream);
        WorkspaceLease lease = workspaces.acquire(2 * MIB, stream);
        PooledPinnedBuffer host = pinned.acquire(MIB);
        String name = "StreamOrderedPool of device 0, live 4.00 MiB in 3 allocations, cached 0 B";
        assertEquals(name, allocator.toString());
        assertEquals("LimitingAllocator over " + name, limited.toString());
        assertEquals("BufferPool over [" + name + ", 0 B in free buffers]", buffers.toString());
        assertEquals("PinnedPool of device 0, 1.00 MiB locked, 1.00 MiB held", pinned.toString());
        buffer.close();
        lease.close();
        host.close();
        assertEquals(
            "WorkspacePool over " + name + ", 1 free slab of 2.00 MiB", workspaces.toString());
        assertEquals(
            "BufferPool over [" + name + ", 1.00 MiB in free buffers]", buffers.toString());
        assertEquals("PinnedPool of device 0, 1.00 MiB locked, 0 B held", pinned.toString());
      }
    }
  }

  @Test
  @DisplayName("counts have the right plural, and empty or tagged ones say so")
  void single() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      try (SimStream stream = device.createStream();
          StreamPool streams = StreamPool.builder(device).size(1).build();
          CachingAllocator caching = CachingAllocator.create(device);
          Allocator direct = DirectAllocator.builder(device).build();
          Allocation live = direct.allocate(MIB, stream)) {
        Allocation empty = caching.allocate(0, stream);
        assertEquals(MIB, live.getSize());
        assertEquals("pool of 1 stream of device 0", streams.toString());
        assertEquals(
            "DirectAllocator of device 0, live 1.00 MiB in 1 allocation, cached 0 B",
            direct.toString());
        assertEquals(
            "caching allocator of device 0, tagged \"weights\"",
            caching.tagged("weights").toString());
        assertEquals("empty allocation", empty.toString());
        empty.close();
        assertEquals("closed empty allocation", empty.toString());
      }
    }
  }
}
