package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.ClosedException;

@DisplayName("A handle ends once, and never while a call uses it")
class LifetimeTest {
  private final AtomicInteger ended = new AtomicInteger();
  private final Lifetime life = new Lifetime(ended::incrementAndGet);

  @Test
  @DisplayName("without users, a close releases it, and a second close has no effect")
  void closeEnds() {
    assertFalse(life.isClosed());
    life.close();
    life.close();
    assertAll(() -> assertTrue(life.isClosed()), () -> assertEquals(1, ended.get()));
  }

  @Test
  @DisplayName(
      "with a user, the close only rejects new users, and the last user to leave releases it")
  void lastUserEnds() {
    life.enter("a");
    life.enter("a");
    life.close();
    assertEquals(0, ended.get(), "still in use");
    ClosedException error = assertThrows(ClosedException.class, () -> life.enter("the stream"));
    assertTrue(error.toString().contains("the stream is closed"), error.toString());
    life.leave();
    assertEquals(0, ended.get(), "one is left");
    life.leave();
    assertEquals(1, ended.get());
  }

  @Test
  @DisplayName("when many threads use and close it at once, none uses it after the release")
  void racing() throws Exception {
    int threads = 4;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      for (int round = 0; round < 2_000; round++) {
        AtomicInteger ends = new AtomicInteger();
        AtomicInteger usedAfterEnd = new AtomicInteger();
        Lifetime raced = new Lifetime(ends::incrementAndGet);
        CountDownLatch start = new CountDownLatch(1);
        List<Future<?>> users = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
          boolean closes = i == round % threads;
          users.add(
              pool.submit(
                  () -> {
                    start.await();
                    for (int use = 0; use < 20 && raced.tryEnter(); use++) {
                      usedAfterEnd.addAndGet(ends.get());
                      raced.leave();
                      if (closes && use == 3) {
                        raced.close();
                      }
                    }
                    return null;
                  }));
        }
        start.countDown();
        for (Future<?> each : users) {
          each.get();
        }
        assertEquals(1, ends.get(), "ends in round " + round);
        assertEquals(0, usedAfterEnd.get(), "uses after the end in round " + round);
      }
    } finally {
      pool.shutdownNow();
    }
  }
}
