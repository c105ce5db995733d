package org.vramkit.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;
import org.vramkit.testkit.sim.Ordinal;
import org.vramkit.testkit.sim.SimulatedGpu;

@DisplayName("A C library takes its memory from the allocator, by function pointers")
@SimulatedGpu(devices = 2)
class NativeAllocatorTest {
  private final SimDevice device;
  private final CachingAllocator allocator;
  private final Consumer library;

  NativeAllocatorTest(SimDevice device) throws IOException, InterruptedException {
    this.device = device;
    allocator = CachingAllocator.create(device);
    library = Consumer.get();
  }

  @AfterEach
  void nothingLeft() {
    device.synchronize();
    allocator.close();
  }

  @Test
  @DisplayName("23.5 pairs, and thousands of blocks at once in any order, leave nothing")
  void takesAndGivesBack() throws Throwable {
    try (NativeAllocator natives = NativeAllocator.of(allocator, NativeSignature.SIZE)) {
      assertTrue(library.pairs(natives.getAllocate(), natives.getFree(), 4096, 10_000) >= 0);
      assertEquals(20_011, library.many(natives.getAllocate(), natives.getFree(), 20_011));
      assertEquals(List.of(), natives.getLive());
      assertTrue(natives.getLastFailure().isEmpty());
    }
  }

