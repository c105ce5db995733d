package org.vramkit.api.device;

import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * The configuration of a launch. Immutable, so a program can reuse one for many launches.
 *
 * @param grid the blocks of the grid
 * @param block the threads of each block
 * @param dynamicSharedBytes the dynamic shared memory of each block in bytes, 0 or more
 */
public record LaunchConfig(Dim3 grid, Dim3 block, int dynamicSharedBytes) {

  /** Checks the arguments. */
  public LaunchConfig {
    Objects.requireNonNull(grid, "grid");
    Objects.requireNonNull(block, "block");
    if (dynamicSharedBytes < 0) {
      throw new InvalidArgumentException(
          "dynamic shared memory must have 0 or more bytes, not " + dynamicSharedBytes);
    }
  }

  /** Returns a configuration of one dimension, without dynamic shared memory. */
  public static LaunchConfig of(int blocks, int threadsPerBlock) {
    return of(Dim3.of(blocks), Dim3.of(threadsPerBlock));
  }

  /** Returns a configuration without dynamic shared memory. */
  public static LaunchConfig of(Dim3 grid, Dim3 block) {
    return new LaunchConfig(grid, block, 0);
  }

  /**
   * Returns a configuration of one dimension with at least one thread for each element, and fewer
   * than {@code threadsPerBlock} more.
   *
   * @param elements the number of elements, at least 1
   * @param threadsPerBlock the threads of each block, at least 1
   * @throws InvalidArgumentException if an argument is less than 1, or the grid would have more
   *     than 2^31 - 1 blocks
   */
  public static LaunchConfig covering(long elements, int threadsPerBlock) {
    if (elements < 1 || threadsPerBlock < 1) {
      throw new InvalidArgumentException(
          "a launch must cover 1 or more elements with 1 or more threads per block, not "
              + elements
              + " with "
              + threadsPerBlock
              + "; do not launch a kernel that has nothing to do");
    }
    long blocks = (elements - 1) / threadsPerBlock + 1;
    if (blocks > Integer.MAX_VALUE) {
      throw new InvalidArgumentException(
          elements
              + " elements need "
              + blocks
              + " blocks of "
              + threadsPerBlock
              + " threads, more than 2^31 - 1; let each thread process several elements");
    }
    return of((int) blocks, threadsPerBlock);
  }

  /** Returns a copy with dynamic shared memory. */
  public LaunchConfig withDynamicSharedBytes(int bytes) {
    return new LaunchConfig(grid, block, bytes);
  }

  @Override
  public String toString() {
    String shared = dynamicSharedBytes == 0 ? "" : ", " + dynamicSharedBytes + " shared bytes";
    return "<<<" + grid + ", " + block + shared + ">>>";
  }
}
