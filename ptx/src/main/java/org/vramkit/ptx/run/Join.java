package org.vramkit.ptx.run;

import org.jspecify.annotations.Nullable;

/** A place where lanes that have diverged wait for each other, to go on as one path. */
final class Join {
  final int pc;
  final Frame frame;
  final @Nullable Join outer;

  /** Lanes that are still to come or have arrived; lanes that exit are removed. */
  int expected;

  int arrived;

  Join(int pc, Frame frame, int expected, @Nullable Join outer) {
    this.pc = pc;
    this.frame = frame;
    this.expected = expected;
    this.outer = outer;
  }
}
