package org.vramkit.interop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.testkit.sim.SimulatedGpu;

@DisplayName("Tensors pass to a C library and back by DLPack")
@SimulatedGpu
class DlpackTest {
  private static final long[] SHAPE = {2, 3, 5};

  private final CachingAllocator allocator;
  private final Stream stream;
  private final Consumer library;

  DlpackTest(SimDevice device, SimStream stream) throws IOException, InterruptedException {
    this.stream = stream;
    allocator = CachingAllocator.create(device);
    library = Consumer.get();
  }

  @AfterEach
  void nothingLeft() {
    allocator.close();
    assertEquals(0, Dlpack.getExportedCount(), "exported tensors");
  }

  @Test
  @DisplayName("23.7 a consumer reads version, device, type, shape and strides, and deletes it")
  void consumed() throws Throwable {
    Allocation allocation = allocator.allocate(30 * 4, stream);
    MemorySegment tensor = Dlpack.export(allocation, SHAPE, ElementType.FLOAT32);
    assertEquals(1, Dlpack.getExportedCount());
    // Version 1, device type 2, device 0, code 2, 32 bits; 30 elements.
    assertEquals(1_202_032_000_030L, library.consume(tensor));
    assertTrue(allocation.isClosed());
    Allocation single = allocator.allocate(2, stream);
    MemorySegment scalar = Dlpack.export(single, new long[0], ElementType.BFLOAT16);
    assertEquals(1_204_016_000_001L, library.consume(scalar));
    Allocation empty = allocator.allocate(0, stream);
    MemorySegment nothing = Dlpack.export(empty, new long[] {0, 7}, ElementType.INT64);
    assertEquals(1_200_064_000_000L, library.consume(nothing));
  }

  @Test
  @DisplayName("23.7 a tensor of a library's is an allocation, and goes back to it once")
  void wrapped() throws Throwable {
    long before = library.getDeleted();
    try (Allocation memory = allocator.allocate(4096, stream)) {
      MemorySegment theirs = library.produce(memory.getAddress(), 0, 6, 7);
      DlpackTensor tensor = Dlpack.wrap(theirs, stream);
      assertEquals(memory.getAddress() + 256, tensor.getAllocation().getAddress());
      assertEquals(6 * 7 * 4, tensor.getAllocation().getSize());
      assertArrayEquals(new long[] {6, 7}, tensor.getShape());
      assertEquals(ElementType.FLOAT32, tensor.getType());
      assertTrue(tensor.isReadOnly());
      assertTells(() -> Dlpack.wrap(theirs, stream), "already wrapped");
      assertEquals(before, library.getDeleted());
      tensor.close();
      tensor.close();
      assertEquals(before + 1, library.getDeleted());
    }
  }

  @Test
  @DisplayName("23.7 an exported tensor can be wrapped: both share the memory, which is freed once")
  void roundTrip() {
    Allocation allocation = allocator.allocate(120, stream);
    long address = allocation.getAddress();
    MemorySegment exported = Dlpack.export(allocation, SHAPE, ElementType.INT32);
    try (DlpackTensor tensor = Dlpack.wrap(exported, stream)) {
      assertEquals(address, tensor.getAllocation().getAddress());
      assertArrayEquals(SHAPE, tensor.getShape());
      assertFalse(tensor.isReadOnly());
      assertFalse(allocation.isClosed());
    }
    assertTrue(allocation.isClosed());
  }

  @Test
  @DisplayName("23.7 many round trips leave neither tensors nor allocations nor native memory")
  void manyRoundTrips() {
    for (int i = 0; i < 20_000; i++) {
      MemorySegment exported =
          Dlpack.export(allocator.allocate(120, stream), SHAPE, ElementType.INT32);
      Dlpack.wrap(exported, stream).close();
    }
    assertEquals(0, Dlpack.getExportedCount());
    assertEquals(0, allocator.getStatistics().getLiveBytes());
  }

  @Test
  @DisplayName("23.8 an allocation has one tensor at a time: a second one would close it under it")
  void exportedTwice() {
    Allocation allocation = allocator.allocate(120, stream);
    MemorySegment tensor = Dlpack.export(allocation, SHAPE, ElementType.FLOAT32);
    assertTells(
        () -> Dlpack.export(allocation, new long[] {120}, ElementType.INT8), "already exported");
    assertEquals(1, Dlpack.getExportedCount());
    assertFalse(allocation.isClosed(), "the first tensor's");
    Dlpack.release(tensor);
    assertThrows(
        ClosedException.class, () -> Dlpack.export(allocation, SHAPE, ElementType.FLOAT32));
    // An allocation can be exported after an export that failed for another reason.
    Allocation another = allocator.allocate(120, stream);
    assertTells(
        () -> Dlpack.export(another, new long[] {121}, ElementType.INT8),
        "its allocation has 120 B");
    Dlpack.release(Dlpack.export(another, SHAPE, ElementType.FLOAT32));
  }

