package org.vramkit.pool.caching;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/** How far Lincheck goes through the orders in which threads may act. */
final class EveryOrder {
  private static final int SCENARIOS = 5;
  private static final int ORDERS = 100;

  private EveryOrder() {}

  /**
   * Demands that in random scenarios of some threads, in every order of their steps that a bounded
   * search comes to, the operations of a class answer as if they were done one after the other.
   */
  static void check(Class<?> operations, int threads, int operationsEach) {
    new ModelCheckingOptions()
        .threads(threads)
        .actorsPerThread(operationsEach)
        .actorsBefore(1)
        .actorsAfter(1)
        .iterations(SCENARIOS)
        .invocationsPerIteration(ORDERS)
        .check(operations);
  }
}
