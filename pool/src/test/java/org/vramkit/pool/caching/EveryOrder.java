package org.vramkit.pool.caching;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionResult;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.kotlinx.lincheck.execution.ResultWithClock;
import org.jetbrains.kotlinx.lincheck.util.ExceptionResult;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.verifier.Verifier;
import org.jetbrains.lincheck.util.LoggingLevel;

/** How far Lincheck goes through the orders in which threads may act. */
public final class EveryOrder {
  private static final int SCENARIOS = 5;

  /** Orders of each scenario. */
  public static final int ORDERS = 40 * Integer.getInteger("vramkit.effort", 1);

  /** Of one operation in each thread, so that most kinds meet. */
  private static final int PAIRS = 8;

  /** Emptying a cache looks at all of its classes; longer loops count as hung. */
  private static final int LONGEST_LOOP = 1 << 9;

  private static final Set<String> ONE_STEP =
      Set.of(
          ConcurrentHashMap.class.getName(), ArrayList.class.getName(), ArrayDeque.class.getName());

  private EveryOrder() {}

  /**
   * Demands that in random scenarios of some threads, in every order of their steps that a bounded
   * search comes to, the operations of a class answer as if they were done one after the other.
   */
  public static void check(Class<?> operations, int threads, int operationsEach) {
    options(threads, operationsEach).check(operations);
  }

  /**
   * Demands that no operation throws, in the same orders of two threads with one operation each:
   * for operations that judge by themselves what they find.
   *
   * @param unstopped does what is no part of the proof: no thread meets another one inside of it
   */
  public static void checkAssertions(Class<?> operations, int orders, Class<?>... unstopped) {
    Set<String> names = Stream.of(unstopped).map(Class::getName).collect(Collectors.toSet());
    options(2, 1)
        .iterations(PAIRS)
        .invocationsPerIteration(orders)
        .verifier(NothingThrown.class)
        .addGuarantee(
            forClasses(name -> (knowsNoThreads(name) && !isOneStep(name)) || names.contains(name))
                .allMethods()
                .ignore())
        .addGuarantee(forClasses(EveryOrder::isOneStep).allMethods().treatAsAtomic())
        .check(operations);
  }

  /**
   * Whether nothing is gained where threads meet inside of these classes: they are used under a
   * lock, or by one thread. Functions stay, for they come back into what is proved.
   */
  private static boolean knowsNoThreads(String name) {
    return name.startsWith("org.junit.")
        || (name.startsWith("java.util.")
            && !name.startsWith("java.util.concurrent.")
            && !name.startsWith("java.util.function."));
  }

  /**
   * Whether a call is one step: the library proves it of a map for several threads, and others are
   * used under a lock. Threads meet between two calls, which shows a missing lock.
   */
  private static boolean isOneStep(String name) {
    return ONE_STEP.contains(name);
  }

  private static ModelCheckingOptions options(int threads, int operationsEach) {
    return new ModelCheckingOptions()
        .threads(threads)
        .actorsPerThread(operationsEach)
        .actorsBefore(1)
        .actorsAfter(1)
        .iterations(SCENARIOS)
        .invocationsPerIteration(ORDERS)
        .loopBound(LONGEST_LOOP)
        .logLevel(LoggingLevel.ERROR);
  }

  /** Lincheck makes it, for a class of operations. */
  public static final class NothingThrown implements Verifier {
    public NothingThrown(Class<?> operations) {}

    @Override
    public boolean verifyResults(ExecutionScenario scenario, ExecutionResult results) {
      return Stream.of(
              results.getInitResults().stream(),
              results.getParallelResultsWithClock().stream()
                  .flatMap(List::stream)
                  .map(ResultWithClock::getResult),
              results.getPostResults().stream())
          .flatMap(all -> all)
          .noneMatch(ExceptionResult.class::isInstance);
    }
  }
}
