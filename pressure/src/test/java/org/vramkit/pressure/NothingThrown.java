package org.vramkit.pressure;

import java.util.List;
import java.util.stream.Stream;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionResult;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.kotlinx.lincheck.execution.ResultWithClock;
import org.jetbrains.kotlinx.lincheck.util.ExceptionResult;
import org.jetbrains.lincheck.datastructures.verifier.Verifier;

/** Accepts every run without an exception, for operations that check their own results. */
public final class NothingThrown implements Verifier {
  /** Orders of each scenario. */
  static final int ORDERS = 500;

  public NothingThrown(Class<?> operations) {}

  /**
   * Returns whether a class is used only under locks, so that interleavings within it need not be
   * explored.
   */
  static boolean isUsedUnderLocks(String name) {
    return name.startsWith("org.junit.")
        || name.startsWith("java.time.")
        || name.equals(CountedMemory.class.getName())
        || name.equals(AdmissionLine.class.getName())
        || (name.startsWith("java.util.")
            && !name.startsWith("java.util.concurrent.")
            && !name.startsWith("java.util.function."));
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
