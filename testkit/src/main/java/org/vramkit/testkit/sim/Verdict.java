package org.vramkit.testkit.sim;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.IncompleteExecutionException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultRule;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;

/** What becomes of a test that has ended, by what it did to its simulator. */
final class Verdict {
  /** Name of the report entries that carry warnings. */
  static final String WARNING = "vramkit.warning";

  /** Name of the report entries that tell what held work back, which therefore did not run. */
  static final String UNFINISHED = "vramkit.unfinished";

  /** Name of the report entries that tell which rules of a fault plan never did anything. */
  static final String UNUSED_FAULT = "vramkit.unused-fault";

  /** Name of the report entries that tell which stream of a test a fault plan kept from closing. */
  static final String REFUSED_CLOSE = "vramkit.refused-close";

  private final ExtensionContext context;
  private final Repetition repetition;
  private final LeakPolicy leakPolicy;
  private final List<HazardCode> expected;

  Verdict(ExtensionContext context, Repetition repetition, LeakPolicy leakPolicy) {
    this.context = context;
    this.repetition = repetition;
    this.leakPolicy = leakPolicy;
    this.expected =
        AnnotationSupport.findAnnotation(context.getTestMethod(), ExpectHazard.class)
            .map(annotation -> List.of(annotation.value()))
            .orElse(List.of());
  }

  /** Whether the test failed by itself, or was aborted. */
  boolean hasTestFailed() {
    return context.getExecutionException().isPresent();
  }

  /** Tells that the plan refused the close of a stream, which no test can have to answer for. */
  void tellRefused(SimStream stream, GpuException refusal) {
    String name = stream.toString();
    Notices.tell(
        context, REFUSED_CLOSE, name, "the close of " + name + " was refused by plan: " + refusal);
  }

  /** What the test has to fail with; JUnit adds it to the test's own failure, if there is one. */
  @Nullable AssertionError of(SimBackend backend, @Nullable Throwable thrownByWork) {
    backend.getWarnings().stream()
        .filter(warning -> !expected.contains(warning.code()))
        .forEach(
            warning ->
                Notices.tell(context, WARNING, warning.code().name(), warning.toString().strip()));
    backend.getHolders().forEach(holder -> Notices.tell(context, UNFINISHED, holder, holder));
    backend.getFaults().getUnused().rules().stream()
        .map(FaultRule::toString)
        .forEach(rule -> Notices.tell(context, UNUSED_FAULT, rule, unused(rule, backend)));
    AssertionError error = hasTestFailed() ? ofFailed(backend) : ofPassed(backend);
    if (thrownByWork == null || isExpected(thrownByWork)) {
      return error;
    }
    WorkError work = findings(backend).ofWork(thrownByWork);
    if (error == null) {
      return work;
    }
    error.addSuppressed(work);
    return error;
  }

  private static String unused(String rule, SimBackend backend) {
    return "the fault plan's rule '"
        + rule
        + "' never did anything; calls that were made: "
        + backend.getDriverCalls().getCounts();
  }

  /** Whether work threw only what calls of the driver throw there, in a test about such calls. */
  private boolean isExpected(Throwable thrown) {
    return expected.contains(HazardCode.NOT_PERMITTED)
        && Stream.concat(Stream.of(thrown), Stream.of(thrown.getSuppressed()))
            .allMatch(
                each ->
                    each instanceof DriverException refused
                        && refused.getStatus().code() == Fault.NOT_PERMITTED.code());
  }

  /** A test that ended early: what it did not come to do is neither a hazard missing nor a leak. */
  private @Nullable AssertionError ofFailed(SimBackend backend) {
    List<HazardReport> unexpected =
        backend.getHazards().stream().filter(found -> !expected.contains(found.code())).toList();
    if (!unexpected.isEmpty()) {
      return findings(backend).of(unexpected);
    }
    context
        .getExecutionException()
        .filter(thrown -> !(thrown instanceof IncompleteExecutionException))
        .ifPresent(thrown -> thrown.addSuppressed(new RepetitionNote(repetition.store(backend))));
    return null;
  }

  private @Nullable AssertionError ofPassed(SimBackend backend) {
    List<HazardReport> hazards = backend.getHazards();
    List<HazardCode> found = found(backend);
    List<Leak> leaks = leakPolicy == LeakPolicy.FAIL ? backend.getLeaks() : List.of();
    if (found.equals(expected)) {
      return leaks.isEmpty()
          ? null
          : findings(backend, repetition.storeLeaking(backend)).ofLeaks(leaks);
    }
    Findings findings = findings(backend);
    AssertionError error =
        expected.isEmpty() ? findings.of(hazards) : findings.ofOthersThan(expected, found, hazards);
    if (!leaks.isEmpty()) {
      error.addSuppressed(findings.ofLeaks(leaks));
    }
    return error;
  }

  private Findings findings(SimBackend backend) {
    return findings(backend, repetition.store(backend));
  }

  private static Findings findings(SimBackend backend, String repetition) {
    return new Findings(backend.getHolders(), backend.getStacksLeftOut(), repetition);
  }

  /** The kinds of hazards, and of warnings that are expected, in the order of first findings. */
  private List<HazardCode> found(SimBackend backend) {
    return Stream.concat(
            backend.getHazards().stream(),
            backend.getWarnings().stream().filter(each -> expected.contains(each.code())))
        .sorted(Comparator.comparingLong(each -> each.later().index()))
        .map(HazardReport::code)
        .distinct()
        .toList();
  }
}
