package org.vramkit.pool.caching.internal.cache;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("17.16 The gate of a pool")
class ArenaGateTest {
  private final ArenaGate gate = new ArenaGate("the pool", () -> {}, () -> {});

  /** A call that waits in a handler, which makes the same call again. */
  private boolean callForever() {
    return gate.inside(() -> gate.outside(this::callForever));
  }

  @Test
  @DisplayName("17.16 counts no call any more after a handler's calls have overflowed the stack")
  void handlerOverflowsTheStack() {
    for (int i = 0; i < 20; i++) {
      assertThrows(StackOverflowError.class, this::callForever);
    }
    gate.shut();
    assertTrue(gate.isDeserted(), "the pool would wait for these calls when it is closed");
  }
}
