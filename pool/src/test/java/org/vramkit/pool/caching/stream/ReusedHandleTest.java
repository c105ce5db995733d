package org.vramkit.pool.caching.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.support.ReusedHandles;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimKernel;

@DisplayName("A stream that has the handle of a closed one")
class ReusedHandleTest {
  private static final long WORK_NANOS = 50_000_000;

  /** A device and an allocator; closing demands no hazard and no leak. */
  private static final class Scene implements AutoCloseable {
    final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
    final ReusedHandles handles = new ReusedHandles(backend.getDevice(0));
    final CachingAllocator allocator;
    private final List<Allocation> open = new ArrayList<>();

    Scene(VirtualMemoryUse use) {
      allocator = CachingAllocator.builder(handles.device).virtualMemory(use).build();
    }

    /** A stream of the one handle that the driver gives again and again. */
    Stream newStream() {
      return handles.newStream(7);
    }

    /** Keeps a stream busy with a block. */
    static void work(Stream stream, Allocation block) {
      ReusedHandles.simulated(stream)
          .launch(
              SimKernel.named("work")
                  .writes(block.getAddress(), block.getSize())
                  .taking(WORK_NANOS)
                  .build());
    }

    /** Stays open until the scene is closed. */
    Allocation closing(Allocation allocation) {
      open.add(allocation);
      return allocation;
    }

    @Override
    public void close() {
      open.forEach(Allocation::close);
      allocator.close();
      assertEquals(List.of(), backend.getHazards(), "hazards");
      assertEquals(List.of(), backend.getLeaks(), "leaks");
    }
  }

  @OnBothMemories
  @DisplayName("R7 gets no memory that the closed one may still be using")
  void cachedBlock(VirtualMemoryUse use) {
    for (long size : new long[] {4096, 4 * MIB, 40 * MIB}) {
      try (Scene scene = new Scene(use)) {
        Stream closed = scene.newStream();
        Allocation block = scene.allocator.allocate(size, closed);
        Scene.work(closed, block);
        block.close();
        closed.close();
        try (Stream next = scene.newStream();
            Allocation other = scene.allocator.allocate(size, next)) {
          Scene.work(next, other);
        }
      }
    }
  }

  @OnBothMemories
  @DisplayName("R7 comes and goes: what is known of each is forgotten, and stays in the books")
  void retired(VirtualMemoryUse use) {
    try (Scene scene = new Scene(use)) {
      int tasks = 500;
      for (int i = 0; i < tasks; i++) {
        try (Stream task = scene.newStream();
            Allocation block = scene.allocator.allocate(MIB + i * 512L, task)) {
          Scene.work(task, block);
        }
      }
      assertEquals(tasks, scene.allocator.getStatistics().allocations().removed());
    }
  }

  @OnBothMemories
  @DisplayName("R7 has one line with it in the statistics, which list streams by handle")
  void statistics(VirtualMemoryUse use) {
    try (Scene scene = new Scene(use)) {
      Stream closed = scene.newStream();
      Allocation block = scene.allocator.allocate(MIB, closed);
      closed.close();
      try (Stream next = scene.newStream()) {
        scene.allocator.allocate(4096, next).close();
        List<StreamStatistics> streams = scene.allocator.getStatistics().streams();
        assertEquals(new StreamStatistics("0x7", MIB, 4096, 0), streams.get(0));
        assertEquals("shared", streams.get(1).stream());
        SnapshotChecks.assertAgrees(scene.allocator);
        block.close();
      }
    }
  }

  @OnBothMemories
  @DisplayName("R7 is another object for the same stream while both are open: they share memory")
  void twin(VirtualMemoryUse use) {
    try (Scene scene = new Scene(use);
        Stream original = scene.newStream()) {
      Stream wrapped = scene.handles.wrap(original);
      Allocation block = scene.allocator.allocate(4096, wrapped);
      long address = block.getAddress();
      Scene.work(original, block);
      block.close();
      try (Allocation next = scene.allocator.allocate(4096, original)) {
        assertEquals(address, next.getAddress());
      }
      wrapped.close();
      try (Stream rewrapped = scene.handles.wrap(original)) {
        Allocation other = scene.allocator.allocate(4096, rewrapped);
        long shared = other.getAddress();
        other.close();
        try (Allocation next = scene.allocator.allocate(4096, original)) {
          assertEquals(shared, next.getAddress(), "after a wrapper was closed");
        }
      }
    }
  }

