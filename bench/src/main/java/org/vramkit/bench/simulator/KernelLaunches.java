package org.vramkit.bench.simulator;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.vramkit.api.device.Dim3;
import org.vramkit.api.device.LaunchConfig;

/** The launches that {@link KernelBenchmark} measures; {@code speed.cu} has their kernels. */
enum KernelLaunches {
  SAXPY("saxpy", KernelLaunches.SAXPY_INSTRUCTIONS),
  VECTOR_ADD("vector_add", 21 * KernelLaunches.N),
  MATMUL("matmul", KernelLaunches.MATMUL_INSTRUCTIONS),
  REDUCTION("reduction", KernelLaunches.REDUCTION_INSTRUCTIONS);

  /** Floats of a vector. */
  static final int N = 1 << 20;

  /** Rows and columns of a matrix. */
  static final int SIDE = 128;

  static final int SAXPY_INSTRUCTIONS = 19 * N;
  static final int MATMUL_INSTRUCTIONS = 8_863_744;
  static final int REDUCTION_INSTRUCTIONS = 24_121_344;

  private final String kernel;
  private final int instructions;

  KernelLaunches(String kernel, int instructions) {
    this.kernel = kernel;
    this.instructions = instructions;
  }

  /** Returns the text of the module that has all kernels. */
  static String ptx() {
    try (InputStream file = KernelLaunches.class.getResourceAsStream("speed.ptx")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String getKernel() {
    return kernel;
  }

  LaunchConfig getConfig() {
    return switch (this) {
      case MATMUL -> LaunchConfig.of(new Dim3(SIDE / 16, SIDE / 16, 1), new Dim3(16, 16, 1));
      case REDUCTION -> LaunchConfig.of(N / 512, 256);
      case SAXPY, VECTOR_ADD -> LaunchConfig.covering(N, 256);
    };
  }

  /** Returns the instructions of a launch; one counts once for each lane that executes it. */
  int getInstructions() {
    return instructions;
  }
}
