package org.vramkit.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.testkit.sim.SimulatedGpu;

@DisplayName("The programs of docs/native.md")
@SimulatedGpu
class NativePageTest {
  private final CachingAllocator allocator;
  private final Stream stream;

  NativePageTest(SimDevice device, SimStream stream) {
    this.stream = stream;
    allocator = CachingAllocator.create(device);
  }

  @AfterEach
  void nothingLeft() {
    allocator.close();
    assertEquals(0, Dlpack.getExportedCount(), "exported tensors");
  }

  @Test
  @DisplayName("23.5 gives a library function pointers")
  void pointers() {
    try (NativeAllocator natives = NativeAllocator.of(allocator, NativeSignature.SIZE, stream)) {
      // natives.getAllocate(): void* (size_t), natives.getFree(): void (void*)
      assertNotEquals(natives.getAllocate(), natives.getFree());
    }
  }

  @Test
  @DisplayName("23.7 exports a tensor, and wraps one")
  void tensors() {
    long rows = 4;
    long columns = 8;
    Allocation allocation = allocator.allocate(rows * columns * 4, stream);
    MemorySegment tensor =
        Dlpack.export(allocation, new long[] {rows, columns}, ElementType.FLOAT32);
    // pass it to one consumer, which calls the deleter later; or, without a consumer:
    Dlpack.release(tensor);
    assertTrue(allocation.isClosed());

    Allocation another = allocator.allocate(rows * columns * 4, stream);
    long[] shape = {rows, columns};
    MemorySegment pointer = Dlpack.export(another, shape, ElementType.FLOAT32);
    try (DlpackTensor theirs = Dlpack.wrap(pointer, stream)) {
      long first = theirs.getAllocation().getAddress();
      assertEquals(another.getAddress(), first);
    }
    assertTrue(another.isClosed());
  }
}
