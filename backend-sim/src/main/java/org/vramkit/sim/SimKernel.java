package org.vramkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.WorkAccesses.Range;
import org.vramkit.sim.recording.CallNote;

/**
 * A kernel: its name, the bytes that it reads and writes, its duration and its effect. The checker
 * uses the declared ranges. The body, if any, runs when the stream reaches the kernel in virtual
 * time. Immutable, and reusable.
 */
public final class SimKernel {
  final String name;
  final List<Range> reads;
  final List<Range> writes;

  /** The ranges accessed by atomic operations alone. */
  final List<Range> atomics;

  /** The name of a launch in recorded programs. */
  final String call;

  /** The duration in nanoseconds; -1 if the bytes determine it. */
  final long nanos;

  final @Nullable Consumer<DeviceBytes> body;

  private SimKernel(Builder builder) {
    this.name = builder.name;
    this.reads = List.copyOf(builder.reads);
    this.writes = List.copyOf(builder.writes);
    this.atomics = List.copyOf(builder.atomics);
    this.call = atomics.isEmpty() ? "launch" : "launch-atomic";
    this.nanos = builder.nanos;
    this.body = builder.body;
  }

  /** Returns a builder for a kernel with a name for reports. */
  public static Builder named(String name) {
    return new Builder(Objects.requireNonNull(name, "name"));
  }

  /**
   * Notes the operands of a launch; ranges of atomic operations are read and written. Beside them,
   * a range that is read and written otherwise is noted as read twice, to tell them apart.
   */
  CallNote note(CallNote step) {
    Set<Range> twice = atomics.isEmpty() ? Set.of() : Set.copyOf(writes);
    for (Range range : reads) {
      step.reads(range.address(), range.bytes());
      if (twice.contains(range)) {
        step.reads(range.address(), range.bytes());
      }
    }
    writes.forEach(range -> step.writes(range.address(), range.bytes()));
    for (Range range : atomics) {
      step.reads(range.address(), range.bytes()).writes(range.address(), range.bytes());
    }
    return step.text(name).value(nanos);
  }

  /** Describes a kernel. Not thread-safe. */
  public static final class Builder {
    private final String name;
    private final List<Range> reads = new ArrayList<>(2);
    private final List<Range> writes = new ArrayList<>(2);
    private final List<Range> atomics = new ArrayList<>(0);
    private long nanos = -1;
    private @Nullable Consumer<DeviceBytes> body;

    private Builder(String name) {
      this.name = name;
    }

    /** Declares bytes that the kernel reads. */
    public Builder reads(long address, long bytes) {
      reads.add(Range.of(by(), address, bytes));
      return this;
    }

    /** Declares bytes that the kernel writes. */
    public Builder writes(long address, long bytes) {
      writes.add(Range.of(by(), address, bytes));
      return this;
    }

    /**
     * Declares bytes that the kernel accesses only by atomic operations, like {@code atomicAdd}.
     * Atomic accesses need no order among themselves, but must be ordered with reads and writes.
     */
    public Builder atomics(long address, long bytes) {
      atomics.add(Range.of(by(), address, bytes));
      return this;
    }

    /**
     * Sets the duration; by default it follows from the bytes and the device's memory bandwidth.
     *
     * @param duration nanoseconds, not negative; work that would end after the {@linkplain
     *     SimBackend#advanceTo end} of virtual time ends then
     */
    public Builder taking(long duration) {
      if (duration < 0) {
        throw new InvalidArgumentException("a kernel cannot take " + duration + " ns");
      }
      nanos = duration;
      return this;
    }

    /**
     * Sets the effect of the kernel on the device's bytes. Ignored if the simulator has no bytes.
     */
    public Builder body(Consumer<DeviceBytes> work) {
      body = Objects.requireNonNull(work, "work");
      return this;
    }

    private String by() {
      return "kernel " + name;
    }

    /** Builds the kernel. */
    public SimKernel build() {
      return new SimKernel(this);
    }
  }
}
