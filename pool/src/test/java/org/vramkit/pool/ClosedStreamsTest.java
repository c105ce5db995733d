package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimStream;

@DisplayName("A stream closed before the memory that was taken on it")
class ClosedStreamsTest {

  @ParameterizedTest
  @EnumSource
  @DisplayName("is a correct program: the simulator has nothing to say, not even a warning")
  void noWarning(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      SimStream stream = scene.device.createStream();
      Allocation block = scene.allocator.allocate(4096, stream);
      Allocation shared = scene.allocator.allocate(4096, scene.s1);
      scene.work(stream, block.getAddress(), 4096);
      shared.recordUse(stream);
      try (SimEvent allocated = scene.device.createEvent()) {
        allocated.record(scene.s1);
        stream.waitFor(allocated);
      }
      scene.work(stream, shared.getAddress(), 4096);
      stream.close();
      block.close();
      shared.close();
      scene.allocator.allocate(4096, scene.s2).close();
      scene.allocator.trim(0);
      assertEquals(List.of(), scene.backend.getWarnings());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("17.15 may be recorded after its close: its earlier work holds the memory")
  void recordedAfterItsClose(AllocatorKind kind) {
    try (PoolScene scene = new PoolScene(kind)) {
      SimStream stream = scene.device.createStream();
      Allocation shared = scene.allocator.allocate(4096, scene.s1);
      try (SimEvent allocated = scene.device.createEvent()) {
        allocated.record(scene.s1);
        stream.waitFor(allocated);
      }
      scene.work(stream, shared.getAddress(), 4096);
      stream.close();
      shared.recordUse(stream);
      shared.close();
      try (Allocation next = scene.allocator.allocate(4096, scene.s1)) {
        scene.work(scene.s1, next.getAddress(), 4096);
      }
      scene.allocator.trim(0);
      assertEquals(List.of(), scene.backend.getWarnings());
    }
  }
}
