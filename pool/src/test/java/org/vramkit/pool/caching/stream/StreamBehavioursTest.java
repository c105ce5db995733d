package org.vramkit.pool.caching.stream;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.cache.ThreadCache;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.sim.SimStream;

@DisplayName("Streams")
class StreamBehavioursTest {
  /** Fills a segment of its own, so that no rest of it is there for another stream. */
  private static final long SIZE = 12 * MIB;

  @OnBothMemories
  @DisplayName("28 a block used by another stream comes back once that stream has drained")
  @Tag("virtual-time")
  void recordedUse(VirtualMemoryUse use) {
    for (long size : new long[] {4096, 4 * MIB}) {
      try (Sandbox box = Sandbox.on(use)) {
        SimStream main = box.newStream();
        Allocation block = box.allocate(size);
        long address = block.getAddress();
        box.busy(main, block, 50_000_000);
        block.recordUse(main);
        block.close();
        assertNotEquals(address, box.allocate(size).getAddress());
        box.backend.advance(60_000_000);
        assertEquals(address, box.allocate(size).getAddress());
        assertEquals(0, box.statistics().synchronizations());
      }
    }
  }

  @OnBothMemories
  @DisplayName("29 a use recorded through an interior address protects the whole block")
  @Tag("virtual-time")
  void interior(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      SimStream other = box.newStream();
      Allocation block = box.allocate(4 * MIB);
      long address = block.getAddress();
      box.busy(other, block, 50_000_000);
      assertTrue(box.allocator.recordUse(address + MIB + 5, other));
      block.close();
      assertFalse(box.allocator.recordUse(address + MIB + 5, other), "recorded on a closed block");
      box.stream.synchronize();
      long next = box.allocate(4 * MIB).getAddress();
      assertTrue(next + 4 * MIB <= address || next >= address + 4 * MIB, "handed out in part");
    }
  }

  @OnBothMemories
  @DisplayName("30 recording the stream of the allocation changes nothing")
  void ownStream(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      Allocation block = box.allocate(MIB);
      long address = block.getAddress();
      box.backend.getDriverCalls().reset();
      block.recordUse(box.stream);
      block.close();
      assertEquals(address, box.allocate(MIB).getAddress());
      assertEquals(0, box.backend.getDriverCalls().getTotal());
    }
  }

  @OnBothMemories
  @DisplayName("31 memory that a busy stream has freed changes hands by an event wait, if allowed")
  @Tag("virtual-time")
  void stealWithWait(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.steal(StealPolicy.WITH_WAIT))) {
      long address = freeBusy(box);
      SimStream other = box.newStream();
      Allocation stolen = box.allocate(SIZE, other);
      assertEquals(address, stolen.getAddress());
      assertEquals(1, box.backend.getDriverCalls().getCount("cuStreamWaitEvent"));
      assertEquals(1, box.statistics().steals());
      other.fill(stolen.getAddress(), (byte) 3, stolen.getSize());
    }
  }

  @OnBothMemories
  @DisplayName("31 otherwise it stays with its stream while that is busy")
  @Tag("virtual-time")
  void keptWhileBusy(VirtualMemoryUse use) {
    for (StealPolicy policy : new StealPolicy[] {StealPolicy.NEVER, StealPolicy.WHEN_IDLE}) {
      try (Sandbox box = Sandbox.on(use, b -> b.steal(policy))) {
        long address = freeBusy(box);
        SimStream other = box.newStream();
        assertNotEquals(address, box.allocate(SIZE, other).getAddress(), policy.toString());
        assertEquals(address, box.allocate(SIZE).getAddress(), policy.toString());
        assertEquals(0, box.backend.getDriverCalls().getCount("cuStreamWaitEvent"));
      }
    }
  }

  @OnBothMemories
  @DisplayName("31 once its stream is idle any stream may have it, without a wait")
  void handedOverWhenIdle(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.steal(StealPolicy.WHEN_IDLE))) {
      long address = freeBusy(box);
      box.backend.advance(60_000_000);
      SimStream other = box.newStream();
      Allocation taken = box.allocate(SIZE, other);
      assertEquals(address, taken.getAddress());
      assertEquals(0, box.backend.getDriverCalls().getCount("cuStreamWaitEvent"));
      other.fill(taken.getAddress(), (byte) 3, taken.getSize());
    }
  }

  @ParameterizedTest(name = "pieces of {0} KiB")
  @ValueSource(longs = {512, 5120})
  @DisplayName("31 its stream reuses it together with a neighbour that other streams may use, too")
  @Tag("virtual-time")
  void besideSettled(long kib) {
    long piece = kib * ByteSize.KIB;
    try (Sandbox box = Sandbox.segments(b -> b.steal(StealPolicy.NEVER))) {
      // They fill a segment.
      List<Allocation> pieces = Stream.generate(() -> box.allocate(piece)).limit(4).toList();
      long reserved = box.statistics().reserved().current();
      long lower = Math.min(pieces.get(1).getAddress(), pieces.get(2).getAddress());
      pieces.get(1).close();
      box.allocator.trim(Long.MAX_VALUE);
      box.busy(box.stream, pieces.get(2), 50_000_000);
      pieces.get(2).close();
      assertEquals(lower, box.allocate(2 * piece).getAddress());
      assertEquals(reserved, box.statistics().reserved().current());
    }
  }

  /** Frees a block that its own stream still works on for 50 ms; returns where it was. */
  private static long freeBusy(Sandbox box) {
    Allocation block = box.allocate(SIZE);
    long address = block.getAddress();
    box.busy(box.stream, block, 50_000_000);
    block.close();
    return address;
  }

  @OnBothMemories
  @DisplayName("32 a slow stream holds up only what it uses itself")
  @Tag("virtual-time")
  void headOfLine(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      SimStream slow = box.newStream();
      SimStream quick = box.newStream();
      Allocation first = box.allocate(4 * MIB);
      Allocation second = box.allocate(4 * MIB);
      long ready = second.getAddress();
      box.busy(slow, first, 1_000_000_000);
      first.recordUse(slow);
      box.busy(quick, second, 1_000);
      second.recordUse(quick);
      first.close();
      second.close();
      box.backend.advance(1_000_000);
      assertEquals(ready, box.allocate(4 * MIB).getAddress());
      assertTrue(box.backend.getTimeNanos() < 900_000_000, "waited for the slow stream");
    }
  }

  @OnBothMemories
  @DisplayName("a closed stream gets no memory beyond what lies ready for it")
  void closedStream(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      SimStream gone = box.newStream();
      box.allocate(4096, gone).close();
      gone.close();
      assertThrows(ClosedException.class, () -> box.allocate(8 * MIB, gone));
      box.allocator.emptyCache();
      assertThrows(ClosedException.class, () -> box.allocate(4096, gone));
    }
  }

  @OnBothMemories
  @DisplayName("a block on its way to the heap of a stream that is forgotten meanwhile is not lost")
  void forgottenMeanwhile(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.with(each -> each.virtualMemory(use).threadCache(0))) {
      SimStream gone = box.newStream();
      Allocation held = box.allocator.allocate(MIB, gone);
      Block block =
          requireNonNull(Insides.pools(box.allocator).main.heap.blockAt(held.getAddress()));
      StreamCache owner = StreamCache.of(block);
      ThreadCache cache = ThreadCache.of(block);
      // What a thread does that closes the allocation, up to where it has no lock.
      cache.lock();
      Block overflow = requireNonNull(cache.give(block));
      cache.unlock();
      gone.close();
      for (int i = 0; i < 70; i++) {
        box.allocate(4096, box.newStream()).close();
      }
      assertTrue(owner.ended);
      Insides.spill(overflow);
      box.device.synchronize();
      box.allocator.trim(0);
      assertEquals(0, box.statistics().reserved().current());
    }
  }
}
