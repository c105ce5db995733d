package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.pinned.PooledPinnedBuffer;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.sim.SimStream;

@DisplayName(
    "17.25 memory that other streams used is reused after their uses, by one" + " caller at a time")
class HandOutTest {
  private static final int COUNT = 5;

  private final PoolScene scene = new PoolScene(AllocatorKind.NATIVE);
  private final SimStream third = scene.closing(scene.device.createStream());

  @AfterEach
  void close() {
    scene.close();
  }

  /** Lets streams work on memory of the first one, in its order. */
  private void use(long address, long bytes, SimStream... users) {
    try (Event now = scene.device.createEvent()) {
      now.record(scene.s1);
      for (SimStream user : users) {
        user.waitFor(now);
      }
    }
    // The last works longest.
    for (int i = 0; i < users.length; i++) {
      for (int turn = 0; turn <= 2 * i; turn++) {
        if (i == 0) {
          scene.work(users[i], address, bytes / 2);
        } else {
          scene.work(users[i], address + bytes / 2, bytes / 2);
        }
      }
    }
  }

  @Test
  @DisplayName("17.25 buffers that come free together are handed out once each")
  void buffersOnceEach() {
    BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
    List<TypedBuffer> buffers = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      buffers.add(pool.acquire(ElementType.INT8, MIB, scene.s1));
    }
    for (TypedBuffer buffer : buffers) {
      use(buffer.getAddress(), MIB, scene.s2);
      buffer.recordUse(scene.s2);
      buffer.close();
    }
    scene.device.synchronize();
    Set<Long> addresses = new HashSet<>();
    List<TypedBuffer> again = new ArrayList<>();
    // More than there are: those beyond make the pool look for what came free once more.
    for (int i = 0; i < 2 * COUNT; i++) {
      again.add(pool.acquire(ElementType.INT8, MIB, scene.s1));
      addresses.add(again.get(i).getAddress());
    }
    assertEquals(2 * COUNT, addresses.size(), "one was handed out twice");
    assertEquals(COUNT, pool.getStatistics().hits());
    again.forEach(TypedBuffer::close);
    assertEquals(2 * COUNT * MIB, pool.getCachedBytes(0));
  }

  @Test
  @DisplayName("17.25 page-locked buffers that come free together are handed out once each")
  void pinnedOnceEach() {
    PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
    Allocation target = scene.closing(scene.allocator.allocate(MIB, scene.s1));
    List<PooledPinnedBuffer> buffers = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      buffers.add(pool.acquire(MIB));
    }
    for (PooledPinnedBuffer buffer : buffers) {
      buffer.copyToDevice(target.getAddress(), scene.s1);
      buffer.close();
    }
    scene.device.synchronize();
    assertEquals(COUNT * MIB, pool.getFreeBytes(), "free as soon as it is asked for");
    Set<Long> addresses = new HashSet<>();
    List<PooledPinnedBuffer> again = new ArrayList<>();
    for (int i = 0; i < 2 * COUNT; i++) {
      again.add(pool.acquire(MIB));
      addresses.add(again.get(i).getMemory().getAddress());
    }
    assertEquals(2 * COUNT, addresses.size(), "one was handed out twice");
    again.forEach(PooledPinnedBuffer::close);
    assertEquals(2 * COUNT * MIB, pool.getFreeBytes());
  }

  @Test
  @DisplayName("17.25 trimming page-locked buffers finds those whose copies are done")
  void trimFindsDone() {
    PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
    Allocation target = scene.closing(scene.allocator.allocate(MIB, scene.s1));
    try (PooledPinnedBuffer buffer = pool.acquire(MIB)) {
      buffer.copyToDevice(target.getAddress(), scene.s1);
    }
    scene.device.synchronize();
    pool.trim(0);
    assertEquals(0, pool.getLockedBytes());
  }

  @Test
  @Tag("virtual-time")
  @DisplayName("17.25 a host buffer that is being filled is not handed out before it is full")
  void pinnedDownload() {
    PinnedPool pool = scene.closing(PinnedPool.create(scene.device));
    Allocation source = scene.closing(scene.allocator.allocate(MIB, scene.s1));
    PooledPinnedBuffer buffer = pool.acquire(MIB);
    long address = buffer.getMemory().getAddress();
    scene.work(scene.s1, source.getAddress(), MIB);
    buffer.copyToHost(source.getAddress(), scene.s1);
    buffer.close();
    try (PooledPinnedBuffer meanwhile = pool.acquire(MIB)) {
      assertNotEquals(address, meanwhile.getMemory().getAddress());
      scene.s1.synchronize();
      try (PooledPinnedBuffer later = pool.acquire(MIB)) {
        assertEquals(address, later.getMemory().getAddress());
      }
    }
  }

  @Test
  @DisplayName("17.25 a buffer waits for each of two other users, be the second the later one")
  void bufferOfTwoUsers() {
    BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
    try (TypedBuffer buffer = pool.acquire(ElementType.INT8, MIB, scene.s1)) {
      use(buffer.getAddress(), MIB, scene.s2, third);
      buffer.recordUse(scene.s2);
      buffer.recordUse(third);
    }
    scene.s2.synchronize();
    workOn(pool);
    scene.device.synchronize();
    workOn(pool);
  }

  /** The checker sees whether the memory is the stream's by now. */
  private void workOn(BufferPool pool) {
    try (TypedBuffer buffer = pool.acquire(ElementType.INT8, MIB, scene.s1)) {
      scene.work(scene.s1, buffer.getAddress(), MIB);
    }
  }

  @Test
  @DisplayName("17.25 an allocation waits for each of two other users, be the second the later one")
  void allocationOfTwoUsers() {
    StreamOrderedPool pool = scene.closing(StreamOrderedPool.builder(scene.device).build());
    try (Allocation memory = pool.allocate(MIB, scene.s1)) {
      use(memory.getAddress(), MIB, scene.s2, third);
      memory.recordUse(scene.s2);
      memory.recordUse(third);
      memory.recordUse(third);
    }
    scene.s2.synchronize();
    for (Stream each : List.of(scene.s1, third)) {
      try (Allocation memory = pool.allocate(MIB, each)) {
        scene.work((SimStream) each, memory.getAddress(), MIB);
      }
    }
  }

  @Test
  @DisplayName("17.25 one user that is recorded again and again is marked once")
  void markedOnce() {
    BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
    TypedBuffer buffer = pool.acquire(ElementType.INT8, MIB, scene.s1);
    for (int i = 0; i < COUNT; i++) {
      buffer.recordUse(scene.s2);
      buffer.recordUse(third);
      buffer.recordUse(scene.s1);
    }
    scene.backend.getDriverCalls().reset();
    buffer.close();
    assertEquals(2, scene.backend.getDriverCalls().getCount("cuEventRecord"));
  }
}
