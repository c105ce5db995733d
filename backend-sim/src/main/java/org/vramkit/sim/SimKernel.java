package org.vramkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.WorkAccesses.Range;
import org.vramkit.sim.recording.CallNote;

/**
 * A kernel: what it is called, which bytes it reads and writes, how long it takes, what it does.
 * The checker judges the declared ranges; the body, if any, runs when the stream comes to it in
 * virtual time. Immutable; launch it as often as you like.
 */
public final class SimKernel {
  final String name;
  final List<Range> reads;
  final List<Range> writes;

  /** What it touches by atomic operations alone. */
  final List<Range> atomics;

  /** Its duration in nanoseconds; -1 if it follows from the bytes. */
  final long nanos;

  final @Nullable Consumer<DeviceBytes> body;

  private SimKernel(Builder builder) {
    this.name = builder.name;
    this.reads = List.copyOf(builder.reads);
    this.writes = List.copyOf(builder.writes);
    this.atomics = List.copyOf(builder.atomics);
    this.nanos = builder.nanos;
    this.body = builder.body;
  }

  /** A kernel to describe, by a name for reports. */
  public static Builder named(String name) {
    return new Builder(Objects.requireNonNull(name, "name"));
  }

  /** What a step that launches it tells: what atomic operations touch is read and written. */
  CallNote note(CallNote step) {
    reads.forEach(range -> step.reads(range.address(), range.bytes()));
    writes.forEach(range -> step.writes(range.address(), range.bytes()));
    for (Range range : atomics) {
      step.reads(range.address(), range.bytes()).writes(range.address(), range.bytes());
    }
    return step.text(name).value(nanos);
  }

  /** Describes a kernel. Not safe for threads. */
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

    /** It reads these bytes. */
    public Builder reads(long address, long bytes) {
      reads.add(Range.of(by(), address, bytes));
      return this;
    }

    /** It writes these bytes. */
    public Builder writes(long address, long bytes) {
      writes.add(Range.of(by(), address, bytes));
      return this;
    }

    /**
     * It reads and writes these bytes by atomic operations alone, as {@code atomicAdd} does: others
     * that do the same need no order, while whatever reads or writes them otherwise does.
     */
    public Builder atomics(long address, long bytes) {
      atomics.add(Range.of(by(), address, bytes));
      return this;
    }

    /**
     * It takes so long; otherwise its bytes decide, at the device's memory bandwidth.
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

    /** It does this to the device's bytes; nothing in the mode without bytes. */
    public Builder body(Consumer<DeviceBytes> work) {
      body = Objects.requireNonNull(work, "work");
      return this;
    }

    private String by() {
      return "kernel " + name;
    }

    /** The kernel. */
    public SimKernel build() {
      return new SimKernel(this);
    }
  }
}
