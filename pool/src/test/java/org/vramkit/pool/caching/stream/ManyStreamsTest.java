package org.vramkit.pool.caching.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;

@Tag("virtual-time")
@DisplayName("17.7 A growth in a program of a thousand streams")
class ManyStreamsTest {
  private static final int STREAMS = 1000;
  private static final int MOST_ASKED = 32;
  private static final long HOURS = 10_000_000_000_000L;

  /** Each has used one block, which lies in its cache since. */
  private static List<SimStream> used(Sandbox box, boolean busy) {
    List<SimStream> streams = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      SimStream stream = box.newStream();
      Allocation block = box.allocator.allocate(1000, stream);
      if (busy) {
        box.busy(stream, block, HOURS);
      }
      block.close();
      streams.add(stream);
    }
    return streams;
  }

  private static long questions(Sandbox box, Runnable action) {
    box.backend.getDriverCalls().reset();
    action.run();
    Map<String, Long> calls = box.backend.getDriverCalls().getCounts();
    return calls.getOrDefault("cuStreamQuery", 0L)
        + calls.getOrDefault("cuEventQuery", 0L)
        + calls.getOrDefault("cuEventRecord", 0L);
  }

  /** So much that one page or segment has to be taken. */
  private static long onePiece(VirtualMemoryUse use) {
    return use == VirtualMemoryUse.ON ? 2 * MIB : 20 * MIB;
  }

  @OnBothMemories
  @DisplayName("17.7 asks some of them how far they have come, and the others the next times")
  void idle(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      used(box, false);
      long asked = 0;
      for (int i = 0; i < STREAMS / MOST_ASKED; i++) {
        long now = questions(box, () -> box.allocate(onePiece(use)));
        assertTrue(now <= 16 * MOST_ASKED, "questions of growth " + i + ": " + now);
        asked += now;
      }
      assertEquals(STREAMS, asked, "each was asked once");
      assertEquals(0, questions(box, () -> box.allocate(onePiece(use))), "nothing is left to ask");
    }
  }

  @OnBothMemories
  @DisplayName("17.7 queries only some streams if all are busy")
  void busy(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      used(box, true);
      for (int i = 0; i < 10; i++) {
        long now = questions(box, () -> box.allocate(onePiece(use)));
        assertTrue(now < STREAMS, "questions of growth " + i + ": " + now);
      }
    }
  }

  @OnBothMemories
  @DisplayName("17.7 asks those first that were not asked for longest")
  void oldestFirst(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.uncached(use, Insides::impatient)) {
      List<SimStream> streams = new ArrayList<>();
      List<Allocation> blocks = new ArrayList<>();
      for (int i = 0; i < 10 * MOST_ASKED; i++) {
        SimStream stream = box.newStream();
        streams.add(stream);
        blocks.add(box.allocator.allocate(2 * MIB, stream));
      }
      blocks.forEach(Allocation::close);
      box.allocate(1000 * MIB);
      List<Boolean> passed = new ArrayList<>();
      for (StreamStatistics each : box.statistics().streams().subList(0, streams.size())) {
        passed.add(each.fragmentBytes() == 0);
      }
      int asked = passed.indexOf(false);
      assertTrue(asked >= MOST_ASKED, passed.toString());
      assertFalse(passed.subList(asked, passed.size()).contains(true), passed.toString());
    }
  }
}
