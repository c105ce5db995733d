package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("42.23 A stack that overflows at any depth of a call to the simulator")
class LockOverflowTest {
  private static final long STACK_BYTES = 256 * 1024;
  private static final int ROUNDS = 2_000;

  private final LendableLock lock = new LendableLock();
  private int reached;
  private int overflows;
  private int calls;

  private int call() {
    return lock.locked(() -> lock.locked(() -> ++calls));
  }

  private int descend(int left) {
    reached++;
    return left > 0 ? descend(left - 1) + 1 : call();
  }

  private int deepest() {
    try {
      reached = 0;
      return descend(Integer.MAX_VALUE);
    } catch (StackOverflowError e) {
      return reached;
    }
  }

  /** Calls at all depths near the end of the stack. */
  private void overflow() {
    for (int round = 0; round < ROUNDS; round++) {
      int depth = deepest() - round % 200;
      try {
        descend(depth);
      } catch (StackOverflowError e) {
        overflows++;
      }
    }
  }

  @Test
  @DisplayName("leaves the lock to other threads")
  void free() throws InterruptedException {
    call();
    Thread overflowing = new Thread(null, this::overflow, "overflows", STACK_BYTES);
    overflowing.start();
    overflowing.join();
    assertTrue(overflows > 0, "no overflow");
    int before = calls;
    Thread other = new Thread(this::call, "other");
    other.start();
    other.join();
    assertEquals(before + 1, calls, "calls of another thread; overflows " + overflows);
  }
}
