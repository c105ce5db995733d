package org.vramkit.testkit.sim;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.IncompleteExecutionException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.units.Count;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultRule;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakReport;

/**
 * Decides whether an ended test fails, from the hazards, leaks and exceptions of its simulator, and
 * formats a message that fits on one screen, with the options that repeat the run.
 */
final class Verdict {
  /** The name of report entries for warnings. */
  static final String WARNING = "vramkit.warning";

  /** Name of the report entries that give the reason why queued work did not run. */
  static final String UNFINISHED = "vramkit.unfinished";

  /** Name of the report entries for fault rules that were never applied. */
  static final String UNUSED_FAULT = "vramkit.unused-fault";

  /** Name of the report entries for streams whose close a fault plan refused. */
  static final String REFUSED_CLOSE = "vramkit.refused-close";

  private final ExtensionContext context;
  private final Repetition repetition;
  private final LeakPolicy leakPolicy;
  private final List<HazardCode> expected;
  private final Optional<BudgetCheck> budget;

  Verdict(ExtensionContext context, Run run, SimulatedGpu settings) {
    this.context = context;
    this.repetition = new Repetition(context, run, settings.recording());
    this.leakPolicy = settings.leaks();
    this.budget = BudgetCheck.of(context);
    this.expected =
        AnnotationSupport.findAnnotation(context.getTestMethod(), ExpectHazard.class)
            .map(annotation -> List.of(annotation.value()))
            .orElse(List.of());
  }

  /** Returns whether the test failed by itself, or was aborted. */
  boolean hasTestFailed() {
    return context.getExecutionException().isPresent();
  }

  /** Reports that the fault plan refused the close of a stream, which does not fail the test. */
  void reportRefused(SimStream stream, GpuException refusal) {
    String name = stream.toString();
    Notices.report(
        context, REFUSED_CLOSE, name, "the close of " + name + " was refused by plan: " + refusal);
  }

  /**
   * Returns the error of the test, or null; JUnit adds it to the test's own failure, if there is
   * one.
   */
  @Nullable AssertionError of(SimBackend backend, @Nullable Throwable thrownByWork) {
    backend.getWarnings().stream()
        .filter(warning -> !expected.contains(warning.code()))
        .forEach(
            warning ->
                Notices.report(
                    context, WARNING, warning.code().name(), warning.toString().strip()));
    backend.getHolders().forEach(holder -> Notices.report(context, UNFINISHED, holder, holder));
    backend.getFaults().getUnused().rules().stream()
        .map(FaultRule::toString)
        .forEach(rule -> Notices.report(context, UNUSED_FAULT, rule, unused(rule, backend)));
    AssertionError error = hasTestFailed() ? ofFailed(backend) : ofPassed(backend);
    if (thrownByWork == null || isExpected(thrownByWork)) {
      return error;
    }
    WorkError work = ofWork(thrownByWork, appendix(backend, repetition.store(backend)));
    if (error == null) {
      return work;
    }
    error.addSuppressed(work);
    return error;
  }

  private static String unused(String rule, SimBackend backend) {
    return "the fault plan's rule '"
        + rule
        + "' was never applied; driver calls of the test: "
        + backend.getDriverCalls().getCounts();
  }

  /** Returns whether the test expects NOT_PERMITTED and work threw only that error. */
  private boolean isExpected(Throwable thrown) {
    return expected.contains(HazardCode.NOT_PERMITTED)
        && Stream.concat(Stream.of(thrown), Stream.of(thrown.getSuppressed()))
            .allMatch(
                each ->
                    each instanceof DriverException refused
                        && refused.getStatus().code() == Fault.NOT_PERMITTED.code());
  }

  /**
   * Returns the error of a test that failed itself: missing hazards and leaks do not count, because
   * the test ended early.
   */
  private @Nullable AssertionError ofFailed(SimBackend backend) {
    List<HazardReport> unexpected =
        backend.getHazards().stream().filter(found -> !expected.contains(found.code())).toList();
    if (!unexpected.isEmpty()) {
      return ofHazards(unexpected, appendix(backend, repetition.store(backend)));
    }
    context
        .getExecutionException()
        .filter(thrown -> !(thrown instanceof IncompleteExecutionException))
        .ifPresent(thrown -> thrown.addSuppressed(new RepetitionNote(repetition.store(backend))));
    return null;
  }

