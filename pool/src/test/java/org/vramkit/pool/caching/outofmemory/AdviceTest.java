package org.vramkit.pool.caching.outofmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.device.Graph;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("Advice of out-of-memory errors")
class AdviceTest {
  private static final long MIB = 1L << 20;

  private static String refusal(VirtualMemoryUse memory) {
    DeviceProfile halfPage = DeviceProfile.builder("odd").memory(8193 * MIB).build();
    try (SimBackend backend = SimBackend.builder().device(halfPage).bytes(false).build()) {
      SimDevice device = backend.getDevice(0);
      long others = device.getMemory().allocate(device.getMemoryInfo().freeBytes() - MIB);
      try (CachingAllocator allocator =
              CachingAllocator.builder(device).virtualMemory(memory).build();
          SimStream stream = device.createStream()) {
        return assertThrows(
                AllocatorOutOfMemoryException.class, () -> allocator.allocate(512, stream))
            .toString();
      } finally {
        device.getMemory().free(others);
      }
    }
  }

  @Test
  @DisplayName("17.4 if less than a page or a segment is free, the advice is the rest of one")
  void lessThanOne() {
    for (VirtualMemoryUse memory :
        new VirtualMemoryUse[] {VirtualMemoryUse.ON, VirtualMemoryUse.OFF}) {
      String told = refusal(memory);
      assertTrue(told.contains("to do: free 1.00 MiB; other users of the device hold"), told);
    }
  }