  @Test
  @DisplayName("23.8 a tensor that was taken from another library can be passed on, as a new one")
  void passedOn() throws Throwable {
    long before = library.getDeleted();
    try (Allocation memory = allocator.allocate(4096, stream)) {
      Allocation theirs =
          Dlpack.wrap(library.produce(memory.getAddress(), 0, 6, 7), stream).getAllocation();
      MemorySegment ours = Dlpack.export(theirs, new long[] {42}, ElementType.FLOAT32);
      assertEquals(before, library.getDeleted());
      library.consume(ours);
      assertTrue(theirs.isClosed());
      assertEquals(before + 1, library.getDeleted());
    }
  }

  private static void assertTells(Executable call, String part) {
    InvalidArgumentException error = assertThrows(InvalidArgumentException.class, call);
    assertTrue(error.toString().contains(part), error.toString());
  }

  @Test
  @DisplayName("23.8 a tensor that is not what its allocation holds is not exported")
  void badExports() {
    try (Allocation allocation = allocator.allocate(120, stream)) {
      assertTells(
          () -> Dlpack.export(allocation, new long[] {31}, ElementType.FLOAT32),
          "[31] FLOAT32 needs 124 B");
      assertTells(
          () -> Dlpack.export(allocation, new long[] {5, -6}, ElementType.FLOAT32),
          "dimensions must be 0 or more, not -6");
      assertTells(
          () -> Dlpack.export(allocation, new long[] {1L << 40, 1L << 40}, ElementType.INT8),
          "exceeds 2^63 - 1 bytes");
      assertTells(() -> Dlpack.export(allocation, new long[65], ElementType.INT8), "65 dimensions");
      assertFalse(allocation.isClosed(), "still its owner's");
    }
    Allocation closed = allocator.allocate(120, stream);
    closed.close();
    assertThrows(ClosedException.class, () -> Dlpack.export(closed, SHAPE, ElementType.INT8));
  }

  @Test
  @DisplayName("23.8 a tensor that cannot be one of ours is refused, and stays its library's")
  void badTensors() throws Throwable {
    long before = library.getDeleted();
    MemorySegment theirs = library.produce(0x1000, 0, 6, 7);
    long self = theirs.address();
    assertTells(() -> Dlpack.wrap(MemorySegment.NULL, stream), "pointer is null");
    spoil(self, DlpackLayout.MAJOR, 2, "DLPack version 2, not 1");
    spoil(self, DlpackLayout.DEVICE_TYPE, 1, "device type 1");
    spoil(self, DlpackLayout.DEVICE_ID, 3, "of device 3");
    spoil(self, DlpackLayout.DIMENSIONS, 1000, "1000 dimensions");
    spoil(self, DlpackLayout.TYPE_CODE, 0x0002_2002, "2 lanes");
    spoil(self, DlpackLayout.TYPE_CODE, 0x0001_4005, "code 5");
    long strides = DlpackLayout.getLong(self + DlpackLayout.STRIDES);
    DlpackLayout.putLong(strides, 8);
    assertTells(() -> Dlpack.wrap(theirs, stream), "stride of 8");
    DlpackLayout.putLong(strides, 7);
    DlpackLayout.putLong(self + DlpackLayout.DATA, 0);
    assertTells(() -> Dlpack.wrap(theirs, stream), "but a null data pointer");
    DlpackLayout.putLong(self + DlpackLayout.DATA, 0x1000);
    assertEquals(before, library.getDeleted());
    Dlpack.wrap(theirs, stream).close();
    assertEquals(before + 1, library.getDeleted());
  }

  private void spoil(long self, long member, int value, String part) {
    int right = DlpackLayout.getInt(self + member);
    DlpackLayout.putInt(self + member, value);
    assertTells(() -> Dlpack.wrap(MemorySegment.ofAddress(self), stream), part);
    DlpackLayout.putInt(self + member, right);
  }

  @Test
  @DisplayName("23.8 a tensor is given back once, and only what was exported")
  void releases() {
    MemorySegment tensor =
        Dlpack.export(allocator.allocate(120, stream), SHAPE, ElementType.FLOAT32);
    Dlpack.release(tensor);
    assertTells(() -> Dlpack.release(tensor), "already released");
    assertTells(() -> Dlpack.release(MemorySegment.ofAddress(64)), "0x40");
  }
}
