package org.vramkit.sim.driver;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The faults of a run as one value. A plan is passed to the simulator's builder, or injected at run
 * time by {@link FaultInjector#inject}. If several rules match a call, the first decides.
 * Immutable.
 *
 * <pre>{@code
 * FaultPlan.NONE
 *     .fail(CallSelector.of("cuMemAlloc").withNth(3), Fault.OUT_OF_MEMORY)
 *     .slow(WorkSelector.any().withProbability(0.1), 20)
 *     .hang(WorkSelector.ofDevice(1).fromNth(100))
 *     .occupy(0, 2 * ByteSize.GIB, 1_000_000, 5_000_000);
 * }</pre>
 *
 * @param rules the faults, in order
 */
public record FaultPlan(List<FaultRule> rules) {
  /** A plan without faults. */
  public static final FaultPlan NONE = new FaultPlan(List.of());

  /** Copies the rules. */
  public FaultPlan {
    rules = List.copyOf(Objects.requireNonNull(rules, "rules"));
  }

  /** Returns a copy with one more rule. */
  public FaultPlan with(FaultRule rule) {
    Objects.requireNonNull(rule, "rule");
    return new FaultPlan(Stream.concat(rules.stream(), Stream.of(rule)).toList());
  }

  /** Returns a copy with the rules of another plan added. */
  public FaultPlan with(FaultPlan other) {
    Objects.requireNonNull(other, "other");
    return new FaultPlan(Stream.concat(rules.stream(), other.rules.stream()).toList());
  }

  /** Adds a rule that fails calls. */
  public FaultPlan fail(CallSelector calls, Fault fault) {
    return with(new FaultRule.Fail(calls, fault));
  }

  /** Adds a rule that multiplies the duration of work, by 1 or more. */
  public FaultPlan slow(WorkSelector work, double factor) {
    return with(new FaultRule.Slow(work, factor, 0));
  }

  /** Adds a rule that lengthens work by nanoseconds, not negative. */
  public FaultPlan delay(WorkSelector work, long extraNanos) {
    return with(new FaultRule.Slow(work, 1, extraNanos));
  }

  /** Adds a rule that never lets work end. */
  public FaultPlan hang(WorkSelector work) {
    return with(new FaultRule.Hang(work));
  }

  /**
   * Adds a rule by which another process holds memory for a time.
   *
   * @param device ordinal
   * @param bytes the size; all free memory if less is free
   * @param fromNanos virtual time at which the process allocates the memory
   * @param untilNanos virtual time at which the process frees the memory; {@code Long.MAX_VALUE}
   *     for never
   */
  public FaultPlan occupy(int device, long bytes, long fromNanos, long untilNanos) {
    return with(new FaultRule.Occupy(device, bytes, fromNanos, untilNanos));
  }

  /** Returns the rules, one on each line. */
  @Override
  public String toString() {
    return rules.isEmpty()
        ? "no faults"
        : rules.stream()
            .map(FaultRule::toString)
            .collect(Collectors.joining(System.lineSeparator()));
  }
}