  @Test
  @DisplayName("17.4 an error about too much initial memory names the option")
  void initial() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      var builder = CachingAllocator.builder(backend.getDevice(0)).initial(900L << 30);
      String told = assertThrows(AllocatorOutOfMemoryException.class, builder::build).toString();
      assertTrue(told.contains("option initial: out of memory on device 0"), told);
    }
  }

  private static AllocatorOutOfMemoryException refused(
      Allocator allocator, SimStream on, long mib) {
    return assertThrows(
        AllocatorOutOfMemoryException.class, () -> allocator.allocate(mib * MIB, on).close());
  }

  @OnBothMemories
  @Tag("virtual-time")
  @DisplayName(
      "42.12 pending memory is waited for, so it needs no higher limit, and stands by itself")
  void pendingIsNotLive(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(100 * MIB))) {
      box.allocate(40 * MIB);
      Allocation pending = box.allocate(30 * MIB);
      SimStream user = box.newStream();
      box.busy(user, pending, 1_000_000_000);
      pending.recordUse(user);
      pending.close();
      AllocatorOutOfMemoryException e = refused(box.allocator, box.stream, 64);
      assertEquals(
          "raise the limit by 4.00 MiB, or free 4.00 MiB, or ask for at most 60.00 MiB",
          e.getReport().advice());
      assertTrue(
          e.toString().contains("= live 40.00 MiB + pending 30.00 MiB + cached"), e.toString());
      assertEquals(40 * MIB, e.getReport().liveBytes());
      assertEquals(30 * MIB, e.getReport().pendingBytes());
      box.allocator.setLimit(104 * MIB);
      box.allocate(64 * MIB);
    }
  }

  @OnBothMemories
  @DisplayName(
      "42.12 a limit lowered below free memory is to be raised to the request, and no more")
  void loweredLimit(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      box.allocate(60 * MIB).close();
      box.allocator.setLimit(40 * MIB);
      AllocatorOutOfMemoryException e = refused(box.allocator, box.stream, 50);
      assertEquals(
          "raise the limit by 10.00 MiB, or ask for at most 40.00 MiB", e.getReport().advice());
      box.allocator.setLimit(50 * MIB);
      box.allocate(50 * MIB);
    }
  }

  @Test
  @DisplayName("42.12 the free end of a page that a live block holds counts as room")
  void freeEnds() {
    long kib = ByteSize.KIB;
    try (Sandbox box = Sandbox.on(VirtualMemoryUse.ON, b -> b.limit(12 * MIB))) {
      box.allocate(4352 * kib);
      AllocatorOutOfMemoryException e =
          assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(9728 * kib));
      assertEquals(
          "raise the limit by 2.00 MiB, or free 4.00 MiB, or ask for at most 7.75 MiB",
          e.getReport().advice());
      box.allocate(7936 * kib).close();
      box.allocator.setLimit(14 * MIB);
      box.allocate(9728 * kib);
    }
  }

  @OnBothMemories
  @DisplayName("42.12 nothing is to be freed where nothing is live")
  void nothingLive(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(16 * MIB))) {
      box.allocate(2 * MIB).close();
      assertEquals(
          "raise the limit by 4.00 MiB, or ask for at most 16.00 MiB",
          refused(box.allocator, box.stream, 20).getReport().advice());
    }
  }

  @OnBothMemories
  @DisplayName("42.12 a limit that the device cannot provide is not advised")
  void beyondTheDevice(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(64 * MIB))) {
      long others =
          box.device.getMemory().allocate(box.device.getMemoryInfo().freeBytes() - 80 * MIB);
      box.allocate(40 * MIB);
      assertEquals(
          "raise the limit by 8.00 MiB, or free 8.00 MiB, or ask for at most 24.00 MiB",
          refused(box.allocator, box.stream, 32).getReport().advice());
      assertEquals(
          "free 36.00 MiB, or ask for at most 24.00 MiB",
          refused(box.allocator, box.stream, 60).getReport().advice());
      box.device.getMemory().free(others);
    }
  }

  @OnBothMemories
  @DisplayName("42.12 a figure is never rounded below what is needed")
  void roundedUp(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(ByteSize.GIB - 4999))) {
      String advice = refused(box.allocator, box.stream, 2048).getReport().advice();
      assertEquals("raise the limit by 1024.01 MiB, or ask for at most 1022.00 MiB", advice);
    }
  }

  @OnBothMemories
  @DisplayName("42.12 pools that keep free memory for themselves are named")
  void keepingPools(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(64 * MIB));
        PrivatePool other = box.allocator.createPool()) {
      PrivatePool one = box.allocator.createPool();
      one.getAllocator().allocate(40 * MIB, box.stream).close();
      other.getAllocator().allocate(10 * MIB, box.stream).close();
      assertEquals(
          "raise the limit by 46.00 MiB, or trim private pool 2 of device 0 and private pool 1 of"
              + " device 0, which frees 50.00 MiB, or ask for at most 14.00 MiB",
          refused(box.allocator, box.stream, 60).getReport().advice());
      assertEquals(
          "raise the limit by 36.00 MiB, or trim private pool 2 of device 0, which frees 40.00 MiB,"
              + " or ask for at most 14.00 MiB",
          refused(box.allocator, box.stream, 50).getReport().advice());
      one.close();
      other.getAllocator().trim(0);
      box.allocate(60 * MIB);
    }
  }

  @Test
  @DisplayName("17.4 memory that is held anyway serves less even if the limit was lowered below it")
  void loweredLimit() {
    try (Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON)) {
      Allocation whole = box.allocator.allocate(6 * MIB, box.stream);
      whole.close();
      box.allocate(3 * MIB);
      box.allocator.setLimit(3 * MIB + MIB / 2);
      String advice = refused(box.allocator, box.stream, 4).getReport().advice();
      assertTrue(advice.contains("ask for at most 3.00 MiB"), advice);
      box.allocator.allocate(3 * MIB, box.stream).close();
    }
  }

  @OnBothMemories
  @DisplayName("42.12 a trim of a pool is not advised for memory of its graphs, which it keeps")
  void graphs(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(64 * MIB));
        PrivatePool pool = box.allocator.createPool()) {
      SimStream captured = box.newStream();
      PoolCapture capture = pool.capture(captured);
      box.allocator.allocate(40 * MIB, captured).close();
      Graph graph = capture.end();
      assertEquals(
          "raise the limit by 36.00 MiB, or ask for at most 24.00 MiB; captures hold 40.00 MiB of"
              + " freed memory",
          refused(box.allocator, box.stream, 60).getReport().advice());
      graph.close();
    }
  }

  @OnBothMemories
  @DisplayName("42.12 pools whose free memory does not suffice alone are named behind the numbers")
  void keepersAndLive(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      Allocation live = box.allocator.allocate(4096 * MIB, box.stream);
      pool.getAllocator().allocate(4092 * MIB, box.stream).close();
      assertEquals(
          "ask for at most 4.00 MiB; a trim of private pool 1 of device 0 frees 4.00 GiB",
          refused(box.allocator, box.stream, 6000).getReport().advice());
      live.close();
      pool.getAllocator().trim(0);
      box.allocate(6000 * MIB);
    }
  }

  @OnBothMemories
  @DisplayName("42.12 the pools with most free memory are named, three at most")
  void manyPools(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(64 * MIB))) {
      List<PrivatePool> pools = new ArrayList<>();
      for (int i = 1; i <= 6; i++) {
        PrivatePool pool = box.allocator.createPool();
        pools.add(pool);
        pool.getAllocator().allocate((i == 6 ? 14 : 10) * MIB, box.stream).close();
      }
      assertEquals(
          "raise the limit by 40.00 MiB, or trim private pool 6 of device 0 and private pool 1 of"
              + " device 0 and private pool 2 of device 0 and 1 more, which frees 44.00 MiB",
          refused(box.allocator, box.stream, 40).getReport().advice());
      pools.forEach(PrivatePool::close);
    }
  }

  @OnBothMemories
  @DisplayName("42.12 without a number, the advice is to close what suffices together")
  void lastResort(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      Allocation small = box.allocator.allocate(2048 * MIB, box.stream);
      Allocation large = pool.getAllocator().allocate(6144 * MIB, box.stream);
      assertEquals(
          "close the allocations of other pools and trim these",
          refused(box.allocator, box.stream, 6000).getReport().advice());
      assertEquals(
          "close all allocations, captures and graphs and trim all pools",
          refused(box.allocator, box.stream, 8000).getReport().advice());
      large.close();
      pool.getAllocator().trim(0);
      box.allocator.allocate(6000 * MIB, box.stream).close();
      small.close();
      box.allocate(8000 * MIB);
    }
  }
}
