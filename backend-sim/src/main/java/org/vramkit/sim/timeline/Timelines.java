package org.vramkit.sim.timeline;

import org.vramkit.sim.schedule.Schedule;

/** Makes the timeline of a schedule. */
public final class Timelines {
  private Timelines() {}

  /** A timeline at its start. */
  public static Timeline create(Schedule schedule, long seed) {
    return switch (schedule.policy()) {
      case TIMED -> new TimedTimeline();
      case EAGER -> new SteppedTimeline(new Policies.Eager());
      case LAZY -> new SteppedTimeline(new Policies.Lazy());
      case REVERSE -> new SteppedTimeline(new Policies.Reverse());
      case RANDOM -> new SteppedTimeline(new Policies.Random(seed));
      case PRIORITIES -> new SteppedTimeline(new Policies.Priorities(seed, schedule.depth()));
      case STARVING -> new SteppedTimeline(new Policies.Starving(seed));
      case CHOSEN -> new SteppedTimeline(new Policies.Chosen(schedule.choices()));
    };
  }
}
