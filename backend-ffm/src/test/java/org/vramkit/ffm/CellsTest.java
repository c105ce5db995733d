package org.vramkit.ffm;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.cuda.CLibrary;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.cuda.driver.Handle;

@DisplayName("23.1 Cells are one caller's at a time, and cost no garbage")
class CellsTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  @DisplayName("two cells of one thread are two, and both are zeros when taken again")
  void nested() {
    long first = Cells.take();
    long second = Cells.take();
    assertNotEquals(first, second);
    for (long each : new long[] {first, second}) {
      Cells.putLong(each, -1);
      Cells.putLong(each + 8, -1);
      Cells.give(each);
    }
    long again = Cells.take();
    assertAll(
        () -> assertEquals(0, Cells.getLong(again)),
        () -> assertEquals(0, Cells.getLong(again + 8)));
    Cells.give(again);
  }

  /** Takes and returns cells; returns how often another thread wrote to a taken cell. */
  private static long disturbed(int rounds) {
    long mark = Thread.currentThread().threadId();
    long found = 0;
    for (int i = 0; i < rounds; i++) {
      long outer = Cells.take();
      long inner = Cells.take();
      Cells.putLong(outer, mark);
      Cells.putLong(inner, -mark);
      if (i % 64 == 0) {
        Thread.onSpinWait();
      }
      found += Cells.getLong(outer) == mark && Cells.getLong(inner) == -mark ? 0 : 1;
      Cells.give(inner);
      Cells.give(outer);
    }
    return found;
  }

  @Test
  @DisplayName("more threads than cells, platform and virtual ones, never share one")
  void manyThreads() throws InterruptedException {
    AtomicLong found = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 150; i++) {
      Thread.Builder builder = i % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
      threads.add(builder.start(() -> found.addAndGet(disturbed(2000))));
    }
    for (Thread each : threads) {
      each.join();
    }
    assertEquals(0, found.get());
  }

  @Test
  @DisplayName("an ended thread's cell is the next one's: there are no more, however many threads")
  void endedThreads() throws InterruptedException {
    Set<Long> cells = ConcurrentHashMap.newKeySet();
    for (int i = 0; i < 1000; i++) {
      Thread thread =
          Thread.ofPlatform()
              .start(
                  () -> {
                    long cell = Cells.take();
                    cells.add(cell);
                    Cells.give(cell);
                  });
      thread.join();
    }
    assertTrue(cells.size() <= 2 * 64, () -> cells.size() + " cells");
  }

  @Test
  @DisplayName("a live thread keeps its cell, whichever other threads call")
  void keepsItsOwn() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    Set<Long> others = ConcurrentHashMap.newKeySet();
    long own = Cells.take();
    Cells.give(own);
    List<Thread> threads = new ArrayList<>();
    CountDownLatch taken = new CountDownLatch(200);
    for (int i = 0; i < 200; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    long cell = Cells.take();
                    others.add(cell);
                    taken.countDown();
                    try {
                      end.await();
                    } catch (InterruptedException e) {
                      throw new AssertionError(e);
                    } finally {
                      Cells.give(cell);
                    }
                  }));
    }
    taken.await();
    Set<Long> seen = new HashSet<>(others);
    end.countDown();
    for (Thread each : threads) {
      each.join();
    }
    assertEquals(200, seen.size(), "one for each at once");
    long again = Cells.take();
    Cells.give(again);
    assertEquals(own, again);
  }

  @Test
  @DisplayName("asking for the current context makes no object, once it is compiled")
  void noGarbage(@TempDir Path folder) throws IOException, InterruptedException {
    Path library = CLibrary.build("answers.c", folder.resolve("libanswers.so"));
    ContextCalls calls =
        FfmDriver.of(SymbolLookup.libraryLookup(library, Arena.global()), true).contexts();
    Handle[] current = new Handle[1];
    double least = Double.MAX_VALUE;
    for (int round = 0; round < 200 && least >= 1; round++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 20_000; i++) {
        calls.cuCtxGetCurrent(current);
      }
      least = Math.min(least, (THREADS.getCurrentThreadAllocatedBytes() - before) / 20_000.0);
    }
    assertTrue(least < 1, least + " bytes a call");
  }
}
