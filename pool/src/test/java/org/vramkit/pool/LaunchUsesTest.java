package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.MemoryArgument;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.pinned.PooledPinnedBuffer;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("A launch records itself as a use of memory that belongs to another stream")
class LaunchUsesTest {
  private static final int BYTES = 1024;

  /** Sets a byte of the memory for each thread. */
  private static final String PTX =
      """
      .version 7.2
      .target sm_75
      .address_size 64
      .visible .entry set(.param .u64 to)
      {
        .reg .b32 %r<2>;
        .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [to];
        mov.u32 %r1, %tid.x;
        cvt.u64.u32 %rd2, %r1;
        add.s64 %rd1, %rd1, %rd2;
        st.global.u8 [%rd1], %r1;
        ret;
      }
      """;

  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimDevice device = backend.getDevice(0);
  private final SimStream own = device.createStream("own");
  private final SimStream other = device.createStream("other");

  /** Launches on the other stream, after the own one, with an argument for the memory. */
  private void launch(Object argument) {
    try (KernelModule module = device.loadModule(PTX);
        Event event = device.createEvent()) {
      Kernel set = module.getKernel("set");
      event.record(own);
      other.waitFor(event);
      other.launch(set, LaunchConfig.of(1, BYTES), argument);
    }
  }

  private List<HazardCode> end() {
    device.synchronize();
    own.close();
    other.close();
    List<HazardCode> found = backend.getHazards().stream().map(HazardReport::code).toList();
    assertEquals(List.of(), backend.getLeaks(), "leaks");
    backend.close();
    return found;
  }

  @Test
  @DisplayName("an allocation may be closed at once, and its memory allocated again")
  void allocation() {
    try (CachingAllocator allocator = CachingAllocator.create(device)) {
      try (Allocation memory = allocator.allocate(BYTES, own)) {
        launch(memory);
      }
      try (Allocation next = allocator.allocate(BYTES, own)) {
        own.fill(next.getAddress(), (byte) 1, BYTES);
      }
    }
    assertEquals(List.of(), end());
  }

  @Test
  @DisplayName("an address that is passed as a number is not recorded, and the close reports it")
  void address() {
    try (CachingAllocator allocator = CachingAllocator.create(device);
        Allocation memory = allocator.allocate(BYTES, own)) {
      launch(memory.getAddress());
    }
    assertEquals(List.of(HazardCode.EARLY_REUSE), end());
  }

  @Test
  @DisplayName("so are typed buffers, workspaces and page-locked buffers")
  void pools() {
    try (CachingAllocator allocator = CachingAllocator.create(device);
        BufferPool buffers = BufferPool.create(allocator);
        WorkspacePool workspaces = WorkspacePool.create(allocator);
        PinnedPool pinned = PinnedPool.builder(device).build()) {
      for (int round = 0; round < 2; round++) {
        try (TypedBuffer buffer = buffers.acquire(ElementType.INT8, BYTES, own);
            WorkspaceLease workspace = workspaces.acquire(BYTES, own);
            PooledPinnedBuffer locked = pinned.acquire(BYTES)) {
          for (MemoryArgument each : List.of(buffer, workspace, locked)) {
            launch(each);
          }
        }
        own.synchronize();
      }
      other.synchronize();
    }
    assertEquals(List.of(), end());
  }
}
