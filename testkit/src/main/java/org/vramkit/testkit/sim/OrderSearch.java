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

/** Iterates over the orders of an {@link EverySchedule}; each is derived from the previous run. */
final class OrderSearch implements Iterator<RepeatedRuns.Invocation> {
  /**
   * The name of the report entry that says that the limit ended the search before all orders were
   * tried.
   */
  static final String INCOMPLETE = "vramkit.schedules.incomplete";

  private final ExtensionContext context;
  private final long seed;
  private final boolean complete;
  private final ScheduleSearch search;
  private boolean running;
  private boolean failed;
  // Empty for a run that never opened the simulator, which has one order.
  private List<ScheduleSearch.Choice> made = List.of();

  OrderSearch(ExtensionContext context, long seed, EverySchedule annotation) {
    this.context = context;
    this.seed = seed;
    this.complete = annotation.complete();
    this.search = new ScheduleSearch(annotation.limit());
  }

  /** Returns the runs as a lazy stream: each is computed after the previous one has ended. */
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
        // The failed run may have ended before it made all of its choices.
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
          "@EverySchedule needs a test that behaves the same whenever its work runs in the same"
              + " order, but a repeated run of this test behaved differently: make its threads take"
              + " turns in a fixed order, or try random schedules with"
              + " @SimulatedTest(schedules = \"random\"). "
              + e.getMessage(),
          e);
    }
  }

  private void stopEarly() {
    String tried =
        "tried "
            + Count.of(search.getRuns(), "order")
            + ", but the test has more orders; raise the limit of @EverySchedule, reduce the"
            + " work of the test, or sample orders with @SimulatedTest(schedules = \"random\")";
    if (complete) {
      throw new AssertionError(tried);
    }
    Notices.report(context, INCOMPLETE, "", tried);
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
