package org.vramkit.ptx;

import java.util.Objects;
import java.util.function.Consumer;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.run.Grid;

/** Describes a launch. Mutable, not thread-safe; reusable after the launch. */
public final class Launch {
  final String kernel;
  final Grid.Options options;

  private Launch(String kernel, Dim3 grid, Dim3 block) {
    this.kernel = Objects.requireNonNull(kernel, "kernel");
    this.options =
        new Grid.Options(
            Objects.requireNonNull(grid, "grid"), Objects.requireNonNull(block, "block"));
  }

  /** Describes a launch of a kernel without parameters and dynamic shared memory, checked. */
  public static Launch of(String kernel, Dim3 grid, Dim3 block) {
    return new Launch(kernel, grid, block);
  }

  /** Sets the dynamic shared memory of each block, in bytes; the default is 0. */
  public Launch sharedBytes(int bytes) {
    options.dynamicBytes = bytes;
    return this;
  }

  /** Sets the bytes of all parameters, each at its {@linkplain PtxParameter#offset offset}. */
  public Launch parameters(byte[] bytes) {
    options.parameters = bytes.clone();
    return this;
  }

  /**
   * Sets whether accesses are checked and the footprint is recorded; the default is true. Accesses
   * out of bounds, and those misaligned, are found in any case.
   */
  public Launch checked(boolean value) {
    options.checked = value;
    return this;
  }

  /** Sets the order of blocks and warps: 0, the default, is the natural one, others permute. */
  public Launch seed(long value) {
    options.seed = value;
    return this;
  }

  /** Sets the number of instructions of warps after which the launch counts as endless. */
  public Launch maxSteps(long steps) {
    options.maxSteps = steps;
    return this;
  }

  /** Sets the start of {@code %globaltimer}, in nanoseconds. */
  public Launch startNanos(long nanos) {
    options.startNanos = nanos;
    return this;
  }

  /** Sets the number of the launch, which {@code %gridid} shows. */
  public Launch number(long value) {
    options.number = value;
    return this;
  }

  /** Sets the target of {@code printf}, which gets the text of one call at a time. */
  public Launch output(Consumer<String> target) {
    options.output = Objects.requireNonNull(target, "target");
    return this;
  }
}
