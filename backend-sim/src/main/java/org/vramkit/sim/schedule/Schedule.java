package org.vramkit.sim.schedule;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * The order in which queued work runs. A schedule may choose any order that CUDA allows: work of
 * one stream runs in order and after the work for which it waits, and all other order is free. All
 * random choices come from the backend's seed, so a schedule and a seed reproduce a run exactly.
 *
 * <p>{@link #timed} models a device with costs in virtual time. All other schedules proceed in
 * steps. Between the host's calls they run none, some or all of the queued work, and a wait runs at
 * least the work for which it waits. A query of unfinished work that the program has not waited for
 * returns false on every schedule. After {@value #QUESTIONS} queries of the same work in a row the
 * work is finished, so that programs that poll come to an end.
 *
 * @param policy chooses the work that runs next
 * @param depth maximum number of orderings that a bug needs, from 1 to {@value #MAXIMUM_DEPTH}, for
 *     {@link Policy#PRIORITIES}; 0 for other policies
 * @param choices the possibilities taken at each choice, from 0, for {@link Policy#CHOSEN}; later
 *     choices take the first possibility. A possibility that the program does not offer ends the
 *     run with a {@link ChoiceException}.
 */
public record Schedule(Policy policy, int depth, List<Integer> choices) {
  /** The number of queries in a row after which work is finished. */
  public static final int QUESTIONS = 16;

  /**
   * The largest depth of {@link #priorities}. Priorities change only within this number of first
   * steps, so a greater depth finds no more bugs.
   */
  public static final int MAXIMUM_DEPTH = 256;

  /** The system property with the schedule of backends that are built without a schedule. */
  public static final String PROPERTY = "vramkit.schedule";

  private static final int DEFAULT_DEPTH = 3;

  /** The policies that choose the next work. */
  public enum Policy {
    /**
     * Runs work in virtual time. Work takes as long as on a device, and streams run concurrently.
     */
    TIMED,
    /** Runs all work at once when it is submitted, as if every call waited. */
    EAGER,
    /** Runs nothing until a wait, and then only the work that the wait needs. */
    LAZY,
    /**
     * Runs nothing until a wait. Then the work submitted last runs first, as far as the required
     * order allows.
     */
    REVERSE,
    /** Runs a random number of steps of random streams after each call. */
    RANDOM,
    /**
     * Gives streams and host random priorities and lowers them at a few random points, which finds
     * each bug of a given depth with a known probability (Burckhardt, Kothari, Musuvathi,
     * Nagarakatte: A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs, 2010).
     */
    PRIORITIES,
    /**
     * Runs one stream, chosen by the seed, only when a wait needs it. The other streams run at
     * once.
     */
    STARVING,
    /** Follows given choices; {@link ScheduleSearch} tries all of them. */
    CHOSEN
  }

  /** Checks the parts against each other. */
  public Schedule {
    Objects.requireNonNull(policy, "policy");
    choices = List.copyOf(Objects.requireNonNull(choices, "choices"));
    if (policy == Policy.PRIORITIES ? depth < 1 || depth > MAXIMUM_DEPTH : depth != 0) {
      throw new InvalidArgumentException(
          "the depth must be from 1 to %s for priorities and 0 for other schedules, not %s for %s"
              .formatted(MAXIMUM_DEPTH, depth, policy));
    }
    if (policy != Policy.CHOSEN && !choices.isEmpty()) {
      throw new InvalidArgumentException(
          "only Schedule.chosen(...) takes choices, but the policy is "
              + policy
              + "; pass an empty list");
    }
    for (int choice : choices) {
      if (choice < 0) {
        throw new InvalidArgumentException("choices count from 0; got " + choice);
      }
    }
  }

  private Schedule(Policy policy) {
    this(policy, 0, List.of());
  }

  /** Returns the schedule that runs work in virtual time, as on a device. */
  public static Schedule timed() {
    return new Schedule(Policy.TIMED);
  }

  /** Returns the schedule that runs everything at once. */
  public static Schedule eager() {
    return new Schedule(Policy.EAGER);
  }

  /** Returns the schedule that runs nothing before a wait needs it. */
  public static Schedule lazy() {
    return new Schedule(Policy.LAZY);
  }

  /** Returns the schedule that runs the last work first. */
  public static Schedule reverse() {
    return new Schedule(Policy.REVERSE);
  }

  /** Returns the schedule that runs work in random order. */
  public static Schedule random() {
    return new Schedule(Policy.RANDOM);
  }

  /**
   * Returns the schedule of random priorities with a few changes. Most bugs need a depth of 1 to 3.
   */
  public static Schedule priorities(int depth) {
    return new Schedule(Policy.PRIORITIES, depth, List.of());
  }

  /** Returns the schedule that holds one stream back. */
  public static Schedule starving() {
    return new Schedule(Policy.STARVING);
  }

  /**
   * Returns the schedule that takes given choices, and then the first possibility of each choice.
   * {@link ScheduleSearch} makes such schedules.
   */
  public static Schedule chosen(List<Integer> choices) {
    return new Schedule(Policy.CHOSEN, 0, choices);
  }

  /** Returns one schedule of every policy except {@link Policy#CHOSEN}. */
  public static List<Schedule> all() {
    return List.of(
        timed(), eager(), lazy(), reverse(), random(), priorities(DEFAULT_DEPTH), starving());
  }

  /**
   * Returns the name that {@link #of} reads, such as {@code random}, {@code priorities:3}, {@code
   * chosen:0.2}.
   */
  public String getName() {
    String name = policy.name().toLowerCase(Locale.ROOT);
    return switch (policy) {
      case PRIORITIES -> name + ":" + depth;
      case CHOSEN ->
          name + ":" + choices.stream().map(String::valueOf).collect(Collectors.joining("."));
      default -> name;
    };
  }

  /**
   * Returns the schedule of a name.
   *
   * @param name a policy in lower case; {@code priorities} may carry {@code :depth} (default 3),
   *     {@code chosen} carries its choices, such as {@code chosen:0.2.1}
   * @throws InvalidArgumentException for any other name; the message lists the names
   */
  public static Schedule of(String name) {
    String[] parts = Objects.requireNonNull(name, "name").strip().split(":", 2);
    for (Policy policy : Policy.values()) {
      if (policy.name().equalsIgnoreCase(parts[0])) {
        return parts.length == 1 ? of(policy) : of(policy, parts[1], name);
      }
    }
    throw unknown(name);
  }

  private static Schedule of(Policy policy) {
    return policy == Policy.PRIORITIES ? priorities(DEFAULT_DEPTH) : new Schedule(policy);
  }

  private static Schedule of(Policy policy, String argument, String name) {
    try {
      return switch (policy) {
        case PRIORITIES -> priorities(Integer.parseInt(argument));
        case CHOSEN ->
            chosen(
                argument.isEmpty()
                    ? List.of()
                    : Arrays.stream(argument.split("\\.", -1)).map(Integer::valueOf).toList());
        default -> throw unknown(name);
      };
    } catch (NumberFormatException e) {
      throw unknown(name);
    }
  }

  private static InvalidArgumentException unknown(String name) {
    return new InvalidArgumentException(
        "no schedule '%s'; there are %s, priorities:DEPTH and chosen:N.N.N"
            .formatted(
                name,
                Arrays.stream(Policy.values())
                    .map(policy -> policy.name().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", "))));
  }

  /**
   * Returns the schedule that the system property {@value #PROPERTY} names; {@link #timed} if it is
   * not set.
   *
   * @throws InvalidArgumentException if the property names no schedule
   */
  public static Schedule fromProperties() {
    String name = System.getProperty(PROPERTY);
    try {
      return name == null ? timed() : of(name);
    } catch (InvalidArgumentException e) {
      throw new InvalidArgumentException(
          "the system property " + PROPERTY + ": " + e.getMessage() + "; or leave it out");
    }
  }

  @Override
  public String toString() {
    return getName();
  }
}