  @Test
  @DisplayName("23.5 threads that native code calls from take memory side by side")
  void threads() throws Throwable {
    try (NativeAllocator natives = NativeAllocator.of(allocator, NativeSignature.SIZE)) {
      List<Long> got = new CopyOnWriteArrayList<>();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        threads.add(
            new Thread(
                () -> {
                  try {
                    got.add(library.many(natives.getAllocate(), natives.getFree(), 2003));
                  } catch (Throwable e) {
                    got.add(-1L);
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread each : threads) {
        each.join();
      }
      assertEquals(List.of(2003L, 2003L, 2003L, 2003L), got);
      assertEquals(List.of(), natives.getLive());
    }
  }

  @Test
  @DisplayName("23.5 memory comes from a private pool, which is released on request")
  void privatePool() throws Throwable {
    try (NativeAllocator natives = NativeAllocator.of(allocator, NativeSignature.SIZE)) {
      library.pairs(natives.getAllocate(), natives.getFree(), 1 << 20, 1);
      assertTrue(allocator.getStatistics().reserved().current() > 0);
      device.synchronize();
      MethodHandle emptyCache =
          Linker.nativeLinker()
              .downcallHandle(natives.getEmptyCache(), FunctionDescriptor.ofVoid());
      emptyCache.invokeExact();
      assertEquals(0, allocator.getStatistics().reserved().current());
    }
  }

  @Test
  @DisplayName("23.5 PyTorch's shape: memory of the stream that the call names, by its handle")
  void deviceAndStream() throws Throwable {
    SimStream training = device.createStream();
    SimStream loading = device.createStream();
    try (NativeAllocator natives =
        NativeAllocator.of(allocator, NativeSignature.SIZE_DEVICE_STREAM, training)) {
      natives.addStream(loading);
      long memory = library.allocateOn(natives.getAllocate(), 4096, 0, loading.getHandle());
      assertEquals(loading, natives.getLive().get(0).getStream());
      loading.fill(memory, (byte) 1, 4096);
      try (Event loaded = device.createEvent()) {
        loaded.record(loading);
        training.waitFor(loaded);
      }
      training.launch(SimKernel.named("train").reads(memory, 4096).build());
      // Freed on the stream that used it last; the next block's stream waits for that one.
      library.freeOn(natives.getFree(), memory, 4096, 0, training.getHandle());
      long next = library.allocateOn(natives.getAllocate(), 4096, 0, loading.getHandle());
      loading.fill(next, (byte) 2, 4096);
      library.freeOn(natives.getFree(), next, 4096, 0, loading.getHandle());
      long legacy = library.allocateOn(natives.getAllocate(), 100, 0, 0);
      assertEquals(device.getDefaultStream(), natives.getLive().get(0).getStream());
      library.freeOn(natives.getFree(), legacy, 100, 0, 0);
      assertTrue(natives.getLastFailure().isEmpty());
    }
    device.synchronize();
    training.close();
    loading.close();
  }

  @Test
  @DisplayName("23.5 PyTorch's record_stream: a block waits for the streams that native code names")
  void recordsUses() throws Throwable {
    SimStream training = device.createStream();
    SimStream copying = device.createStream();
    try (NativeAllocator natives =
        NativeAllocator.of(allocator, NativeSignature.SIZE_DEVICE_STREAM, training)) {
      long memory = library.allocateOn(natives.getAllocate(), 4096, 0, training.getHandle());
      training.fill(memory, (byte) 1, 4096);
      try (Event filled = device.createEvent()) {
        filled.record(training);
        copying.waitFor(filled);
      }
      copying.launch(SimKernel.named("copy").reads(memory, 4096).taking(1_000_000).build());
      natives.addStream(copying);
      library.recordUse(natives.getRecordUse(), memory, copying.getHandle());
      library.freeOn(natives.getFree(), memory, 4096, 0, training.getHandle());
      long next = library.allocateOn(natives.getAllocate(), 4096, 0, training.getHandle());
      training.fill(next, (byte) 2, 4096);
      library.freeOn(natives.getFree(), next, 4096, 0, training.getHandle());
      assertTrue(natives.getLastFailure().isEmpty());
      library.recordUse(natives.getRecordUse(), memory, 0);
      assertTells(failureOf(natives, InvalidArgumentException.class), "no live block at");
      library.recordUse(natives.getRecordUse(), 0, 0);
    }
    device.synchronize();
    training.close();
    copying.close();
  }

  /** The part of ONNX Runtime's {@code OrtCUDAProviderOptions} that docs/native.md calls. */
  private static final class ProviderOptions {
    final Map<String, String> added = new TreeMap<>();

    void add(String key, String value) throws Exception {
      if (added.put(key, value) != null) {
        throw new Exception("twice: " + key);
      }
    }
  }

  @Test
  @DisplayName("23.5 ONNX Runtime's three options are the addresses of the functions")
  void onnxRuntime() throws Exception {
    ProviderOptions cuda = new ProviderOptions();
    try (NativeAllocator natives = NativeAllocator.of(allocator, NativeSignature.SIZE)) {
      for (Map.Entry<String, String> each : natives.getOnnxRuntimeOptions().entrySet()) {
        cuda.add(each.getKey(), each.getValue());
      }
      assertEquals(
          Map.of(
              "gpu_external_alloc", Long.toString(natives.getAllocate().address()),
              "gpu_external_free", Long.toString(natives.getFree().address()),
              "gpu_external_empty_cache", Long.toString(natives.getEmptyCache().address())),
          cuda.added);
    }
  }

  private static <T extends Throwable> T failureOf(NativeAllocator natives, Class<T> type) {
    return type.cast(natives.getLastFailure().orElseThrow());
  }

  @Test
  @DisplayName("23.6 bad calls of native code give null and a reason, and never end the JVM")
  void badCalls() throws Throwable {
    try (NativeAllocator natives = NativeAllocator.of(allocator, NativeSignature.SIZE)) {
      assertEquals(-1, library.pairs(natives.getAllocate(), natives.getFree(), 1L << 60, 1));
      assertTells(failureOf(natives, DeviceOutOfMemoryException.class), "1.00 EiB");
      assertEquals(-1, library.pairs(natives.getAllocate(), natives.getFree(), -1, 1));
      assertTells(failureOf(natives, InvalidArgumentException.class), "18446744073709551615 bytes");
    }
    try (NativeAllocator natives =
        NativeAllocator.of(allocator, NativeSignature.SIZE_DEVICE_STREAM)) {
      long memory = library.allocateOn(natives.getAllocate(), 512, 0, 0);
      library.freeOn(natives.getFree(), memory, 512, 0, 0);
      library.freeOn(natives.getFree(), memory, 512, 0, 0);
      assertTells(failureOf(natives, InvalidArgumentException.class), "freed twice");
      assertEquals(0, library.allocateOn(natives.getAllocate(), 512, 1, 0));
      assertTells(failureOf(natives, InvalidArgumentException.class), "memory of device 1");
      assertEquals(0, library.allocateOn(natives.getAllocate(), 512, 0, 0x1234567));
      assertTells(failureOf(natives, InvalidArgumentException.class), "addStream");
      assertEquals(0, library.allocateOn(natives.getAllocate(), 0, 0, 0), "nothing wanted");
      library.freeOn(natives.getFree(), 0, 0, 0, 0);
    }
  }

  @Test
  @DisplayName("23.6 bad frees tell what is wrong with them, and harm nothing")
  void badFrees() throws Throwable {
    try (NativeAllocator natives =
            NativeAllocator.of(allocator, NativeSignature.SIZE_DEVICE_STREAM);
        NativeAllocator others =
            NativeAllocator.of(allocator, NativeSignature.SIZE_DEVICE_STREAM)) {
      long memory = library.allocateOn(natives.getAllocate(), 4096, 0, 0);
      library.freeOn(natives.getFree(), memory + 256, 4096, 0, 0);
      assertTells(failureOf(natives, InvalidArgumentException.class), "no live block at");
      library.freeOn(others.getFree(), memory, 4096, 0, 0);
      assertTells(failureOf(others, InvalidArgumentException.class), "of another allocator");
      library.freeOn(natives.getFree(), memory, 4096, 1, 0);
      assertTells(failureOf(natives, InvalidArgumentException.class), "memory of device 1");
      assertEquals(1, natives.getLive().size(), "still the library's");
      // The stream is unknown, so the free waits for the whole device, and frees the memory.
      library.freeOn(natives.getFree(), memory, 4096, 0, 0x1234567);
      assertTells(failureOf(natives, InvalidArgumentException.class), "no stream 0x1234567");
      assertEquals(List.of(), natives.getLive());
    }
  }

  @Test
  @DisplayName("23.6 a block that an unknown stream may still use is not reused")
  void unknownUser() throws Throwable {
    SimStream unknown = device.createStream();
    SimStream other = device.createStream();
    try (NativeAllocator natives =
        NativeAllocator.of(allocator, NativeSignature.SIZE_DEVICE_STREAM, other)) {
      long memory = library.allocateOn(natives.getAllocate(), 4096, 0, other.getHandle());
      try (Event taken = device.createEvent()) {
        taken.record(other);
        unknown.waitFor(taken);
      }
      unknown.launch(SimKernel.named("work").writes(memory, 4096).taking(1_000_000).build());
      device.getBackend().getFaults().failNext("cuCtxSynchronize", Fault.UNKNOWN);
      library.freeOn(natives.getFree(), memory, 4096, 0, unknown.getHandle());
      assertTells(failureOf(natives, InvalidArgumentException.class), "no stream 0x");
      assertEquals(1, natives.getLive().size(), "still the library's");
      long next = library.allocateOn(natives.getAllocate(), 4096, 0, other.getHandle());
      other.fill(next, (byte) 1, 4096);
      library.freeOn(natives.getFree(), next, 4096, 0, other.getHandle());
      library.freeOn(natives.getFree(), memory, 4096, 0, unknown.getHandle());
      assertEquals(List.of(), natives.getLive());
    }
    unknown.close();
    other.close();
  }

  @Test
  @DisplayName("23.6 closed handles are rejected before anything is created")
  void closed() {
    Stream gone = device.createStream();
    gone.close();
    assertTells(
        assertThrows(
            ClosedException.class, () -> NativeAllocator.of(allocator, NativeSignature.SIZE, gone)),
        "its handle is no longer valid");
    try (NativeAllocator natives = NativeAllocator.of(allocator, NativeSignature.SIZE)) {
      assertTells(
          assertThrows(ClosedException.class, () -> natives.addStream(gone)),
          "its handle is no longer valid");
    }
    CachingAllocator closed = CachingAllocator.create(device);
    closed.close();
    assertTells(
        assertThrows(ClosedException.class, () -> NativeAllocator.of(closed, NativeSignature.SIZE)),
        "closed");
  }

  @Test
  @DisplayName(
      "23.6 it stays open while the library holds memory, and allocates nothing after its close")
  void ends() throws Throwable {
    NativeAllocator natives = NativeAllocator.of(allocator, NativeSignature.SIZE_DEVICE_STREAM);
    long memory = library.allocateOn(natives.getAllocate(), 4096, 0, 0);
    assertNotEquals(0, memory);
    assertTells(assertThrows(IllegalStateException.class, natives::close), "1 block of 4.00 KiB");
    library.freeOn(natives.getFree(), memory, 4096, 0, 0);
    natives.close();
    natives.close();
    assertEquals(0, library.allocateOn(natives.getAllocate(), 4096, 0, 0));
    assertTells(failureOf(natives, ClosedException.class), "is closed");
    library.freeOn(natives.getFree(), memory, 4096, 0, 0);
    assertTells(failureOf(natives, InvalidArgumentException.class), "no live block");
    assertFalse(natives.getStream().equals(device.getDefaultStream()));
  }

  @Test
  @DisplayName("23.6 streams of another device are refused before anything is made")
  void otherDevice(@Ordinal(1) SimDevice next) {
    try (Stream other = next.createStream()) {
      assertTells(
          assertThrows(
              InvalidArgumentException.class,
              () -> NativeAllocator.of(allocator, NativeSignature.SIZE, other)),
          "another device than the allocator's");
      try (NativeAllocator natives = NativeAllocator.of(allocator, NativeSignature.SIZE)) {
        assertTells(
            assertThrows(InvalidArgumentException.class, () -> natives.addStream(other)),
            "another device than the allocator's");
      }
    }
  }

  private static void assertTells(Throwable error, String part) {
    assertTrue(error.toString().contains(part), error.toString());
  }
}
