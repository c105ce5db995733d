package org.vramkit.pool.pinned;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.api.units.ByteSize.MIB;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;

@DisplayName("A page-locked host buffer: what it tells, and what the pool counts")
class PooledPinnedBufferTest {
  private final PoolScene scene = new PoolScene(AllocatorKind.NATIVE);

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  @DisplayName("56 it has just the bytes that were asked for, in native order, until it is closed")
  void properties() {
    PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
    PooledPinnedBuffer buffer = pool.acquire(1000);
    assertEquals(1000, buffer.getSize());
    assertEquals(1000, buffer.getBytes().remaining());
    assertEquals(ByteOrder.nativeOrder(), buffer.getBytes().order());
    assertEquals("page-locked buffer of 1000 bytes", buffer.toString());
    assertFalse(buffer.isClosed());
    buffer.getBytes(999, 1).put((byte) 5);
    assertEquals(5, buffer.getBytes().get(999));
    assertEquals(0, buffer.getBytes(1000, 0).remaining());
    buffer.close();
    assertTrue(buffer.isClosed());
    assertThrows(ClosedException.class, buffer::getBytes);
  }

  @Test
  @DisplayName("42.27 a buffer that is never closed is listed once as a leak, with its own size")
  void leakedOnce() {
    PinnedPool pool = PinnedPool.create(scene.device);
    pool.acquire(1000).close();
    PooledPinnedBuffer left = pool.acquire(990);
    pool.close();
    assertEquals(
        List.of(990L),
        scene.backend.getLeaks().stream().map(Leak::bytes).filter(bytes -> bytes > 0).toList());
    left.close();
  }

  @Test
  @DisplayName("42.15 a write through a view after the close is reported, by the next take at last")
  void viewWrittenAfterClose() {
    PinnedPool pool = PinnedPool.create(scene.device);
    PooledPinnedBuffer buffer = pool.acquire(1000);
    ByteBuffer view = buffer.getBytes();
    view.put(0, (byte) 1);
    buffer.close();
    assertEquals(List.of(), scene.backend.getHazards(), "written before");
    view.put(7, (byte) 2);
    try (PooledPinnedBuffer next = pool.acquire(1000)) {
      next.getBytes().put(8, (byte) 3);
    }
    assertEquals(
        List.of(HazardCode.USE_AFTER_FREE),
        scene.backend.getHazards().stream().map(HazardReport::code).toList());
    assertTrue(scene.backend.getHazards().get(0).toString().contains("before byte 7 was written"));
    pool.close();
    scene.backend.clearHazards();
  }

  @Test
  @DisplayName("42.15 a copy that fills the buffer after its close is no write of the host")
  void copyAfterClose() {
    PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
    try (Allocation source = scene.allocator.allocate(1000, scene.s1)) {
      scene.work(scene.s1, source.getAddress(), 1000);
      PooledPinnedBuffer buffer = pool.acquire(1000);
      buffer.copyToHost(source.getAddress(), scene.s1);
      buffer.close();
      scene.s1.synchronize();
      pool.acquire(1000).close();
    }
    assertEquals(1, pool.getHits());
  }

  @Test
  @DisplayName("56 bytes outside of those are not shown, though the memory may be larger")
  void inside() {
    PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
    try (PooledPinnedBuffer buffer = pool.acquire(1000)) {
      assertTrue(buffer.getMemory().getSize() > 1000);
      assertThrows(InvalidArgumentException.class, () -> buffer.getBytes(0, 1001));
      assertThrows(InvalidArgumentException.class, () -> buffer.getBytes(1000, 1));
      assertThrows(InvalidArgumentException.class, () -> buffer.getBytes(-1, 1));
      assertThrows(InvalidArgumentException.class, () -> buffer.getBytes(0, -1));
    }
  }

  @Test
  @DisplayName("57 a host that gives nothing costs nothing of the limit, however often")
  void failingHost() {
    PinnedPoolBuilder small = PinnedPool.builder(scene.device).byteLimit(MIB);
    PinnedPool pool = scene.closing(small.build());
    for (int i = 0; i < 3; i++) {
      scene.backend.getFaults().failNext("cuMemAllocHost", Fault.UNKNOWN);
      assertThrows(DriverException.class, () -> pool.acquire(MIB));
      assertEquals(0, pool.getLockedBytes());
    }
    pool.acquire(MIB).close();
    assertEquals(MIB, pool.getLockedBytes());
    assertEquals(1, pool.getMisses());
  }

  @Test
  @DisplayName("57 sizes of 0 and less and beyond 1 EiB are refused")
  void sizes() {
    PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
    for (long wrong : new long[] {0, -1, (1L << 60) + 1, Long.MAX_VALUE}) {
      assertThrows(InvalidArgumentException.class, () -> pool.acquire(wrong), "" + wrong);
    }
    pool.acquire(1).close();
  }
}
