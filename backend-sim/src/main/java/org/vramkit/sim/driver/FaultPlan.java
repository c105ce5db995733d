package org.vramkit.sim.driver;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All that goes wrong in a run, as one value: given to the simulator's builder, or injected at run
 * time by {@link FaultInjector#inject}. Of the rules that concern a call the first decides. Safe
 * for any thread.
 *
 * <pre>{@code
 * FaultPlan.NONE
 *     .fail(CallSelector.of("cuMemAlloc").withNth(3), Fault.OUT_OF_MEMORY)
 *     .slow(WorkSelector.any().withProbability(0.1), 20)
 *     .hang(WorkSelector.ofDevice(1).fromNth(100))
 *     .occupy(0, 2 * ByteSize.GIB, 1_000_000, 5_000_000);
 * }</pre>
 *
 * @param rules what goes wrong, in order
 */
public record FaultPlan(List<FaultRule> rules) {
  /** Nothing goes wrong. */
  public static final FaultPlan NONE = new FaultPlan(List.of());

  /** Copies the rules. */
  public FaultPlan {
    rules = List.copyOf(Objects.requireNonNull(rules, "rules"));
  }

  /** The same with one more rule. */
  public FaultPlan with(FaultRule rule) {
    Objects.requireNonNull(rule, "rule");
    return new FaultPlan(Stream.concat(rules.stream(), Stream.of(rule)).toList());
  }

  /** The same, and then what another plan says. */
  public FaultPlan with(FaultPlan other) {
    Objects.requireNonNull(other, "other");
    return new FaultPlan(Stream.concat(rules.stream(), other.rules.stream()).toList());
  }

  /** Calls fail. */
  public FaultPlan fail(CallSelector calls, Fault fault) {
    return with(new FaultRule.Fail(calls, fault));
  }

  /** Work takes several times as long; 1 or more. */
  public FaultPlan slow(WorkSelector work, double factor) {
    return with(new FaultRule.Slow(work, factor, 0));
  }

  /** Work takes so many nanoseconds longer, not negative. */
  public FaultPlan delay(WorkSelector work, long extraNanos) {
    return with(new FaultRule.Slow(work, 1, extraNanos));
  }

  /** Work never ends. */
  public FaultPlan hang(WorkSelector work) {
    return with(new FaultRule.Hang(work));
  }

  /**
   * Another process holds memory for a time.
   *
   * @param device ordinal
   * @param bytes how much; less if less is free
   * @param fromNanos virtual time at which it takes the memory
   * @param untilNanos virtual time at which it gives it back; {@code Long.MAX_VALUE} for never
   */
  public FaultPlan occupy(int device, long bytes, long fromNanos, long untilNanos) {
    return with(new FaultRule.Occupy(device, bytes, fromNanos, untilNanos));
  }

  /** One rule a line. */
  @Override
  public String toString() {
    return rules.isEmpty()
        ? "no faults"
        : rules.stream()
            .map(FaultRule::toString)
            .collect(Collectors.joining(System.lineSeparator()));
  }
}
