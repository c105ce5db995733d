package org.vramkit.sim.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Function;
import org.vramkit.api.Experimental;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.Count;

/**
 * Explores all orders in which the work of a small program can run, depth first. After each run the
 * last choice with an untried possibility is changed, and later choices are dropped. The program
 * must be deterministic for given choices. Not thread-safe.
 *
 * <pre>{@code
 * ScheduleSearch search = new ScheduleSearch(10_000);
 * while (search.hasNext()) {
 *   search.run(schedule -> {
 *     SimBackend gpu = SimBackend.builder().schedule(schedule).build();
 *     program(gpu);
 *     return gpu.getChoices();
 *   });
 * }
 * }</pre>
 */
@Experimental
public final class ScheduleSearch {
  /**
   * A choice of a run: the number of the possibility taken, from 0, and the number of
   * possibilities, at least 2.
   */
  public record Choice(int taken, int possible) {
    /** Checks the range. */
    public Choice {
      if (possible < 2 || taken < 0 || taken >= possible) {
        throw new InvalidArgumentException(
            "a choice takes one of at least 2 possibilities, counted from 0; got %s of %s"
                .formatted(taken, possible));
      }
    }
  }

  private final long limit;
  private List<Integer> next = List.of();
  private long runs;
  private boolean complete;

  /** Creates a search of at most {@code limit} runs, which must be at least 1. */
  public ScheduleSearch(long limit) {
    if (limit < 1) {
      throw new InvalidArgumentException("a search needs at least one run; got " + limit);
    }
    this.limit = limit;
  }

  /** Returns whether an order is untried and the limit of runs is not reached. */
  public boolean hasNext() {
    return !complete && runs < limit;
  }

  /** Returns the number of runs. */
  public long getRuns() {
    return runs;
  }

  /** Returns whether all orders were tried. */
  public boolean isComplete() {
    return complete;
  }

  /**
   * Returns the schedule of the next run.
   *
   * @throws NoSuchElementException if {@link #hasNext} is false
   */
  public Schedule getNext() {
    requireNext();
    return Schedule.chosen(next);
  }

  /**
   * Runs the program once.
   *
   * @param program the program: takes the schedule for its backend, and returns the choices that
   *     the backend made
   * @throws NoSuchElementException if {@link #hasNext} is false
   * @throws ChoiceException if the choices differ from those of the schedule, because the program
   *     is not deterministic
   */
  public void run(Function<Schedule, List<Choice>> program) {
    Objects.requireNonNull(program, "program");
    proceed(program.apply(getNext()));
  }

  /**
   * Tells the search that the program has run with the schedule of {@link #getNext}, and which
   * choices it made. Only needed if {@link #run} is not used.
   *
   * @param made the choices of that run
   * @throws NoSuchElementException if {@link #hasNext} is false
   * @throws ChoiceException if the choices differ from those of the schedule, because the program
   *     is not deterministic
   */
  public void proceed(List<Choice> made) {
    requireNext();
    requireRepeated(Objects.requireNonNull(made, "made"));
    runs++;
    int last = made.size() - 1;
    while (last >= 0 && made.get(last).taken() + 1 >= made.get(last).possible()) {
      last--;
    }
    complete = last < 0;
    List<Integer> prefix = new ArrayList<>();
    for (int i = 0; i < last; i++) {
      prefix.add(made.get(i).taken());
    }
    if (!complete) {
      prefix.add(made.get(last).taken() + 1);
    }
    next = prefix;
  }

  private void requireNext() {
    if (!hasNext()) {
      throw new NoSuchElementException(
          complete
              ? "all orders were tried, in " + Count.of(runs, "run") + "; call hasNext() first"
              : "the search has made all of its %s; raise its limit, or call hasNext() first"
                  .formatted(Count.of(limit, "run")));
    }
  }

  private void requireRepeated(List<Choice> made) {
    for (int i = 0; i < next.size(); i++) {
      if (i >= made.size() || made.get(i).taken() != next.get(i)) {
        throw new ChoiceException(
            ("choice %s of the run should be possibility %s, but was %s; the program must do the"
                    + " same whenever it gets the same choices")
                .formatted(
                    i + 1, next.get(i), i < made.size() ? made.get(i).taken() : "never made"));
      }
    }
  }
}
