package org.vramkit.testkit.sim;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.vramkit.api.units.Count;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.schedule.ChoiceException;
import org.vramkit.sim.schedule.ScheduleSearch;

/** Iterates over the orders of an {@link EverySchedule}: each depends on the run before it. */
final class OrderSearch implements Iterator<RepeatedRuns.Invocation> {
  /** The name of the report entry of a search that its limit ended. */
  static final String INCOMPLETE = "vramkit.schedules.incomplete";

  private final ExtensionContext context;
  private final long seed;
  private final boolean complete;
  private final ScheduleSearch search;
  private boolean running;
  private boolean failed;
  // Empty after a run without a simulator, which has one order.
  private List<ScheduleSearch.Choice> made = List.of();

  OrderSearch(ExtensionContext context, long seed, EverySchedule annotation) {
    this.context = context;
    this.seed = seed;
    this.complete = annotation.complete();
    this.search = new ScheduleSearch(annotation.limit());
  }

  /** Returns the runs, each requested when the one before has ended. */
  Stream<RepeatedRuns.Invocation> stream() {
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED | Spliterator.NONNULL),
        false);
  }

  @Override
  public boolean hasNext() {
    if (running) {
      running = false;
      if (failed) {
        // The run may have ended before it made its choices.
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
  public RepeatedRuns.Invocation next() {
    if (!hasNext()) {
      throw new NoSuchElementException("no order is left");
    }
    running = true;
    made = List.of();
    return new RepeatedRuns.Invocation(new Run(seed, search.getNext())) {
      @Override
      void ended(SimBackend backend, boolean hasFailed) {
        made = backend.getChoices();
        failed = hasFailed;
      }
    };
  }
}
