package org.vramkit.testkit.sim;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;
import org.vramkit.api.units.Count;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.schedule.ChoiceException;
import org.vramkit.sim.schedule.Schedule;
import org.vramkit.sim.schedule.ScheduleSearch;

/** Repeats a test for {@link EverySchedule}: which run is next follows from the one before. */
final class OrderedRuns implements TestTemplateInvocationContextProvider {
  /** Name of the report entry of a search that was ended by its limit. */
  static final String INCOMPLETE = "vramkit.schedules.incomplete";

  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return AnnotationSupport.isAnnotated(context.getTestMethod(), EverySchedule.class);
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
      ExtensionContext context) {
    EverySchedule annotation =
        AnnotationSupport.findAnnotation(context.getTestMethod(), EverySchedule.class)
            .orElseThrow();
    long seed = Runs.single(context).seed();
    return Runs.pinnedSchedule(context)
        .map(pinned -> Stream.of(invocation(seed, pinned, RunListener.NONE)))
        .orElseGet(() -> search(context, seed, annotation));
  }

  private static TestTemplateInvocationContext invocation(
      long seed, Schedule schedule, RunListener listener) {
    return new RunInvocation(new Run(seed, schedule), listener);
  }

  private static Stream<TestTemplateInvocationContext> search(
      ExtensionContext context, long seed, EverySchedule annotation) {
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(
            new Search(context, seed, annotation), Spliterator.ORDERED | Spliterator.NONNULL),
        false);
  }

  /** Asked for a run when the one before has ended. */
  private static final class Search
      implements Iterator<TestTemplateInvocationContext>, RunListener {
    private final ExtensionContext context;
    private final long seed;
    private final boolean complete;
    private final ScheduleSearch search;
    private boolean running;
    private boolean failed;
    // Stays empty in a run that needs no simulator, which then has one order.
    private List<ScheduleSearch.Choice> made = List.of();

    Search(ExtensionContext context, long seed, EverySchedule annotation) {
      this.context = context;
      this.seed = seed;
      this.complete = annotation.complete();
      this.search = new ScheduleSearch(annotation.limit());
    }

    @Override
    public void ended(SimBackend backend, boolean hasFailed) {
      made = backend.getChoices();
      failed = hasFailed;
    }

    @Override
    public boolean hasNext() {
      if (running) {
        running = false;
        if (failed) {
          // It may have ended before it made its choices.
          return false;
        }
        proceed();
        if (!search.hasNext() && !search.isComplete()) {
          stopEarly();
        }
      }
      return !failed && search.hasNext();
    }

    private void proceed() {
      try {
        search.proceed(made);
      } catch (ChoiceException e) {
        throw new AssertionError(
            "@EverySchedule needs a test that does the same whenever work runs in the same order,"
                + " and this one did not: let its threads take turns, or draw orders with"
                + " @SimulatedTest(schedules = \"random\"). "
                + e.getMessage(),
            e);
      }
    }

    private void stopEarly() {
      String tried =
          "tried "
              + Count.of(search.getRuns(), "order")
              + ", and there are more: raise the limit of @EverySchedule, let the"
              + " test do less, or draw some of them with @SimulatedTest(schedules = \"random\")";
      if (complete) {
        throw new AssertionError(tried);
      }
      Notices.tell(context, INCOMPLETE, "", tried);
    }

    @Override
    public TestTemplateInvocationContext next() {
      if (!hasNext()) {
        throw new NoSuchElementException("no order is left");
      }
      running = true;
      made = List.of();
      return invocation(seed, search.getNext(), this);
    }
  }
}
