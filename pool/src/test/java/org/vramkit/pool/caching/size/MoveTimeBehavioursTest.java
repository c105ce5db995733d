package org.vramkit.pool.caching.size;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.driver.Fault;

@DisplayName("18.1 Move time: what may be spent on moving free memory rather than taking more")
class MoveTimeBehavioursTest {
  /** Four blocks, two of them free with a live one between, so that they cannot be one. */
  private static Sandbox withHoles(UnaryOperator<CachingAllocatorBuilder> settings) {
    Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON, settings);
    List<Allocation> blocks = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      blocks.add(box.allocate(20 * MIB));
    }
    blocks.get(0).close();
    blocks.get(2).close();
    assertEquals(80 * MIB, reserved(box));
    return box;
  }

  private static long reserved(Sandbox box) {
    return box.statistics().reserved().current();
  }

  @ParameterizedTest(name = "move-time={0}")
  @ValueSource(doubles = {0.005, 0.5, 1})
  @DisplayName("while there is some, free memory moves before more is taken")
  void moves(double share) {
    try (Sandbox box = withHoles(builder -> builder.moveTime(share))) {
      box.allocate(40 * MIB);
      long moved = box.statistics().pagesMoved() * 2 * MIB;
      assertTrue(share < 1 ? moved > 0 : moved == 40 * MIB, moved + " bytes moved");
      assertEquals(120 * MIB - moved, reserved(box));
    }
  }

  @Test
  @DisplayName("without time for moves, the memory missing beside a hole is created")
  void none() {
    try (Sandbox box = withHoles(builder -> builder.moveTime(0))) {
      box.allocate(40 * MIB);
      assertEquals(0, box.statistics().pagesMoved());
      assertEquals(120 * MIB, reserved(box));
    }
  }

  @Test
  @DisplayName("without time for moves, free memory moves if the limit forbids more")
  void limit() {
    try (Sandbox box = withHoles(builder -> builder.moveTime(0).limit(90 * MIB))) {
      box.allocate(40 * MIB);
      assertTrue(box.statistics().pagesMoved() > 0);
      assertTrue(reserved(box) <= 90 * MIB);
    }
  }

  @Test
  @DisplayName("without time for moves, free memory moves if the driver refuses more")
  void deviceFull() {
    try (Sandbox box = withHoles(builder -> builder.moveTime(0))) {
      box.backend.getFaults().failNext("cuMemCreate", Fault.OUT_OF_MEMORY);
      box.allocate(40 * MIB);
      assertTrue(box.statistics().pagesMoved() > 0);
      assertEquals(0, box.statistics().retries());
    }
  }

  @Test
  @DisplayName("a program that repeats itself calls the driver no more once it has its memory")
  void steady() {
    try (Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON, builder -> builder.moveTime(0))) {
      long[] sizes = LongStream.range(0, 200).map(i -> (i * 7919 % 97 + 1) * MIB / 4).toArray();
      for (int i = 0; i < 8; i++) {
        pass(box, sizes);
      }
      box.backend.getDriverCalls().reset();
      pass(box, sizes);
      assertEquals(0, box.backend.getDriverCalls().getTotal());
    }
  }

  /** Every third block outlives the next two. */
  private static void pass(Sandbox box, long[] sizes) {
    List<Allocation> live = new ArrayList<>();
    for (int i = 0; i < sizes.length; i++) {
      live.add(box.allocator.allocate(sizes[i], box.stream));
      if (i % 3 == 2) {
        live.remove(live.size() - 2).close();
        live.remove(0).close();
      }
    }
    live.forEach(Allocation::close);
  }

  @Test
  @DisplayName("small blocks have pages of their own, and keep no large ones apart")
  void smallApart() {
    try (Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON, builder -> builder.moveTime(0.005))) {
      Allocation low = box.allocate(20 * MIB);
      box.allocate(MIB / 2);
      Allocation high = box.allocate(20 * MIB);
      assertEquals(low.getAddress() + low.getSize(), high.getAddress());
      assertEquals(42 * MIB, reserved(box));
      low.close();
      high.close();
      box.allocate(40 * MIB);
      assertEquals(42 * MIB, reserved(box));
      assertEquals(0, box.statistics().pagesMoved());
    }
  }

  @ParameterizedTest(name = "move-time={0}: {1} MiB more")
  @CsvSource({"0, 2", "0.005, 0"})
  @DisplayName("small blocks get a free page of large ones while there is some, else a new one")
  void smallFromFreePages(double share, long more) {
    try (Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON, b -> b.moveTime(share))) {
      Allocation large = box.allocate(4 * MIB);
      box.allocate(4 * MIB);
      large.close();
      box.allocate(MIB / 2);
      assertEquals((8 + more) * MIB, reserved(box));
      assertEquals(more == 0 ? 1 : 0, box.statistics().pagesMoved());
    }
  }

  @ParameterizedTest(name = "[{0}]")
  @ValueSource(strings = {"-0.1", "1.1", "NaN", "much"})
  @DisplayName("is a share from 0 to 1")
  void shares(String text) {
    try (Sandbox box = Sandbox.standard()) {
      CachingAllocatorBuilder builder = CachingAllocator.builder(box.device);
      InvalidArgumentException e =
          assertThrows(InvalidArgumentException.class, () -> builder.set("move-time", text));
      assertTrue(e.toString().contains("move-time"), e.toString());
    }
  }

  @ParameterizedTest(name = "move-time={0}")
  @ValueSource(doubles = {0, 0.005, 1})
  @DisplayName("small blocks beyond the addresses of their own are found again without a question")
  void beyondSmallAddresses(double share) {
    try (Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON, b -> b.moveTime(share));
        PrivatePool pool = box.allocator.createPool()) {
      List<Allocation> blocks = new ArrayList<>();
      for (int i = 0; i < 41; i++) {
        blocks.add(pool.getAllocator().allocate(MIB, box.stream));
      }
      pool.getAllocator().allocate(MIB, box.newStream()).close();
      long address = blocks.get(30).getAddress();
      blocks.get(30).close();
      long before = box.backend.getDriverCalls().getTotal();
      Allocation again = pool.getAllocator().allocate(MIB, box.stream);
      assertEquals(address, again.getAddress());
      assertEquals(before, box.backend.getDriverCalls().getTotal());
      again.close();
      blocks.forEach(Allocation::close);
    }
  }

  @ParameterizedTest(name = "move-time={0}")
  @ValueSource(doubles = {0, 0.005, 1})
  @DisplayName("full: small blocks take what a busy stream freed of large ones, and no host waits")
  @Tag("virtual-time")
  void smallFromLarge(double share) {
    takesFromBusy(share, 100 * MIB, 1, 1000);
  }

  @ParameterizedTest(name = "move-time={0}")
  @ValueSource(doubles = {0, 0.005, 1})
  @DisplayName("full: large blocks take what a busy stream freed of small ones, and no host waits")
  @Tag("virtual-time")
  void largeFromSmall(double share) {
    takesFromBusy(share, MIB / 2, 200, 20 * MIB);
  }

  private static void takesFromBusy(double share, long freed, int count, long wanted) {
    try (Sandbox box =
        Sandbox.uncached(
            VirtualMemoryUse.ON, builder -> builder.moveTime(share).limit(100 * MIB))) {
      List<Allocation> blocks = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        blocks.add(box.allocate(freed));
      }
      blocks.forEach(each -> box.busy(box.stream, each, 1_000_000_000));
      blocks.forEach(Allocation::close);
      box.allocate(wanted, box.newStream());
      assertEquals(1, box.statistics().steals());
      assertEquals(0, box.statistics().synchronizations());
    }
  }
}
