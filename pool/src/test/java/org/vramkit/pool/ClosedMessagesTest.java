package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.decorator.StatisticsScope;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.pinned.PooledPinnedBuffer;
import org.vramkit.pool.stream.StreamPool;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;

@DisplayName("17.24 Errors of closed objects name the object, the rejected call and the remedy")
class ClosedMessagesTest {
  private static final String FORM = "[^:;,]+ is closed: [^:;]+; [^:;]+";

  private static void assertTold(String what, Executable use) {
    String message = String.valueOf(assertThrows(ClosedException.class, use, what).getMessage());
    assertTrue(message.matches(FORM), what + ": " + message);
    assertTrue(message.startsWith(what + " is closed: "), message);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("17.24 of every allocator and its allocations")
  void allocators(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      Allocation allocation = scene.allocator.allocate(64, scene.s1);
      allocation.close();
      assertTold("allocation of 64 bytes", allocation::getAddress);
      assertEquals(
          "allocation of 64 bytes is closed: its memory may belong to another allocation now; record"
              + " its uses before closing it",
          assertThrows(ClosedException.class, () -> allocation.recordUse(scene.s2)).getMessage());
      assertTold("allocation of 64 bytes", () -> allocation.recordUse(scene.s2));
      Stream closed = scene.device.createStream();
      closed.close();
      assertThrows(ClosedException.class, () -> scene.allocator.allocate(64, closed));
      StatisticsScope decorator = StatisticsScope.over(scene.allocator);
      decorator.close();
      assertTold("StatisticsScope of device 0", () -> decorator.allocate(64, scene.s1));
      Allocator own = kind.create(scene.device);
      own.close();
      String words =
          String.valueOf(
              assertThrows(ClosedException.class, () -> own.allocate(64, scene.s1)).getMessage());
      assertTrue(words.matches(FORM), words);
      assertTrue(words.contains(" of device 0 is closed: ") && words.endsWith("make a new one"));
    }
  }

  @Test
  @DisplayName("17.24 of every pool and its leases")
  void pools() {
    try (PoolScene scene = new PoolScene(AllocatorKind.CACHING_ON_PAGES)) {
      BufferPool buffers = BufferPool.create(scene.allocator);
      WorkspacePool workspaces = WorkspacePool.create(scene.allocator);
      PinnedPool pinned = PinnedPool.create(scene.device);
      StreamPool streams = StreamPool.builder(scene.device).size(2).build();
      TypedBuffer buffer = buffers.acquire(ElementType.INT8, 3, scene.s1);
      WorkspaceLease lease = workspaces.acquire(3, scene.s1);
      PooledPinnedBuffer host = pinned.acquire(3);
      List.of(buffer, lease, host).forEach(ClosedMessagesTest::close);
      List.of(buffers, workspaces, pinned, streams).forEach(ClosedMessagesTest::close);
      Map<String, Executable> uses = new LinkedHashMap<>();
      uses.put("the buffer of 3 INT8", buffer::getAddress);
      uses.put("the lease of a workspace of 1024 bytes", lease::getAddress);
      uses.put("the page-locked buffer of 3 bytes", () -> host.recordUse(scene.s1));
      uses.put("the buffer pool", () -> buffers.acquire(ElementType.INT8, 3, scene.s1));
      uses.put("the workspace pool", () -> workspaces.acquire(3, scene.s1));
      uses.put("the pool of page-locked buffers", () -> pinned.acquire(3));
      uses.put("the pool of 2 streams of device 0", streams::next);
      uses.forEach(ClosedMessagesTest::assertTold);
    }
  }

  private static void close(AutoCloseable each) {
    try {
      each.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("17.24 of the caching allocator and its private pools")
  void caching() {
    try (PoolScene scene = new PoolScene(AllocatorKind.CACHING_ON_PAGES)) {
      CachingAllocator allocator = CachingAllocator.create(scene.device);
      Allocation none = allocator.allocate(0, scene.s1);
      none.close();
      assertTold("empty allocation", () -> none.recordUse(scene.s1));
      PrivatePool pool = allocator.createPool();
      pool.close();
      String name = "private pool " + pool.getId() + " of device 0";
      assertTold(name, pool::use);
      allocator.close();
      assertTold("caching allocator of device 0", () -> allocator.allocate(64, scene.s1));
    }
  }

  @Test
  @DisplayName("17.24 of the simulator, its streams and events")
  void simulator() {
    SimBackend backend = SimBackend.builder().build();
    SimDevice device = backend.getDevice(0);
    Stream stream = device.createStream();
    Event event = device.createEvent();
    event.close();
    String message =
        String.valueOf(
            assertThrows(ClosedException.class, () -> event.record(stream)).getMessage());
    assertTrue(message.matches("event 0x" + FORM), message);
    backend.close();
    assertTold("the simulator", device::createStream);
  }
}
