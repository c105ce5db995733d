package org.vramkit.pool.ending;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.driver.Fault;

/** How a call of the driver goes wrong. */
@SuppressWarnings("ImmutableEnumChecker") // a fault is a value
enum Breakage {
  /** The driver refuses it. */
  REFUSED(Fault.UNKNOWN),
  /** It takes something, and there is no memory. */
  OUT_OF_MEMORY(Fault.OUT_OF_MEMORY),
  /** It loses the device. */
  LOST(Fault.FATAL),
  /** The JVM has no heap left to make it, or no stack. */
  JVM_AT_ITS_END(null);

  private static final Set<String> TAKING = Set.of("allocate", "createEvent");

  /** What the simulated driver answers; null where the JVM fails instead. */
  final @Nullable Fault fault;

  Breakage(@Nullable Fault fault) {
    this.fault = fault;
  }

  boolean mayHit(String call) {
    return this != OUT_OF_MEMORY || TAKING.contains(call);
  }

  /** What the JVM throws instead of the nth call. */
  static Error ofJvm(int nth) {
    return nth % 2 == 0 ? new OutOfMemoryError("as planned") : new StackOverflowError("as planned");
  }
}
