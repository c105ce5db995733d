package org.vramkit.sim.driver;

import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/** A rule of a fault plan. */
public sealed interface FaultRule {
  /** Fails calls. A fatal fault also makes the process lose its devices. */
  record Fail(CallSelector calls, Fault fault) implements FaultRule {
    /** Checks that no argument is null. */
    public Fail {
      Objects.requireNonNull(calls, "calls");
      Objects.requireNonNull(fault, "fault");
    }

    @Override
    public String toString() {
      return calls + ": " + fault.name() + (fault.isFatal() ? ", which is fatal" : "");
    }
  }

  /**
   * Makes work last longer, by a factor of 1 or more and then by nanoseconds. If several such rules
   * apply, all factors are multiplied first, then all delays are added.
   */
  record Slow(WorkSelector work, double factor, long extraNanos) implements FaultRule {
    /** Checks the ranges. */
    public Slow {
      Objects.requireNonNull(work, "work");
      if (!(factor >= 1 && factor < Double.POSITIVE_INFINITY) || extraNanos < 0) {
        throw new InvalidArgumentException(
            "the factor of slow work must be 1 or more and its delay 0 ns or more, not %s and %s"
                .formatted(factor, extraNanos));
      }
    }

    @Override
    public String toString() {
      return work
          + ": takes "
          + (factor > 1 ? factor + " times as long" : "")
          + (factor > 1 && extraNanos > 0 ? " and " : "")
          + (extraNanos > 0 ? extraNanos + " ns more" : factor > 1 ? "" : "its time");
    }
  }

  /**
   * Keeps work from ending, and everything that waits for it, until {@link FaultInjector#endHangs}.
   */
  record Hang(WorkSelector work) implements FaultRule {
    /** Checks that no argument is null. */
    public Hang {
      Objects.requireNonNull(work, "work");
    }

    @Override
    public String toString() {
      return work + ": never ends";
    }
  }

  /**
   * Lets another process hold memory for a time: {@code bytes}, or all free memory if that is less.
   *
   * @param device ordinal
   * @param bytes the size
   * @param fromNanos virtual time at which the process allocates the memory
   * @param untilNanos virtual time at which the process frees the memory
   */
  record Occupy(int device, long bytes, long fromNanos, long untilNanos) implements FaultRule {
    /** Checks the ranges. */
    public Occupy {
      if (device < 0 || bytes < 1) {
        throw new InvalidArgumentException(
            ("another process must take at least 1 byte of a device numbered from 0, not %s bytes"
                    + " of device %s")
                .formatted(bytes, device));
      }
      Selection.requireTimes(fromNanos, untilNanos);
    }

    @Override
    public String toString() {
      return "another process: holds %s of device %s%s"
          .formatted(ByteSize.format(bytes), device, Selection.timeWords(fromNanos, untilNanos));
    }
  }
}
