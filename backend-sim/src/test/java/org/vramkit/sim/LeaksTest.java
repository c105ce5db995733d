package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakKind;

@DisplayName("24 leaks")
class LeaksTest {

  private static SimBackend withStacks() {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .checker(CheckerOptions.DEFAULT.withStacks(true))
        .build();
  }

  private static List<LeakKind> kinds(SimBackend gpu) {
    return gpu.getLeaks().stream().map(Leak::kind).toList();
  }

  @Test
  @DisplayName("24 a block of a pool that was never closed, with its stack")
  void block() {
    try (SimBackend gpu = withStacks()) {
      SimDevice device = gpu.getDevice(0);
      long segment = device.getMemory().allocate(4096);
      device.getMemoryObserver().allocated(segment + 512, 100, device.getDefaultStream(), "mask");
      assertEquals(List.of(LeakKind.ALLOCATION, LeakKind.BLOCK), kinds(gpu));
      Leak leak = gpu.getLeaks().get(1);
      assertEquals(segment + 512, leak.handle());
      assertEquals(100, leak.bytes());
      assertEquals("mask", leak.name());
      assertEquals(leak.getUserFrames(), device.getMemoryObserver().whereAllocated(segment + 512));
      assertEquals(List.of(), device.getMemoryObserver().whereAllocated(segment));
      assertFalse(leak.stack().isEmpty());
      device.getMemoryObserver().freed(segment + 512, device.getDefaultStream());
      device.getMemory().free(segment);
      assertEquals(List.of(), gpu.getLeaks());
    }
  }

  @Test
  @DisplayName("24 unreleased mappings and reservations are leaks with their stacks")
  void virtualMemory() {
    try (SimBackend gpu = withStacks()) {
      VirtualMemory memory = gpu.getDevice(0).getVirtualMemory();
      long page = memory.getGranularity();
      long range = memory.reserve(page);
      long handle = memory.create(page);
      memory.map(range, page, handle);
      assertEquals(
          List.of(LeakKind.RESERVATION, LeakKind.PHYSICAL_MEMORY, LeakKind.MAPPING), kinds(gpu));
      assertTrue(gpu.getLeaks().stream().noneMatch(leak -> leak.stack().isEmpty()));
      memory.release(handle);
      memory.unmap(range, page);
      memory.unreserve(range, page);
      assertEquals(List.of(), gpu.getLeaks());
    }
  }

  @Test
  @DisplayName("24 memory of a pool that was closed before it: no call frees it any more")
  void ofClosedPool() {
    try (SimBackend gpu = withStacks()) {
      SimDevice device = gpu.getDevice(0);
      SimStream stream = device.getDefaultStream();
      DriverPool pool = device.getDriverPools().create(0);
      long block = pool.allocate(4096, stream);
      stream.synchronize();
      pool.close();
      assertThrows(ClosedException.class, () -> pool.free(block, stream));
      List<Executable> frees =
          List.of(
              () -> device.getStreamOrderedMemory().free(block, stream),
              () -> device.getMemory().free(block));
      for (Executable free : frees) {
        InvalidArgumentException refusal = assertThrows(InvalidArgumentException.class, free);
        assertEquals(0, refusal.getStatus().code(), "refused before any driver call");
      }
      assertEquals(List.of(LeakKind.POOL_ALLOCATION), kinds(gpu));
    }
  }

  @Test
  @DisplayName("24 everything that has a handle, in the order in which it was taken")
  void handles() {
    try (SimBackend gpu = withStacks()) {
      SimDevice device = gpu.getDevice(0);
      SimStream stream = device.createStream();
      SimEvent event = device.createEvent();
      PinnedBuffer pinned = device.getPinnedMemory().allocate(4096);
      DriverPool pool = device.getDriverPools().create(0);
      long chunk = pool.allocate(4096, stream);
      DeviceBinding binding = device.bind();
      assertEquals(
          List.of(
              LeakKind.STREAM,
              LeakKind.EVENT,
              LeakKind.PINNED_BUFFER,
              LeakKind.POOL,
              LeakKind.POOL_ALLOCATION,
              LeakKind.CONTEXT),
          kinds(gpu));
      assertTrue(gpu.getLeaks().stream().noneMatch(leak -> leak.stack().isEmpty()));
      binding.close();
      pool.free(chunk, stream);
      pool.close();
      pinned.close();
      event.close();
      stream.close();
      assertEquals(List.of(), gpu.getLeaks());
    }
  }

  /** Makes something and forgets it. */
  private interface Forgetting {
    void in(SimDevice device);
  }

  private record Case(LeakKind kind, Forgetting program) {
    @Override
    public String toString() {
      return kind.getWords();
    }
  }

  static Stream<Case> forgotten() {
    return Stream.of(
        new Case(LeakKind.STREAM, SimDevice::createStream),
        new Case(LeakKind.STREAM, LeaksTest::streamWithPast),
        new Case(LeakKind.EVENT, SimDevice::createEvent),
        new Case(LeakKind.GRAPH, LeaksTest::graph),
        new Case(LeakKind.PINNED_BUFFER, device -> device.getPinnedMemory().allocate(4096)),
        new Case(LeakKind.POOL, device -> device.getDriverPools().create(0)));
  }

  private static void graph(SimDevice device) {
    SimStream stream = device.createStream();
    device.getGraphs().beginCapture(stream);
    stream.launch(SimKernel.named("relu").body(bytes -> {}).build());
    device.getGraphs().endCapture(stream).launch(stream);
    stream.synchronize();
    stream.close();
  }

  private static void streamWithPast(SimDevice device) {
    SimStream stream = device.createStream();
    stream.launch(SimKernel.named("relu").body(bytes -> {}).build());
    stream.synchronize();
  }

  @ParameterizedTest
  @MethodSource("forgotten")
  @DisplayName("24 a handle garbage-collected without a close is listed as such")
  void collected(Case each) throws InterruptedException {
    try (SimBackend gpu = withStacks()) {
      each.program().in(gpu.getDevice(0));
      while (!gpu.getLeaks().get(0).collected()) {
        System.gc();
        Thread.sleep(1);
      }
      Leak leak = gpu.getLeaks().get(0);
      assertEquals(each.kind(), leak.kind());
      assertTrue(leak.toString().startsWith("LEAK_BY_GC: " + leak.kind().getWords()));
      assertFalse(leak.stack().isEmpty());
    }
  }

  @Test
  @DisplayName("24, twin: what is closed first, or still in use, is no leak by garbage collection")
  void closedOrInUse() throws InterruptedException {
    try (SimBackend gpu = withStacks()) {
      gpu.getDevice(0).createStream().close();
      gpu.getDevice(0).createEvent().close();
      SimStream used = gpu.getDevice(0).createStream();
      for (int i = 0; i < 3; i++) {
        System.gc();
        Thread.sleep(1);
      }
      assertEquals(List.of(LeakKind.STREAM), kinds(gpu));
      assertFalse(gpu.getLeaks().get(0).collected());
      used.close();
      assertEquals(List.of(), gpu.getLeaks());
    }
  }
}
