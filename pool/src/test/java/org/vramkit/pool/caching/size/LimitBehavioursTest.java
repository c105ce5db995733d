package org.vramkit.pool.caching.size;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.allocator.OutOfMemoryReport;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.OutOfMemoryHandler;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("Limits and out of memory")
class LimitBehavioursTest {
  private static final long TOTAL = 8 * ByteSize.GIB;

  @OnBothMemories
  @DisplayName("16 absurd requests fail with their size and device, and nothing is lost")
  void absurd(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      Allocation kept = box.allocate(MIB);
      AllocatorOutOfMemoryException e =
          assertThrows(
              AllocatorOutOfMemoryException.class, () -> box.allocate(800_000_000L * ByteSize.GIB));
      assertTrue(e.toString().contains(ByteSize.format(800_000_000L * ByteSize.GIB)), e.toString());
      assertTrue(e.toString().contains("device 0"), e.toString());
      assertTrue(e.toString().contains("8.00 GiB"), e.toString());
      DeviceOutOfMemoryException distinct =
          assertThrows(DeviceOutOfMemoryException.class, () -> box.allocate((1L << 60) + 1));
      assertTrue(distinct.toString().contains("1 EiB"), distinct.toString());
      assertTrue(distinct.toString().contains("device 0"), distinct.toString());
      box.stream.fill(kept.getAddress(), (byte) 1, kept.getSize());
    }
  }

  @OnBothMemories
  @DisplayName("17 half of the memory twice: the second succeeds once the first is freed")
  void halves(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      long half = TOTAL / 2 + 512;
      Allocation first = box.allocate(half);
      assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(half));
      first.close();
      box.allocate(half);
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"0%, 0", "50%, 0.5", "12.5%, 0.125", "100%, 1"})
  @DisplayName("18 a limit may be a percentage of the device's memory")
  void percentage(String text, double share) {
    try (Sandbox box = Sandbox.with(builder -> builder.set("limit", text))) {
      assertEquals((long) (share * TOTAL), box.allocator.getLimit());
      if (share == 0) {
        assertThrows(DeviceOutOfMemoryException.class, () -> box.allocate(1));
      }
    }
  }

  @ParameterizedTest(name = "[{0}]")
  @ValueSource(strings = {"-1%", "101%", "NaN%", "half%", "%"})
  @DisplayName("19 an invalid percentage is rejected where it is set, and named")
  void percentageRejected(String text) {
    try (Sandbox box = Sandbox.standard()) {
      CachingAllocatorBuilder builder = CachingAllocator.builder(box.device);
      InvalidArgumentException e =
          assertThrows(InvalidArgumentException.class, () -> builder.set("limit", text));
      assertTrue(e.toString().contains("limit"), e.toString());
      assertTrue(e.toString().contains(text), e.toString());
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"0.75, 75%", ".5, 50%", "75, 75%", "1, 1%", "12.5, 12.5%", "100, 100%", "1e-1, 10%"})
  @DisplayName("19 a limit of some bytes is refused, and the error says how to write a share")
  void shareWithoutSign(String text, String share) {
    try (Sandbox box = Sandbox.standard()) {
      CachingAllocatorBuilder builder = CachingAllocator.builder(box.device);
      String told =
          assertThrows(InvalidArgumentException.class, () -> builder.set("limit", text)).toString();
      assertTrue(told.contains("'" + text + "' would be bytes; write " + share), told);
      builder.set("limit", share).set("limit", "75B").set("limit", "0").set("limit", "101");
    }
  }

  @OnBothMemories
  @DisplayName(
      "20 an out-of-memory handler is called once for 4 TiB, and then the" + " request fails")
  void observer(VirtualMemoryUse use) {
    assertObserved(use);
  }

  private static void assertObserved(VirtualMemoryUse use) {
    List<OutOfMemoryReport> heard = new ArrayList<>();
    OutOfMemoryHandler handler =
        (report, attempt) -> {
          assertEquals(1, attempt);
          heard.add(report);
          return false;
        };
    try (Sandbox box = Sandbox.on(use, b -> b.outOfMemoryHandler(handler))) {
      box.allocate(MIB);
      AllocatorOutOfMemoryException e =
          assertThrows(
              AllocatorOutOfMemoryException.class, () -> box.allocate(4 * 1024 * ByteSize.GIB));
      assertEquals(1, heard.size());
      assertSame(heard.get(0), e.getReport());
      assertEquals(4 * 1024 * ByteSize.GIB, heard.get(0).requestedBytes());
      assertEquals(1, box.statistics().outOfMemories());
      assertEquals(MIB, box.statistics().allocated().current());
      box.allocate(30 * MIB);
    }
  }

  @OnBothMemories
  @DisplayName("20 an observer that frees enough makes the request succeed")
  void observerHelps(VirtualMemoryUse use) {
    List<Allocation> expendable = new ArrayList<>();
    OutOfMemoryHandler handler =
        (report, attempt) -> {
          expendable.forEach(Allocation::close);
          return attempt == 1;
        };
    try (Sandbox box = Sandbox.on(use, b -> b.limit(100 * MIB).outOfMemoryHandler(handler))) {
      expendable.add(box.allocate(60 * MIB));
      box.allocate(80 * MIB);
      assertEquals(0, box.statistics().outOfMemories());
    }
  }

  @OnBothMemories
  @DisplayName("22 blocks freed at once while a side stream uses them never lead to out of memory")
  void sideStream(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(400 * MIB))) {
      SimStream side = box.newStream();
      for (int i = 0; i < 100; i++) {
        Allocation block = box.allocator.allocate(160 * MIB, box.stream);
        box.busy(side, block, 5_000_000);
        block.recordUse(side);
        block.close();
      }
      assertEquals(0, box.statistics().outOfMemories());
    }
  }

  @OnBothMemories
  @DisplayName("23 on a full device a request takes the fitting block that waits for an event")
  @Tag("virtual-time")
  void fullDevice(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      SimStream side = box.newStream();
      long half = box.device.getMemoryInfo().freeBytes() / 2 / (2 * MIB) * (2 * MIB);
      box.allocate(half);
      Allocation pending = box.allocate(half);
      long address = pending.getAddress();
      box.busy(side, pending, 50_000_000);
      pending.recordUse(side);
      pending.close();
      Allocation again = box.allocate(half);
      assertEquals(address, again.getAddress());
      assertTrue(box.backend.getTimeNanos() >= 50_000_000, "did not wait");
      assertEquals(0, box.statistics().outOfMemories());
      assertEquals(1, box.statistics().synchronizations());
      box.stream.fill(again.getAddress(), (byte) 1, MIB);
    }
  }

  /** Nothing is ever logged, so there is no warning to forbid; the count of retries tells. */
  @OnBothMemories
  @DisplayName("24, 25 just as many pending blocks are waited for as are needed, as one retry")
  @Tag("virtual-time")
  void waitsForPending(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(64 * MIB))) {
      SimStream slow = box.newStream();
      SimStream slower = box.newStream();
      Allocation forSlow = box.allocate(32 * MIB);
      Allocation forSlower = box.allocate(32 * MIB);
      box.busy(slow, forSlow, 500_000_000);
      forSlow.recordUse(slow);
      box.busy(slower, forSlower, 1_000_000_000);
      forSlower.recordUse(slower);
      forSlow.close();
      forSlower.close();
      box.allocate(32 * MIB);
      assertTrue(box.backend.getTimeNanos() < 900_000_000, "waited for one block too many");
      assertEquals(1, box.statistics().retries());
      assertEquals(1, box.statistics().synchronizations());
    }
  }

  /**
   * Sets an option where it is for the memory. An allocator is built on one kind of memory, so
   * segments of fixed and growable size do not meet under one limit; each kind is tested alone.
   */
  @OnBothMemories
  @DisplayName("Raising the limit by what the report advises is enough, and less is not")
  void adviceIsExact(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.with(b -> b.virtualMemory(use).limit(100 * MIB))) {
      box.allocate(30 * MIB);
      Allocation hole = box.allocate(20 * MIB);
      box.allocate(30 * MIB);
      hole.close();
      AllocatorOutOfMemoryException e =
          assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(50 * MIB));
      Matcher advice = Pattern.compile("raise the limit by (.*?),").matcher(e.getReport().advice());
      assertTrue(advice.find(), e.getReport().advice());
      long raise = ByteSize.parse(advice.group(1).replace(" ", ""));
      box.allocator.setLimit(100 * MIB + raise - 2 * MIB);
      assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(50 * MIB));
      box.allocator.setLimit(100 * MIB + raise);
      box.allocate(50 * MIB);
    }
  }

  @OnBothMemories
  @DisplayName(
      "Chunks that lie beneath the best place already do not count as chunks that could move"
          + " there")
  void adviceWhereFreeMemoryGrows(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.with(b -> b.virtualMemory(use).limit(60 * MIB))) {
      box.allocate(40 * MIB).close();
      AllocatorOutOfMemoryException e =
          assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(80 * MIB));
      String advice = e.getReport().advice();
      assertTrue(advice.startsWith("raise the limit by 20.00 MiB"), advice);
      box.allocator.setLimit(80 * MIB);
      box.allocate(80 * MIB);
    }
  }

  @OnBothMemories
  @DisplayName("A driver that refuses although enough is free is not taken for pieces")
  void refusedWithoutNeed(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      box.backend
          .getFaults()
          .failEvery(
              use == VirtualMemoryUse.ON ? "cuMemCreate" : "cuMemAlloc", Fault.OUT_OF_MEMORY);
      AllocatorOutOfMemoryException e =
          assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(MIB));
      String advice = e.getReport().advice();
      assertTrue(advice.contains("but the driver refused it"), advice);
      box.backend.getFaults().clear();
      box.allocate(MIB);
    }
  }

  @OnBothMemories
  @DisplayName("26 a limit of three blocks takes three, and one of all three once they are freed")
  void limit(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(120 * MIB))) {
      List<Allocation> blocks = Stream.generate(() -> box.allocate(40 * MIB)).limit(3).toList();
      AllocatorOutOfMemoryException e =
          assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(40 * MIB));
      assertTrue(e.getReport().advice().contains("limit"), e.getReport().advice());
      blocks.forEach(Allocation::close);
      box.allocate(120 * MIB);
    }
  }

  /** As in 26, all of one kind of memory. */
  @OnBothMemories
  @DisplayName("27 a limit of 120 MiB takes 80 once two blocks of 40 are freed, with collection on")
  void collectionUnderALimit(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(120 * MIB))) {
      Allocation one = box.allocate(40 * MIB);
      Allocation two = box.allocate(40 * MIB);
      one.close();
      two.close();
      box.allocate(80 * MIB);
      assertTrue(box.statistics().reserved().peak() <= 120 * MIB);
    }
  }
}
