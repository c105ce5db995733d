package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Device;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.decorator.StatisticsScope;
import org.vramkit.pool.decorator.TrackingAllocator;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.testkit.sim.SimulatedGpu;

@DisplayName("17.19 An allocator that cannot be closed says which allocations are open")
class OpenAllocationsTest {

  private static String refusal(Allocator allocator) {
    return String.valueOf(assertThrows(IllegalStateException.class, allocator::close).getMessage());
  }

  private static String line(Allocation open) {
    return String.format("%n  4.00 KiB at 0x%x on stream ", open.getAddress());
  }

  @ParameterizedTest
  @MethodSource(EveryAllocator.SOURCE)
  @SimulatedGpu
  @DisplayName("by size, address, stream, and the line of the user's code on the simulator")
  void one(Function<Device, Allocator> open, SimDevice device, SimStream stream) {
    Allocator allocator = open.apply(device);
    allocator.allocate(4096, stream).close();
    try (Allocation empty = allocator.allocate(0, stream);
        Allocation forgotten = allocator.allocate(4096, stream)) {
      String message = refusal(allocator);
      assertTrue(message.contains(line(forgotten)), message);
      assertTrue(message.contains("at " + getClass().getName() + ".one("), message);
      assertFalse(message.contains("TrackingAllocator"), message);
      assertTrue(message.contains(": 1 open allocation of 4.00 KiB; close"), message);
      assertEquals(1, message.lines().filter(each -> each.contains(" at 0x")).count(), message);
      assertFalse(empty.isClosed());
    }
    allocator.close();
  }

  @ParameterizedTest
  @MethodSource(EveryAllocator.SOURCE)
  @DisplayName(
      "the first five of many, the number of the others, and a remedy if no" + " lines are kept")
  void many(Function<Device, Allocator> open) {
    try (SimBackend gpu =
            SimBackend.builder()
                .device(DeviceProfile.SMALL_8GIB)
                .checker(CheckerOptions.OFF)
                .build();
        SimStream stream = gpu.getDevice(0).createStream()) {
      Allocator allocator = open.apply(gpu.getDevice(0));
      List<Allocation> many =
          IntStream.range(0, 8).mapToObj(i -> allocator.allocate(4096, stream)).toList();
      String closed = line(many.get(1));
      many.get(1).close();
      String message = refusal(allocator);
      assertTrue(message.contains(line(many.get(0))), message);
      assertFalse(message.contains(closed), message);
      assertTrue(message.contains(String.format("%n  and 2 more%n")), message);
      assertTrue(
          message.endsWith("TrackingAllocator.withStacks(allocator) and close that"), message);
      assertEquals(5, message.lines().filter(each -> each.contains(" at 0x")).count(), message);
      many.forEach(Allocation::close);
      allocator.close();
    }
  }

  @Test
  @SimulatedGpu
  @DisplayName("by their tags, and those of private pools")
  void tagged(SimDevice device, SimStream stream) {
    CachingAllocator allocator = CachingAllocator.create(device);
    PrivatePool pool = allocator.createPool();
    try (Allocation weights = allocator.tagged("weights").allocate(4096, stream);
        Allocation own = pool.getAllocator().allocate(8192, stream)) {
      String message = refusal(allocator);
      assertTrue(
          message.startsWith("cannot close: 2 open allocations of 12.00 KiB; close first:"),
          message);
      assertTrue(message.contains(line(weights)), message);
      assertTrue(message.contains(", \"weights\""), message);
      assertTrue(message.contains(String.format("8.00 KiB at 0x%x", own.getAddress())), message);
    }
    allocator.close();
  }

  @ParameterizedTest
  @MethodSource(EveryAllocator.SOURCE)
  @SimulatedGpu
  @DisplayName("by the pools that hold them, through decorators too")
  void ofPools(Function<Device, Allocator> open, SimDevice device, SimStream stream) {
    Allocator allocator = open.apply(device);
    for (Allocator each :
        List.of(StatisticsScope.over(allocator), TrackingAllocator.over(allocator), allocator)) {
      BufferPool buffers = BufferPool.create(each);
      WorkspacePool workspaces = WorkspacePool.create(each);
      buffers.acquire(ElementType.INT8, 4096, stream).close();
      WorkspaceLease lease = workspaces.acquire(5000, stream);
      Allocation plain = each.allocate(6000, stream);
      List<String> lines = refusal(each).lines().filter(line -> line.contains(" at 0x")).toList();
      assertEquals(3, lines.size(), lines::toString);
      assertTrue(lines.get(0).endsWith(", held by the buffer pool"), lines.get(0));
      assertTrue(lines.get(1).endsWith(", held by the workspace pool"), lines.get(1));
      assertFalse(lines.get(2).contains("held by"), lines.get(2));
      lease.close();
      plain.close();
      buffers.close();
      workspaces.close();
      each.close();
    }
  }
}
