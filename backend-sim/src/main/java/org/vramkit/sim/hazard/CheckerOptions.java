package org.vramkit.sim.hazard;

import java.util.Objects;
import java.util.function.Consumer;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Options of the checker.
 *
 * @param enabled whether the checker is on; default true
 * @param stacks whether accesses and leaks carry their Java stacks, which costs about 1 us per
 *     operation called 20 methods deep, and 5 us at 100; default false
 * @param maxStacks maximum number of operations with stacks, counted from the start of a run;
 *     default 100,000, at least 0
 * @param fatalIllegalAccess whether an access to an illegal or unmapped address also makes the
 *     process lose its devices, as on a real GPU; default false, so that one report does not hide
 *     the next
 * @param requireContext whether a kernel must be launched on a thread on which its device is
 *     current, as {@code cuLaunchKernel} demands; default false
 * @param maxReports maximum number of reports kept, although all hazards are counted; default 1000
 * @param unwrittenReads how to treat reads of bytes that were never written; default {@link
 *     UnwrittenReadPolicy#REPORT_AT_USE}
 * @param strictness which unspecified behaviour of the driver the program may rely on; default
 *     {@link Strictness#STRICT}
 */
public record CheckerOptions(
    boolean enabled,
    boolean stacks,
    int maxStacks,
    boolean fatalIllegalAccess,
    boolean requireContext,
    int maxReports,
    UnwrittenReadPolicy unwrittenReads,
    Strictness strictness) {
  /** The default options. */
  public static final CheckerOptions DEFAULT = new Draft(true).options();

  /** Options without any checks. */
  public static final CheckerOptions OFF = new Draft(false).options();

  /** Checks the bounds. */
  public CheckerOptions {
    Objects.requireNonNull(unwrittenReads, "unwrittenReads");
    Objects.requireNonNull(strictness, "strictness");
    if (maxStacks < 0) {
      throw new InvalidArgumentException("maxStacks must be 0 or more, not " + maxStacks);
    }
    if (maxReports < 1) {
      throw new InvalidArgumentException("maxReports must be at least 1, not " + maxReports);
    }
  }

  private CheckerOptions with(Consumer<Draft> change) {
    Draft copy = new Draft(enabled);
    copy.takeFrom(this);
    change.accept(copy);
    return copy.options();
  }

  /** Returns a copy with checks on or off. */
  public CheckerOptions withEnabled(boolean value) {
    return with(copy -> copy.enabled = value);
  }

  /** Returns a copy with or without stacks. */
  public CheckerOptions withStacks(boolean value) {
    return with(copy -> copy.stacks = value);
  }

  /** Returns a copy with another maximum number of stacks. */
  public CheckerOptions withMaxStacks(int value) {
    return with(copy -> copy.maxStacks = value);
  }

  /** Returns a copy in which illegal accesses are fatal or not. */
  public CheckerOptions withFatalIllegalAccess(boolean value) {
    return with(copy -> copy.fatalIllegalAccess = value);
  }

  /** Returns a copy that checks, or does not check, the current device of launches. */
  public CheckerOptions withRequireContext(boolean value) {
    return with(copy -> copy.requireContext = value);
  }

  /** Returns a copy with another maximum number of reports. */
  public CheckerOptions withMaxReports(int value) {
    return with(copy -> copy.maxReports = value);
  }

  /** Returns a copy with another policy for reads of unwritten bytes. */
  public CheckerOptions withUnwrittenReads(UnwrittenReadPolicy value) {
    Objects.requireNonNull(value, "value");
    return with(copy -> copy.unwrittenReads = value);
  }

  /** Returns a copy with another strictness. */
  public CheckerOptions withStrictness(Strictness value) {
    Objects.requireNonNull(value, "value");
    return with(copy -> copy.strictness = value);
  }

  private static final class Draft {
    private boolean enabled;
    private boolean stacks;
    private int maxStacks = 100_000;
    private boolean fatalIllegalAccess;
    private boolean requireContext;
    private int maxReports = 1000;
    private UnwrittenReadPolicy unwrittenReads = UnwrittenReadPolicy.REPORT_AT_USE;
    private Strictness strictness = Strictness.STRICT;

    Draft(boolean enabled) {
      this.enabled = enabled;
    }

    void takeFrom(CheckerOptions options) {
      stacks = options.stacks;
      maxStacks = options.maxStacks;
      fatalIllegalAccess = options.fatalIllegalAccess;
      requireContext = options.requireContext;
      maxReports = options.maxReports;
      unwrittenReads = options.unwrittenReads;
      strictness = options.strictness;
    }

    CheckerOptions options() {
      return new CheckerOptions(
          enabled,
          stacks,
          maxStacks,
          fatalIllegalAccess,
          requireContext,
          maxReports,
          unwrittenReads,
          strictness);
    }
  }
}
