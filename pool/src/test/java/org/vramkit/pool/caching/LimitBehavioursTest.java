package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.SimStream;

@DisplayName("Limits, out of memory, and streams")
class LimitBehavioursTest {

  @Test
  @DisplayName("16 absurd requests fail with their size and device, and nothing is lost")
  void absurd() {
    try (Sandbox box = Sandbox.standard()) {
      Allocation kept = box.allocate(MIB);
      AllocatorOutOfMemoryException e =
          assertThrows(
              AllocatorOutOfMemoryException.class, () -> box.allocate(800_000_000L * ByteSize.GIB));
      assertTrue(e.toString().contains("device 0"), e.toString());
      assertTrue(e.toString().contains("8.00 GiB"), e.toString());
      DeviceOutOfMemoryException distinct =
          assertThrows(DeviceOutOfMemoryException.class, () -> box.allocate((1L << 60) + 1));
      assertTrue(distinct.toString().contains("1 EiB"), distinct.toString());
      box.stream.fill(kept.getAddress(), (byte) 1, kept.getSize());
    }
  }

  @Test
  @DisplayName("17 half of the memory twice: the second succeeds once the first is freed")
  void halves() {
    try (Sandbox box = Sandbox.standard()) {
      long half = 4 * ByteSize.GIB + 512;
      Allocation first = box.allocate(half);
      assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(half));
      first.close();
      box.allocate(half);
    }
  }

  @Test
  @DisplayName("18 a fraction limits what is reserved, is read back, and refuses nonsense")
  void fraction() {
    try (Sandbox box = Sandbox.with(b -> b.memoryFraction(0.5))) {
      box.allocate((long) (0.499 * 8 * ByteSize.GIB)).close();
      assertThrows(DeviceOutOfMemoryException.class, () -> box.allocate(4 * ByteSize.GIB + 512));
      for (double value : new double[] {0.0, 1.0, 0.37}) {
        box.allocator.setMemoryFraction(value);
        assertEquals(value, box.allocator.getMemoryFraction());
      }
      for (double value : new double[] {-0.1, 2.0, Double.NaN}) {
        assertThrows(InvalidArgumentException.class, () -> box.allocator.setMemoryFraction(value));
      }
    }
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("19 a fraction given as text is read back, and nonsense is refused when it is given")
  void fractionAsText(VirtualMemoryUse use) {
    for (String text : List.of("0.0", "0.5", "1.0")) {
      try (Sandbox box = Sandbox.with(b -> b.virtualMemory(use).set("memory-fraction", text))) {
        assertEquals(Double.parseDouble(text), box.allocator.getMemoryFraction());
      }
    }
    try (Sandbox box = Sandbox.standard()) {
      CachingAllocatorBuilder builder = CachingAllocator.builder(box.device);
      for (String text : List.of("-0.1", "1.1", "NaN", "half", "")) {
        InvalidArgumentException e =
            assertThrows(
                InvalidArgumentException.class, () -> builder.set("memory-fraction", text));
        assertTrue(e.toString().contains("fraction"), e.toString());
      }
    }
  }

  @ParameterizedTest(name = "max-split {0}")
  @ValueSource(strings = {"none", "1GiB"})
  @DisplayName("20 the out-of-memory handler hears of a request of 4 TiB before it fails")
  void handlerHears(String maxSplit) {
    List<String> heard = new ArrayList<>();
    OutOfMemoryHandler handler =
        (report, attempt) -> {
          heard.add(report.requestedBytes() + " at attempt " + attempt);
          return false;
        };
    try (Sandbox box =
        Sandbox.segments(b -> b.set("max-split", maxSplit).outOfMemoryHandler(handler))) {
      Allocation kept = box.allocate(3 * MIB);
      assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(4096 * ByteSize.GIB));
      assertEquals(List.of(4096 * ByteSize.GIB + " at attempt 1"), heard);
      assertEquals(1, box.statistics().outOfMemories());
      box.stream.fill(kept.getAddress(), (byte) 1, kept.getSize());
      box.allocate(3 * MIB);
    }
  }

  @Test
  @DisplayName("21 preemptive rejection counts, and leaves small requests alone")
  void rejection() {
    try (Sandbox box = Sandbox.with(b -> b.memoryFraction(0.01).preemptiveRejection(true))) {
      assertThrows(DeviceOutOfMemoryException.class, () -> box.allocate(ByteSize.GIB));
      assertEquals(1, box.statistics().rejections());
      box.allocate(MIB);
    }
  }

  @Test
  @DisplayName("22 blocks freed at once while a side stream uses them never lead to out of memory")
  void sideStream() {
    try (Sandbox box = Sandbox.with(b -> b.limit(400 * MIB))) {
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

  @Test
  @DisplayName("23, 24, 25 a full device waits for just as many pending blocks as it needs")
  void waitsForPending() {
    try (Sandbox box = Sandbox.with(b -> b.limit(64 * MIB))) {
      SimStream slow = box.newStream();
      SimStream quick = box.newStream();
      Allocation forSlow = box.allocate(32 * MIB);
      Allocation forQuick = box.allocate(32 * MIB);
      box.busy(slow, forSlow, 500_000_000);
      forSlow.recordUse(slow);
      box.busy(quick, forQuick, 1_000_000_000);
      forQuick.recordUse(quick);
      forSlow.close();
      forQuick.close();
      box.allocate(32 * MIB);
      assertTrue(box.backend.getTimeNanos() < 900_000_000, "waited for one block too many");
      assertEquals(1, box.statistics().retries());
    }
  }

  @Test
  @DisplayName("26 a limit of three blocks takes three, and one of all three once they are freed")
  void limit() {
    try (Sandbox box = Sandbox.with(b -> b.limit(120 * MIB))) {
      Allocation[] blocks = {
        box.allocate(40 * MIB), box.allocate(40 * MIB), box.allocate(40 * MIB)
      };
      AllocatorOutOfMemoryException e =
          assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(40 * MIB));
      assertTrue(e.getReport().advice().contains("limit"), e.getReport().advice());
      for (Allocation block : blocks) {
        block.close();
      }
      box.allocate(120 * MIB);
    }
  }

  @Test
  @DisplayName("27 above the garbage collection threshold free segments go back first")
  void garbageCollection() {
    try (Sandbox box = Sandbox.segments(b -> b.limit(120 * MIB).garbageCollectionThreshold(0.5))) {
      Allocation one = box.allocate(40 * MIB);
      Allocation two = box.allocate(40 * MIB);
      one.close();
      two.close();
      box.allocate(80 * MIB);
      assertTrue(box.statistics().driverFrees() > 0);
    }
  }

  @Test
  @DisplayName("29 a use recorded through an interior address protects the whole block")
  void interior() {
    try (Sandbox box = Sandbox.segments()) {
      SimStream other = box.newStream();
      Allocation block = box.allocate(4 * MIB);
      long address = block.getAddress();
      box.busy(other, block, 50_000_000);
      assertTrue(box.allocator.recordUse(address + MIB + 5, other));
      block.close();
      box.stream.synchronize();
      assertNotEquals(address, box.allocate(4 * MIB).getAddress());
    }
  }

  @Test
  @DisplayName("30 recording the stream of the allocation changes nothing")
  void ownStream() {
    try (Sandbox box = Sandbox.standard()) {
      Allocation block = box.allocate(MIB);
      long address = block.getAddress();
      box.backend.getDriverCalls().reset();
      block.recordUse(box.stream);
      block.close();
      assertEquals(address, box.allocate(MIB).getAddress());
      assertEquals(0, box.backend.getDriverCalls().getTotal());
    }
  }

  @Test
  @DisplayName("31 memory that a busy stream has freed changes hands by an event wait, if allowed")
  void stealWithWait() {
    try (Sandbox box = Sandbox.with(b -> b.steal(StealPolicy.WITH_WAIT))) {
      Allocation block = box.allocate(8 * MIB);
      long address = block.getAddress();
      box.busy(box.stream, block, 50_000_000);
      block.close();
      SimStream other = box.newStream();
      Allocation stolen = box.allocate(8 * MIB, other);
      assertEquals(address, stolen.getAddress());
      assertEquals(1, box.backend.getDriverCalls().getCount("cuStreamWaitEvent"));
      other.fill(stolen.getAddress(), (byte) 3, stolen.getSize());
    }
  }

  @Test
  @DisplayName("32 a slow stream holds up only what it uses itself")
  void headOfLine() {
    try (Sandbox box = Sandbox.segments()) {
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
    }
  }
}
