package org.vramkit.testkit.sim;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.IncompleteExecutionException;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;

/** What becomes of a test that has ended, by what it did to its simulator. */
final class Verdict {
  /** Name of the report entries that carry warnings. */
  static final String WARNING = "vramkit.warning";

  private final ExtensionContext context;
  private final Run run;
  private final LeakPolicy leakPolicy;
  private final Findings findings;
  private final List<HazardCode> expected;

  Verdict(ExtensionContext context, Run run, LeakPolicy leakPolicy) {
    this.context = context;
    this.run = run;
    this.leakPolicy = leakPolicy;
    this.findings = new Findings(run);
    this.expected =
        AnnotationSupport.findAnnotation(context.getTestMethod(), ExpectHazard.class)
            .map(annotation -> List.of(annotation.value()))
            .orElse(List.of());
  }

  /** Whether the test failed by itself, or was aborted. */
  boolean hasTestFailed() {
    return context.getExecutionException().isPresent();
  }

  /** What the test has to fail with; JUnit adds it to the test's own failure, if there is one. */
  @Nullable AssertionError of(SimBackend backend) {
    backend.getWarnings().stream()
        .filter(warning -> !expected.contains(warning.code()))
        .forEach(warning -> context.publishReportEntry(WARNING, warning.toString()));
    AssertionError error = hasTestFailed() ? ofFailed(backend) : ofPassed(backend);
    if (error == null) {
      context
          .getExecutionException()
          .filter(thrown -> !(thrown instanceof IncompleteExecutionException))
          .ifPresent(thrown -> thrown.addSuppressed(new Repetition(run)));
    }
    return error;
  }

  /** A test that ended early: what it did not come to do is neither a hazard missing nor a leak. */
  private @Nullable AssertionError ofFailed(SimBackend backend) {
    List<HazardReport> unexpected =
        backend.getHazards().stream().filter(found -> !expected.contains(found.code())).toList();
    return unexpected.isEmpty() ? null : findings.of(unexpected);
  }

  private @Nullable AssertionError ofPassed(SimBackend backend) {
    AssertionError error = ofHazards(backend);
    List<Leak> leaks = leakPolicy == LeakPolicy.FAIL ? backend.getLeaks() : List.of();
    if (leaks.isEmpty()) {
      return error;
    }
    AssertionError leaked = findings.ofLeaks(leaks);
    if (error == null) {
      return leaked;
    }
    error.addSuppressed(leaked);
    return error;
  }

  private @Nullable AssertionError ofHazards(SimBackend backend) {
    List<HazardReport> hazards = backend.getHazards();
    if (expected.isEmpty()) {
      return hazards.isEmpty() ? null : findings.of(hazards);
    }
    List<HazardCode> found =
        Stream.concat(
                hazards.stream(),
                backend.getWarnings().stream().filter(each -> expected.contains(each.code())))
            .sorted(Comparator.comparingLong(each -> each.later().index()))
            .map(HazardReport::code)
            .distinct()
            .toList();
    return found.equals(expected) ? null : findings.ofOthersThan(expected, found, hazards);
  }
}
