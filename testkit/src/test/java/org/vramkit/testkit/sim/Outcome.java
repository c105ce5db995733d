package org.vramkit.testkit.sim;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/** What JUnit tells of the tests of a class that was run inside a test. */
record Outcome(EngineExecutionResults results) {

  /** Runs a class with configuration parameters, which stand for system properties as well. */
  static Outcome of(Class<?> tests, Map<String, String> parameters) {
    return new Outcome(
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectClass(tests))
            .configurationParameters(parameters)
            .execute());
  }

  static Outcome of(Class<?> tests) {
    return of(tests, Map.of());
  }

  /** Demands so many tests that passed and that failed, and no others. */
  Outcome expect(long passed, long failed) {
    tests()
        .assertStatistics(
            statistics -> statistics.started(passed + failed).succeeded(passed).failed(failed));
    return this;
  }

  /** What the only failed test failed with. */
  <T extends Throwable> T failure(Class<T> type) {
    List<Throwable> failures = failures();
    if (failures.size() != 1) {
      throw new AssertionError("expected one failed test, found " + failures);
    }
    return type.cast(failures.get(0));
  }

  /** What the failed tests failed with, in that order. */
  List<Throwable> failures() {
    return tests().failed().stream().map(Outcome::throwable).toList();
  }

  /** What an event of something finished says that it failed with. */
  static Throwable throwable(Event finished) {
    return finished
        .getRequiredPayload(TestExecutionResult.class)
        .getThrowable()
        .orElseThrow(() -> new AssertionError("did not fail: " + finished));
  }

  /** The names of the tests that were run, in that order. */
  List<String> names() {
    return tests().started().map(event -> event.getTestDescriptor().getDisplayName()).toList();
  }

  Events tests() {
    return results.testEvents();
  }
}
