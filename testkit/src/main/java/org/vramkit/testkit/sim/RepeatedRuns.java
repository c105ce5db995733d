package org.vramkit.testkit.sim;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.JUnitException;
import org.junit.platform.commons.support.AnnotationSupport;
import org.vramkit.api.units.Count;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.schedule.Schedule;

/** Repeats a {@link SimulatedTest} over seeds and schedules, and an {@link EverySchedule}. */
final class RepeatedRuns implements TestTemplateInvocationContextProvider {

  private static Optional<SimulatedTest> simulated(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getTestMethod(), SimulatedTest.class);
  }

  private static Optional<EverySchedule> ordered(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getTestMethod(), EverySchedule.class);
  }

  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return simulated(context).isPresent() || ordered(context).isPresent();
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
      ExtensionContext context) {
    return Stream.concat(
        simulated(context).stream().flatMap(annotation -> seeds(context, annotation)),
        ordered(context).stream().flatMap(annotation -> orders(context, annotation)));
  }

  /** Returns the runs: all schedules with the first seed, then with the next, and so on. */
  private static Stream<Invocation> seeds(ExtensionContext context, SimulatedTest annotation) {
    if (annotation.seeds() < 1 || annotation.schedules().length == 0) {
      throw new JUnitException(
          "@SimulatedTest needs at least one seed and one schedule; got "
              + Count.of(annotation.seeds(), "seed")
              + " and "
              + Count.of(annotation.schedules().length, "schedule"));
    }
    List<Schedule> schedules =
        Run.pinnedSchedule(context)
            .map(List::of)
            .orElseGet(() -> Arrays.stream(annotation.schedules()).map(Schedule::of).toList());
    long first = GpuSettings.of(context).seed();
    return Run.pinnedSeed(context)
        .map(LongStream::of)
        .orElseGet(() -> LongStream.range(first, first + annotation.seeds()))
        .boxed()
        .flatMap(seed -> schedules.stream().map(schedule -> new Run(seed, schedule)))
        .map(Invocation::new);
  }

  private static Stream<Invocation> orders(ExtensionContext context, EverySchedule annotation) {
    long seed = Run.single(context).seed();
    return Run.pinnedSchedule(context)
        .map(pinned -> Stream.of(new Invocation(new Run(seed, pinned))))
        .orElseGet(() -> new OrderSearch(context, seed, annotation).stream());
  }

  /**
   * Invokes a repeated test for one run. Registered for this invocation only; stores the run before
   * the parameters of the constructor, of {@code @BeforeEach} methods and of the test are resolved.
   */
  static class Invocation
      implements TestTemplateInvocationContext,
          TestInstancePreConstructCallback,
          BeforeEachCallback {
    private final Run run;

    Invocation(Run run) {
      this.run = run;
    }

    /** Returns the invocation of a test; null if the test is not repeated. */
    static @Nullable Invocation of(Store store) {
      return store.get(Invocation.class, Invocation.class);
    }

    final Run getRun() {
      return run;
    }

    /**
     * Called at the end of the run, before its simulator is closed.
     *
     * @param failed whether the test failed, by itself or by its verdict
     */
    void ended(SimBackend backend, boolean failed) {}

    @Override
    public final String getDisplayName(int invocationIndex) {
      return run.toString();
    }

    @Override
    public final List<Extension> getAdditionalExtensions() {
      return List.of(this);
    }

    @Override
    public final ExtensionContextScope getTestInstantiationExtensionContextScope(
        ExtensionContext root) {
      return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public final void preConstructTestInstance(
        TestInstanceFactoryContext factory, ExtensionContext context) {
      // JUnit up to 5.11 uses the context of the class here, which all runs share.
      if (context.getTestMethod().isPresent()) {
        beforeEach(context);
      }
    }

    @Override
    public final void beforeEach(ExtensionContext context) {
      TestGpu.store(context).put(Invocation.class, this);
    }
  }
}
