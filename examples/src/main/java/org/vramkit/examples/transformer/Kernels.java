package org.vramkit.examples.transformer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Dim3;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.Stream;

/** The kernels of transformer.cu on one device. */
final class Kernels implements AutoCloseable {
  /** Threads of a block; THREADS in transformer.cu. */
  private static final int THREADS = 128;

  /** The blocks that divide the rows where a kernel sums columns. */
  private static final int MOST_PARTS = 64;

  private static final int ROWS_OF_PART = 8;

  private final KernelModule module;

  Kernels(Device device, String ptx) {
    module = device.loadModule(ptx);
  }

  /** Returns a text of the package, such as the PTX. */
  static String read(String name) {
    try (InputStream file = Kernels.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(file, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Launches a kernel that has a thread for each element. */
  void perElement(Stream stream, String kernel, long count, Object... arguments) {
    stream.launch(module.getKernel(kernel), LaunchConfig.covering(count, THREADS), arguments);
  }

  /** Launches a kernel that has a block for each row. */
  void perRow(Stream stream, String kernel, int rows, Object... arguments) {
    stream.launch(module.getKernel(kernel), LaunchConfig.of(rows, THREADS), arguments);
  }

  /** Launches a kernel that has a thread for each column of each part of the rows. */
  void perColumn(Stream stream, String kernel, int columns, int parts, Object... arguments) {
    Dim3 grid = Dim3.of((columns + THREADS - 1) / THREADS, parts);
    stream.launch(module.getKernel(kernel), LaunchConfig.of(grid, Dim3.of(THREADS)), arguments);
  }

  /** Launches a kernel. */
  void launch(Stream stream, String kernel, LaunchConfig config, Object... arguments) {
    stream.launch(module.getKernel(kernel), config, arguments);
  }

  /** Returns the number of parts into which rows are divided to sum columns. */
  static int partsOf(int rows) {
    return Math.min(MOST_PARTS, (rows + ROWS_OF_PART - 1) / ROWS_OF_PART);
  }

  @Override
  public void close() {
    module.close();
  }
}
