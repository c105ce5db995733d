package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

/** What the caching allocator that S4 describes does wrong; each test would fail on it. */
@DisplayName("S4: defects that must not come back")
class SeedDefectsTest {

  @Test
  @DisplayName("S4 defect: a typed allocation is served from the cache like any other")
  void typedUsesCache() {
    try (Sandbox box = Sandbox.standard()) {
      box.allocator.allocate(1000, ElementType.INT64, box.stream).close();
      long misses = box.statistics().misses();
      box.allocator.allocate(1000, ElementType.INT64, box.stream).close();
      assertEquals(misses, box.statistics().misses());
    }
  }

  @Test
  @DisplayName("S4 defect: block records do not pile up")
  void recordsAreReused() {
    try (Sandbox box = Sandbox.segments()) {
      for (int i = 0; i < 10_000; i++) {
        box.allocator.allocate(512 + 512L * (i % 64), box.stream).close();
      }
      long blocks =
          box.allocator.getSnapshot().segments().stream().mapToLong(s -> s.blocks().size()).sum();
      assertTrue(blocks <= 4, "blocks after 10,000 allocations: " + blocks);
    }
  }

  @Test
  @DisplayName("S4 defect: a size that overflows is an error that names its factors")
  void overflow() {
    try (Sandbox box = Sandbox.standard()) {
      InvalidArgumentException e =
          assertThrows(
              InvalidArgumentException.class,
              () -> box.allocator.allocate(Long.MAX_VALUE / 2, ElementType.FLOAT64, box.stream));
      assertTrue(e.toString().contains(Long.toString(Long.MAX_VALUE / 2)), e.toString());
    }
  }

  @Test
  @DisplayName("R7 streams made for one task each do not pile up, and stay in the books")
  void streamsComeAndGo() {
    try (Sandbox box = Sandbox.standard()) {
      int tasks = 1000;
      for (int i = 0; i < tasks; i++) {
        try (SimStream task = box.device.createStream();
            Allocation block = box.allocator.allocate(MIB + i * 512L, task)) {
          task.fill(block.getAddress(), (byte) i, block.getSize());
        }
      }
      assertTrue(
          box.statistics().streams().size() <= 66,
          "streams remembered: " + box.statistics().streams().size());
      assertEquals(tasks, box.statistics().allocations().added());
      assertEquals(tasks, box.statistics().allocations().removed());
      Snapshots.assertAgree(box.allocator, "after all tasks");
      SimStream closed = box.device.createStream();
      closed.close();
      assertThrows(ClosedException.class, () -> box.allocate(512, closed));
    }
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("S4 defect: emptying the cache frees what lies beside live blocks, and keeps those")
  void emptyingSeesLiveNeighbours(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.with(b -> b.virtualMemory(use))) {
      Allocation before = box.allocate(24 * MIB);
      Allocation live = box.allocate(24 * MIB);
      Allocation after = box.allocate(24 * MIB);
      box.stream.fill(live.getAddress(), (byte) 7, live.getSize());
      before.close();
      after.close();
      box.allocator.emptyCache();
      assertEquals(24 * MIB, box.statistics().reserved().current());
      Allocation again = box.allocate(24 * MIB);
      box.stream.fill(again.getAddress(), (byte) 8, again.getSize());
      ByteBuffer last = ByteBuffer.allocate(1);
      box.stream.copyToHost(last, live.getAddress() + live.getSize() - 1);
      assertEquals(7, last.get(0));
    }
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("S4 defect: a recorded use outlives the free, and is forgotten once it is over")
  void recordedUsesAreWaitedFor(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.with(b -> b.virtualMemory(use))) {
      SimStream reader = box.newStream();
      Allocation block = box.allocate(4 * MIB);
      long address = block.getAddress();
      box.busy(reader, block, 50_000_000);
      block.recordUse(reader);
      block.close();
      assertEquals(4 * MIB, box.statistics().active().current());
      assertNotEquals(address, box.allocate(4 * MIB).getAddress());
      box.backend.advance(60_000_000);
      Allocation reused = box.allocate(4 * MIB);
      assertEquals(address, reused.getAddress());
      box.stream.fill(address, (byte) 1, reused.getSize());
      assertEquals(8 * MIB, box.statistics().active().current());
    }
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("S4 defect: after a failure inside an allocation the next one has memory of its own")
  void failureUnderLocks(VirtualMemoryUse use) {
    String function = use == VirtualMemoryUse.OFF ? "cuMemAlloc" : "cuMemMap";
    OutOfMemoryHandler thrower =
        (report, attempt) -> {
          throw new IllegalStateException("the handler itself fails");
        };
    try (Sandbox box =
        Sandbox.with(b -> b.virtualMemory(use).limit(256 * MIB).outOfMemoryHandler(thrower))) {
      box.backend.getFaults().failNext(function, Fault.UNKNOWN);
      assertThrows(DriverException.class, () -> box.allocate(MIB));
      assertThrows(IllegalStateException.class, () -> box.allocate(512 * MIB));
      Set<Long> addresses = new HashSet<>();
      for (int i = 0; i < 20; i++) {
        Allocation block = box.allocate(MIB);
        assertTrue(block.getAddress() != 0, "block 0");
        assertTrue(addresses.add(block.getAddress()), "an address twice");
      }
      Snapshots.assertAgree(box.allocator, "after the failures");
    }
  }
}
