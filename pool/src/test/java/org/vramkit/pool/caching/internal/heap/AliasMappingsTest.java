package org.vramkit.pool.caching.internal.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.GpuException;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.hazard.LeakKind;

@Tag("virtual-time")
@DisplayName("A stream that is never done has its own free pages at a second address")
class AliasMappingsTest {
  private static final long HOURS = 10_000_000_000_000L;
  private static final long PIECE = 4 * Sandbox.MIB;

  private final Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON, Insides::impatient);

  @AfterEach
  void close() {
    box.close();
  }

  @Test
  @DisplayName("so that two pieces serve one request, and no page is created")
  void piecesServeOneRequest() {
    freeTwo(3);
    long before = box.statistics().reserved().current();
    Allocation whole = box.allocate(3 * PIECE / 2);
    box.busy(box.stream, whole, 1);
    assertEquals(before, box.statistics().reserved().current());
    assertEquals(1, box.statistics().pagesMoved());
    SnapshotChecks.assertAgrees(box.allocator);
  }

  @Test
  @DisplayName("and other streams do not")
  void notForOthers() {
    freeTwo(3);
    long before = box.statistics().reserved().current();
    box.busy(box.stream, box.allocate(3 * PIECE / 2), 1);
    SimStream other = box.newStream();
    box.busy(other, box.allocate(PIECE / 2, other), 1);
    assertEquals(before + PIECE / 2, box.statistics().reserved().current());
  }

  @Test
  @DisplayName(
      "also where the rest of a last page becomes one range with what the stream has beyond")
  void claimedRest() {
    SimStream other = box.newStream();
    Allocation low = box.allocate(PIECE);
    Allocation between = box.allocate(PIECE / 2, other);
    Allocation high = box.allocate(PIECE);
    between.close();
    box.allocator.trim(0);
    box.busy(box.stream, low, HOURS);
    low.close();
    high.close();
    Allocation whole = box.allocate(PIECE + PIECE / 4);
    box.busy(box.stream, whole, 1);
    assertEquals(2 * PIECE, box.statistics().reserved().current());
    assertEquals(1, box.statistics().pagesMoved());
    SnapshotChecks.assertAgrees(box.allocator);
  }

  @Test
  @DisplayName("until it is: then the first address is unmapped, and the page goes where it may")
  void passed() {
    freeTwo(3);
    box.allocate(3 * PIECE / 2).close();
    box.device.synchronize();
    box.allocator.trim(0);
    assertEquals(PIECE, box.statistics().reserved().current());
    assertEquals(
        PIECE, box.backend.getDevice(0).getMemoryInfo().getUsedBytes(), "as the driver sees it");
    SnapshotChecks.assertAgrees(box.allocator);
  }

  @Test
  @DisplayName("a request that one piece and new addresses serve leaves no hole to others' work")
  void partlyUsedPages() {
    // The last page of the request is only half its own: the rest must not go to others yet.
    freeTwo(3);
    Allocation odd = box.allocate(PIECE + PIECE / 8 * 3);
    box.busy(box.stream, odd, HOURS);
    SimStream other = box.newStream();
    for (int i = 0; i < 8; i++) {
      box.busy(other, box.allocate(PIECE / 16, other), 1);
    }
    assertEquals(List.of(), box.backend.getHazards());
  }

  @ParameterizedTest(name = "call {0}: 1 is for the stream''s own pages, 2 for new ones")
  @ValueSource(ints = {1, 2})
  @DisplayName("nor does what a failed growth leaves behind go to others")
  void failedGrowth(int call) {
    List<Allocation> blocks = freeTwo(4);
    box.backend.getFaults().failNth("cuMemSetAccess", call, Fault.UNKNOWN);
    assertThrows(GpuException.class, () -> box.allocate(3 * PIECE));
    SnapshotChecks.assertAgrees(box.allocator);
    SimStream other = box.newStream();
    box.busy(other, box.allocate(PIECE, other), 1);
    assertEquals(List.of(), box.backend.getHazards());
    SnapshotChecks.assertAgrees(box.allocator);
    box.busy(box.stream, box.allocate(PIECE), 1);
    blocks.get(1).close();
    box.device.synchronize();
    box.allocator.trim(0);
    SnapshotChecks.assertAgrees(box.allocator);
    assertEquals(3 * PIECE, box.statistics().reserved().current());
  }

  @Test
  @DisplayName("and what a closed stream left goes too, though others have what it freed")
  void closedStream() {
    try (Sandbox stealing =
        Sandbox.uncached(
            VirtualMemoryUse.ON, each -> Insides.impatient(each).steal(StealPolicy.WITH_WAIT))) {
      SimStream closing = stealing.device.createStream();
      List<Allocation> blocks = freeTwo(stealing, closing, 3);
      Allocation whole = stealing.allocate(3 * PIECE / 2, closing);
      stealing.busy(closing, whole, HOURS);
      whole.close();
      blocks.get(1).close();
      assertEquals(7, mappings(stealing));
      stealing.allocate(5 * PIECE / 2);
      stealing.allocate(PIECE / 2);
      assertEquals(2, stealing.statistics().steals());
      closing.close();
      for (int i = 0; i < 100; i++) {
        SimStream next = stealing.device.createStream();
        stealing.allocate(PIECE, next).close();
        next.close();
      }
      stealing.device.synchronize();
      stealing.allocate(100 * PIECE).close();
      stealing.device.synchronize();
      stealing.allocator.trim(0);
      assertEquals(6, mappings(stealing));
    }
  }

  private static long mappings(Sandbox in) {
    return in.backend.getLeaks().stream().filter(each -> each.kind() == LeakKind.MAPPING).count();
  }

  @Test
  @DisplayName("random programs keep their contents, the books add up, and no hazard is met")
  void randomPrograms() {
    for (long seed = 1; seed <= 20; seed++) {
      try {
        run(new SplittableRandom(seed));
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    long moved = box.statistics().pagesMoved();
    assertTrue(moved > 500, "too few pages for a proof: " + moved);
  }

  private record Held(Allocation block, SimStream stream, long address, byte value) {
    long last() {
      return address + block.getSize() - 1;
    }
  }

  private void run(SplittableRandom dice) {
    List<SimStream> streams = List.of(box.stream, box.newStream(), box.newStream());
    List<Held> held = new ArrayList<>();
    List<String> wrong = new ArrayList<>();
    for (int step = 0; step < 200; step++) {
      if (held.size() < 20 || dice.nextBoolean()) {
        SimStream stream = streams.get(dice.nextInt(streams.size()));
        Allocation block = box.allocator.allocate(1 + dice.nextLong(3 * PIECE), stream);
        Held fresh = new Held(block, stream, block.getAddress(), (byte) step);
        fill(fresh, dice.nextInt(8) == 0 ? 0 : dice.nextLong(HOURS));
        held.add(fresh);
      } else {
        Held old = held.remove(dice.nextInt(held.size()));
        look(old, wrong);
        old.block.close();
      }
      if (dice.nextInt(20) == 0) {
        box.backend.advance(dice.nextLong(HOURS));
      }
      SnapshotChecks.assertAgrees(box.allocator);
    }
    held.forEach(each -> look(each, wrong));
    held.forEach(each -> each.block.close());
    box.device.synchronize();
    assertEquals(List.of(), wrong);
    assertEquals(List.of(), box.backend.getHazards());
  }

  private static void fill(Held held, long nanos) {
    held.stream.launch(
        SimKernel.named("fill")
            .writes(held.address, held.block.getSize())
            .taking(nanos)
            .body(
                bytes -> {
                  bytes.fill(held.address, held.value, 1);
                  bytes.fill(held.last(), held.value, 1);
                })
            .build());
  }

  private static void look(Held held, List<String> wrong) {
    held.stream.launch(
        SimKernel.named("look")
            .reads(held.address, held.block.getSize())
            .taking(0)
            .body(
                bytes -> {
                  byte first = bytes.read(held.address, 1)[0];
                  byte end = bytes.read(held.last(), 1)[0];
                  if (first != held.value || end != held.value) {
                    wrong.add(held + " holds " + first + " and " + end);
                  }
                })
            .build());
  }

  /** The stream is busy with blocks side by side, of which the first and the third were freed. */
  private List<Allocation> freeTwo(int of) {
    return freeTwo(box, box.stream, of);
  }

  private static List<Allocation> freeTwo(Sandbox box, SimStream stream, int of) {
    List<Allocation> blocks = new ArrayList<>();
    for (int i = 0; i < of; i++) {
      Allocation block = box.allocate(PIECE, stream);
      box.busy(stream, block, HOURS);
      blocks.add(block);
    }
    blocks.get(0).close();
    blocks.get(2).close();
    return blocks;
  }
}
