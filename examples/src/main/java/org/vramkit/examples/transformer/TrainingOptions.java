package org.vramkit.examples.transformer;

import java.util.Objects;

/**
 * The size of a training, and its memory.
 *
 * @param size the size of the model
 * @param sequences the sequences of a batch, which a scatter divides over the devices
 * @param memory the source of activations and temporaries
 * @param cublasLt whether cuBLASLt multiplies matrices, through JavaCPP, instead of a plain kernel
 */
public record TrainingOptions(
    ModelSize size, int sequences, MemorySystem memory, boolean cublasLt) {
  /** Checks the options. */
  public TrainingOptions {
    Objects.requireNonNull(size, "size");
    Objects.requireNonNull(memory, "memory");
    if (sequences < 1) {
      throw new IllegalArgumentException("a batch needs a sequence or more, not " + sequences);
    }
  }

  /** Returns options for Vramkit's memory and the plain kernel. */
  public static TrainingOptions of(ModelSize size, int sequences) {
    return new TrainingOptions(size, sequences, MemorySystem.VRAMKIT, false);
  }

  /** Returns options with another source of memory. */
  public TrainingOptions withMemory(MemorySystem system) {
    return new TrainingOptions(size, sequences, system, cublasLt);
  }

  /** Returns options with cuBLASLt, or with the plain kernel. */
  public TrainingOptions withCublasLt(boolean enabled) {
    return new TrainingOptions(size, sequences, memory, enabled);
  }
}
