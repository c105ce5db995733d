package org.vramkit.pressure;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionResult;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.kotlinx.lincheck.execution.ResultWithClock;
import org.jetbrains.kotlinx.lincheck.util.ExceptionResult;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.verifier.Verifier;

/** Accepts every run without an exception, for operations that check their own results. */
public final class NothingThrown implements Verifier {
  /** Orders of each scenario. */
  private static final int ORDERS = 45 * Integer.getInteger("vramkit.effort", 1);

  private static final int SCENARIOS = 4;

  public NothingThrown(Class<?> operations) {}

  /** Runs operations of two threads in many orders of their steps, none of which may throw. */
  static void inEveryOrderOf(Class<?> operations) {
    new ModelCheckingOptions()
        .threads(2)
        .actorsPerThread(1)
        .actorsBefore(0)
        .actorsAfter(0)
        .iterations(SCENARIOS)
        .invocationsPerIteration(ORDERS)
        .verifier(NothingThrown.class)
        .addGuarantee(forClasses(NothingThrown::knowsNoThreads).allMethods().ignore())
        .addGuarantee(forClasses(NothingThrown::isOneStep).allMethods().treatAsAtomic())
        .check(operations);
  }

  /** Returns whether interleavings within a class need not be explored. */
  private static boolean knowsNoThreads(String name) {
    return name.startsWith("org.junit.")
        || name.startsWith("java.time.")
        || name.equals(CountedMemory.class.getName())
        || (name.startsWith("java.util.")
            && !name.startsWith("java.util.concurrent.")
            && !name.startsWith("java.util.function."));
  }

  /**
   * Returns whether a call of a class is one step: a collection of the JDK for several threads, or
   * a class used under a lock. Threads meet between two calls, which shows a missing lock.
   */
  private static boolean isOneStep(String name) {
    return name.equals(AdmissionLine.class.getName())
        || name.equals(ConcurrentHashMap.class.getName())
        || name.equals(ConcurrentLinkedQueue.class.getName());
  }

  @Override
  public boolean verifyResults(ExecutionScenario scenario, ExecutionResult results) {
    return Stream.concat(
            results.getInitResults().stream(),
            results.getParallelResultsWithClock().stream()
                .flatMap(List::stream)
                .map(ResultWithClock::getResult))
        .noneMatch(ExceptionResult.class::isInstance);
  }
}