  @OnBothMemories
  @DisplayName("R7 recorded as a user does not stand in for a closed user that goes on working")
  void closedUser(VirtualMemoryUse use) {
    try (Scene scene = new Scene(use);
        Stream owner = scene.handles.newStream(1)) {
      Allocation busy = scene.allocator.allocate(MIB, owner);
      Allocation other = scene.allocator.allocate(MIB, owner);
      owner.synchronize();
      Stream closed = scene.newStream();
      Scene.work(closed, busy);
      busy.recordUse(closed);
      closed.close();
      try (Stream next = scene.newStream()) {
        other.recordUse(next);
        other.close();
        busy.close();
        for (int i = 0; i < 2; i++) {
          Scene.work(owner, scene.closing(scene.allocator.allocate(MIB, owner)));
        }
      }
    }
  }

  @OnBothMemories
  @DisplayName(
      "R7 a captured stream with a reused handle keeps its blocks, and a trim does not wait for"
          + " it")
  @SuppressWarnings("try") // what is given up is not used
  void capturedUser(VirtualMemoryUse use) {
    try (Scene scene = new Scene(use);
        PrivatePool pool = scene.allocator.createPool();
        Stream owner = scene.handles.newStream(1)) {
      Stream closed = scene.newStream();
      Allocation first = scene.allocator.allocate(MIB, owner);
      owner.synchronize();
      Scene.work(closed, first);
      first.recordUse(closed);
      first.close();
      closed.close();
      try (Stream next = scene.newStream()) {
        Allocation second = scene.allocator.allocate(2 * MIB, owner);
        second.recordUse(next);
        try (PoolCapture capture = pool.capture(next)) {
          second.close();
          scene.allocator.trim(0);
        }
        scene.allocator.trim(0);
        assertEquals(0, scene.allocator.getStatistics().reserved().current());
      }
    }
  }

  @OnBothMemories
  @DisplayName("R7 is another user of the closed one's memory, and of what that one used")
  void recordedUse(VirtualMemoryUse use) {
    try (Scene scene = new Scene(use);
        Stream owner = scene.handles.newStream(1)) {
      Stream closed = scene.newStream();
      Allocation itsOwn = scene.allocator.allocate(MIB, closed);
      Allocation used = scene.allocator.allocate(2 * MIB, owner);
      used.recordUse(closed);
      closed.close();
      try (Stream next = scene.newStream()) {
        itsOwn.recordUse(next);
        used.recordUse(next);
        itsOwn.close();
        assertEquals(3 * MIB, scene.allocator.getStatistics().active().current());
        scene.backend.getDriverCalls().reset();
        used.close();
        assertEquals(3 * MIB, scene.allocator.getStatistics().active().current());
        assertEquals(1, scene.backend.getDriverCalls().getCount("cuEventRecord"), "of the new one");
      }
    }
  }

  @OnBothMemories
  @DisplayName(
      "R7 is still the old one where only a wrapper was closed: nothing waits for the device")
  void closedWrapper(VirtualMemoryUse use) {
    try (Scene scene = new Scene(use);
        Stream original = scene.newStream()) {
      Stream wrapper = scene.handles.wrap(original);
      scene.allocator.allocate(MIB, wrapper).close();
      scene.allocator.allocate(MIB, original).close();
      wrapper.close();
      allocateBusy(scene, original, 30 * MIB);
      scene.backend.getDriverCalls().reset();
      allocateBusy(scene, original, 60 * MIB);
      allocateBusy(scene, original, 90 * MIB);
      assertEquals(0, scene.backend.getDriverCalls().getCount("cuCtxSynchronize"));
    }
  }

  private static void allocateBusy(Scene scene, Stream stream, long size) {
    try (Allocation block = scene.allocator.allocate(size, stream)) {
      Scene.work(stream, block);
    }
  }
}
