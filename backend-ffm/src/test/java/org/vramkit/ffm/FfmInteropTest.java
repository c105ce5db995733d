package org.vramkit.ffm;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.cuda.SimulatedDriver;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("23.1 Streams and memory go to native code as segments, and come back")
class FfmInteropTest {
  private final SimBackend sim =
      SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build();
  private final PlayedLibrary library = new PlayedLibrary(new SimulatedDriver(sim));
  private final CudaBackend backend = CudaBackend.open("ffm", FfmDriver.of(library, false));
  private final Device device = backend.getDevice(0);

  @AfterEach
  void nothingLeft() {
    backend.close();
    assertEquals(List.of(), library.failures);
    assertEquals(List.of(), sim.getHazards());
    assertEquals(List.of(), sim.getLeaks());
  }

  @Test
  @DisplayName("a pointer is the address, and the host cannot touch what lies there")
  void pointer() {
    try (CachingAllocator allocator = CachingAllocator.create(device);
        Stream stream = device.createStream();
        Allocation allocation = allocator.allocate(1000, stream)) {
      MemorySegment pointer = FfmInterop.pointer(allocation);
      assertEquals(allocation.getAddress(), pointer.address());
      assertThrows(IndexOutOfBoundsException.class, () -> pointer.get(ValueLayout.JAVA_BYTE, 0));
    }
  }

  @Test
  @DisplayName(
      "a stream has the driver's handle, and a foreign stream is wrapped and not destroyed")
  void streams() {
    Stream owned = device.createStream();
    MemorySegment native_ = FfmInterop.stream(owned);
    assertEquals(owned.getHandle(), native_.address());
    Stream wrapped = FfmInterop.wrap(device, native_);
    wrapped.synchronize();
    wrapped.close();
    assertTrue(owned.isIdle(), "still open");
    owned.close();
    assertThrows(ClosedException.class, () -> FfmInterop.stream(owned));
    assertEquals(device.getDefaultStream(), FfmInterop.wrap(device, MemorySegment.NULL));
    Stream simulated = sim.getDevice(0).getDefaultStream();
    assertThrows(InvalidArgumentException.class, () -> FfmInterop.stream(simulated));
  }

  @Test
  @DisplayName("foreign memory is an allocation, and its close calls the owner once")
  void memory() {
    try (Stream stream = device.createStream()) {
      long address = device.getMemory().allocate(4096);
      List<String> told = new ArrayList<>();
      Allocation foreign =
          FfmInterop.wrap(MemorySegment.ofAddress(address), 4096, stream, () -> told.add("freed"));
      assertEquals(4096, foreign.getSize());
      foreign.close();
      foreign.close();
      assertEquals(List.of("freed"), told);
      device.getMemory().free(address);
    }
  }

  private static void assertTells(Class<? extends Exception> type, Executable call, String part) {
    String told = assertThrows(type, call).toString();
    assertTrue(told.contains(part), told);
  }

  @Test
  @DisplayName(
      "23.1 closed handles, handles of another backend and null handles are rejected with a"
          + " message")
  @SuppressWarnings("NullAway") // passes null on purpose
  void badUses() {
    Device simulated = sim.getDevice(0);
    MemorySegment perThread = MemorySegment.ofAddress(2);
    MemorySegment memory = MemorySegment.ofAddress(0x10000);
    Stream closed = device.createStream();
    closed.close();
    try (CachingAllocator allocator = CachingAllocator.create(device);
        Stream stream = device.createStream();
        Stream other = backend.getDevice(1).createStream()) {
      Allocation allocation = allocator.allocate(1000, stream);
      allocation.close();
      Allocation foreign = FfmInterop.wrap(memory, 4096, stream, () -> {});
      assertAll(
          () ->
              assertTells(ClosedException.class, () -> FfmInterop.pointer(allocation), "is closed"),
          () -> assertTells(ClosedException.class, () -> FfmInterop.stream(closed), "is closed"),
          () ->
              assertTells(
                  InvalidArgumentException.class,
                  () -> FfmInterop.stream(simulated.getDefaultStream()),
                  "not a stream of a CUDA backend"),
          () ->
              assertTells(
                  InvalidArgumentException.class,
                  () -> FfmInterop.wrap(simulated, memory),
                  "not a device of a CUDA backend"),
          () ->
              assertTells(
                  InvalidArgumentException.class,
                  () -> FfmInterop.wrap(device, perThread),
                  "CU_STREAM_PER_THREAD"),
          () ->
              assertTells(
                  InvalidArgumentException.class,
                  () -> FfmInterop.wrap(memory, -1, stream, () -> {}),
                  "not -1"),
          () ->
              assertTells(
                  InvalidArgumentException.class,
                  () -> foreign.recordUse(other),
                  "whose memory this is"),
          () -> assertThrows(NullPointerException.class, () -> FfmInterop.wrap(device, null)));
      foreign.close();
      assertTells(ClosedException.class, () -> FfmInterop.pointer(foreign), "is closed");
      assertTells(ClosedException.class, () -> foreign.recordUse(stream), "is closed");
    }
    Stream survivor = device.getDefaultStream();
    backend.close();
    assertTells(ClosedException.class, () -> FfmInterop.stream(survivor), "is closed");
  }
}
