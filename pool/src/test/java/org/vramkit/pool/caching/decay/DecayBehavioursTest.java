package org.vramkit.pool.caching.decay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;
import static org.vramkit.pool.caching.decay.DecayWindow.ALL;
import static org.vramkit.pool.caching.decay.DecayWindow.INTERVAL;
import static org.vramkit.pool.caching.decay.DecayWindow.allocateAndClose;
import static org.vramkit.pool.caching.decay.DecayWindow.reserved;

import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;

@DisplayName("Free memory that was not needed for some time returns to the driver")
class DecayBehavioursTest {
  private final DecayWindow window = new DecayWindow();

  @OnBothMemories
  @DisplayName("little by little over the window, half at its middle, all at its end, and counted")
  void curve(VirtualMemoryUse use) {
    try (Sandbox box = window.uncached(use)) {
      allocateAndClose(box, 20);
      assertEquals(800 * MIB, reserved(box));
      window.decayFor(box, 5);
      assertTrue(reserved(box) >= 720 * MIB, "after a quarter: " + reserved(box) / MIB);
      window.decayFor(box, 6);
      long half = reserved(box) / MIB;
      assertTrue(half >= 360 && half <= 560, "after a half: " + half);
      window.decayFor(box, ALL - 11);
      assertEquals(0, reserved(box));
      assertEquals(800 * MIB, box.statistics().decayedBytes());
      assertEquals(box.statistics().driverAllocations(), box.statistics().driverFrees());
      box.allocate(40 * MIB);
    }
  }

  @OnBothMemories
  @DisplayName("not what a program fills again in each round, only what it no longer fills")
  void recurring(VirtualMemoryUse use) {
    try (Sandbox box = window.uncached(use)) {
      allocateAndClose(box, 10);
      for (int round = 0; round < 20; round++) {
        window.decayFor(box, 3);
        allocateAndClose(box, 5);
      }
      assertEquals(200 * MIB, reserved(box));
      assertTrue(box.statistics().decayedBytes() >= 190 * MIB, "the rest went as chunks were cut");
    }
  }

  @OnBothMemories
  @DisplayName("from a steady program whose stream is never queried")
  void steady(VirtualMemoryUse use) {
    SplittableRandom random = new SplittableRandom(11);
    try (Sandbox box = Sandbox.on(use, builder -> window.decaying(builder).moveTime(0.005))) {
      allocateAndClose(box, 20);
      ArrayDeque<Allocation> live = new ArrayDeque<>();
      long bytes = 0;
      long mostLive = 0;
      long mostReserved = 0;
      for (int i = 0; i < 20_000; i++) {
        window.passNanos(INTERVAL / 20);
        long size = (1024L << random.nextInt(15)) + random.nextLong(MIB);
        while (bytes + size > 80 * MIB || (!live.isEmpty() && random.nextInt(3) == 0)) {
          Allocation closed = random.nextBoolean() ? live.removeFirst() : live.removeLast();
          bytes -= closed.getSize();
          closed.close();
        }
        live.add(box.allocator.allocate(size, box.stream));
        bytes += live.getLast().getSize();
        if (i > 10_000) {
          mostLive = Math.max(mostLive, bytes);
          mostReserved = Math.max(mostReserved, reserved(box));
        }
      }
      live.forEach(Allocation::close);
      long most = mostReserved / MIB;
      long needed = mostLive / MIB;
      assertTrue(most <= needed * 5 / 2, () -> most + " MiB kept for " + needed);
    }
  }

  @OnBothMemories
  @DisplayName("not from under a program that wakes up after a silence and wants it again")
  void wakesUp(VirtualMemoryUse use) {
    try (Sandbox box = window.uncached(use)) {
      allocateAndClose(box, 10);
      for (int round = 0; round < 5; round++) {
        window.pass(100);
        allocateAndClose(box, 6);
        window.pass(1);
        allocateAndClose(box, 1);
      }
      assertEquals(240 * MIB, reserved(box));
      assertEquals(160 * MIB, box.statistics().decayedBytes());
    }
  }

  @OnBothMemories
  @DisplayName("and not at the end of the next idle time, if a timer called meanwhile")
  void wakesUpAgain(VirtualMemoryUse use) {
    try (Sandbox box = window.uncached(use)) {
      allocateAndClose(box, 6);
      window.pass(100);
      allocateAndClose(box, 6);
      window.decayFor(box, 1);
      long before = box.statistics().decayedBytes();
      window.pass(100);
      allocateAndClose(box, 6);
      assertEquals(before, box.statistics().decayedBytes());
    }
  }

  @OnBothMemories
  @DisplayName("A clock that goes back is harmless; time continues once it has caught up")
  void clockGoesBack(VirtualMemoryUse use) {
    try (Sandbox box = window.uncached(use)) {
      allocateAndClose(box, 1);
      for (long back = 1; back > 0; back *= 8) {
        window.passNanos(-back);
        allocateAndClose(box, 1);
        assertEquals(0, box.allocator.decay());
        window.passNanos(back);
      }
      window.decayFor(box, ALL);
      assertEquals(0, reserved(box));
    }
  }
}