  private @Nullable AssertionError ofPassed(SimBackend backend) {
    AssertionError error = ofReports(backend);
    AssertionError exceeded =
        budget
            .map(each -> each.check(backend, () -> appendix(backend, repetition.store(backend))))
            .orElse(null);
    if (error == null || exceeded == null) {
      return error == null ? exceeded : error;
    }
    error.addSuppressed(exceeded);
    return error;
  }

  /** Returns the error of hazards and leaks; null if there are none. */
  private @Nullable AssertionError ofReports(SimBackend backend) {
    List<HazardReport> hazards = backend.getHazards();
    List<HazardCode> found = found(backend);
    List<Leak> leaks = leakPolicy == LeakPolicy.FAIL ? backend.getLeaks() : List.of();
    if (found.equals(expected)) {
      return leaks.isEmpty()
          ? null
          : ofLeaks(leaks, appendix(backend, repetition.storeLeaking(backend)));
    }
    String appendix = appendix(backend, repetition.store(backend));
    AssertionError error =
        expected.isEmpty()
            ? ofHazards(hazards, appendix)
            : ofOthersThanExpected(found, hazards, appendix);
    if (!leaks.isEmpty()) {
      error.addSuppressed(ofLeaks(leaks, appendix));
    }
    return error;
  }

  /** Returns the codes of hazards and of expected warnings, in the order of first findings. */
  private List<HazardCode> found(SimBackend backend) {
    return Stream.concat(
            backend.getHazards().stream(),
            backend.getWarnings().stream().filter(each -> expected.contains(each.code())))
        .sorted(Comparator.comparingLong(each -> each.later().index()))
        .map(HazardReport::code)
        .distinct()
        .toList();
  }

  /**
   * Returns the lines about work that did not run, stacks that are missing, and how to repeat the
   * run.
   */
  private static String appendix(SimBackend backend, String repetition) {
    StringBuilder lines = new StringBuilder();
    if (!backend.getHolders().isEmpty()) {
      lines.append(
          String.format("queued work did not run: %s%n", String.join("; ", backend.getHolders())));
    }
    if (backend.getStacksLeftOut() > 0) {
      lines.append(
          String.format(
              "the stacks of the last %s were not recorded: raise @SimulatedGpu(maxStacks) to see"
                  + " them%n",
              Count.of(backend.getStacksLeftOut(), "operation")));
    }
    return lines.append(repetition).toString();
  }

  /** Formats the first hazard in full, and the others as counts. */
  private static HazardError ofHazards(List<HazardReport> hazards, String appendix) {
    return new HazardError(hazards.get(0) + others(hazards) + appendix, hazards);
  }

  private HazardError ofOthersThanExpected(
      List<HazardCode> found, List<HazardReport> hazards, String appendix) {
    String firstUnexpected =
        hazards.stream()
            .filter(hazard -> !expected.contains(hazard.code()))
            .map(HazardReport::toString)
            .findFirst()
            .orElse("");
    return new HazardError(
        String.format(
            "expected hazards %s, found %s%n%s%s",
            expected, found.isEmpty() ? "none" : found, firstUnexpected, appendix),
        hazards);
  }

  private static WorkError ofWork(Throwable thrown, String appendix) {
    return new WorkError(
        String.format(
            "a kernel's body or a host function threw %s, and no wait rethrew it; wait for its"
                + " stream where the test can handle the exception%n%s",
            thrown, appendix),
        thrown);
  }

  private static LeakError ofLeaks(List<Leak> leaks, String appendix) {
    return new LeakError(new LeakReport(leaks) + appendix, leaks);
  }

  private static String others(List<HazardReport> hazards) {
    List<HazardReport> others = hazards.subList(1, hazards.size());
    return others.isEmpty()
        ? ""
        : String.format("and %d more: %s%n", others.size(), counts(others));
  }

  /** Formats counts, such as {@code 2 x RACE_RAW, 1 x DOUBLE_FREE}. */
  private static String counts(List<HazardReport> hazards) {
    Map<HazardCode, Long> counts =
        hazards.stream()
            .collect(
                Collectors.groupingBy(
                    HazardReport::code,
                    () -> new EnumMap<>(HazardCode.class),
                    Collectors.counting()));
    return counts.entrySet().stream()
        .map(entry -> entry.getValue() + " x " + entry.getKey())
        .collect(Collectors.joining(", "));
  }

  /**
   * Shows how to repeat the run of a test that failed itself, as a suppressed exception without a
   * stack, which every runner prints.
   */
  private static final class RepetitionNote extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RepetitionNote(String repetition) {
      super(repetition, null, false, false);
    }
  }
}
