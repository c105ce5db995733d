package org.vramkit.gpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Dim3;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.caching.CachingAllocator;

/**
 * Runs the suite of kernels of the module {@code ptx} on a backend and on the simulator, and prints
 * each kernel whose words differ.
 */
final class KernelSuite {
  private static final List<String> LEVELS = List.of("O3", "O0");

  private final Path folder;

  /**
   * Creates a run.
   *
   * @param folder the folder with the suite's manifest and PTX
   */
  KernelSuite(Path folder) {
    this.folder = folder;
  }

  /** Runs the suite; the arguments are the name of the backend and the folder of the suite. */
  public static void main(String[] arguments) throws IOException {
    int differing;
    try (Backend one = Backends.open(arguments[0]);
        Backend other = Backends.open("sim")) {
      differing = new KernelSuite(Path.of(arguments[1])).compare(one, other);
    }
    System.exit(differing == 0 ? 0 : 1);
  }

  /** A row of the manifest; its first line explains the columns. */
  private record Row(
      String file, String kernel, LaunchConfig config, int inputWords, int outputWords, int n) {
    static Row of(String line) {
      String[] part = line.split(" ", -1);
      return new Row(
          part[0],
          part[1],
          LaunchConfig.of(dim(part[2]), dim(part[3]))
              .withDynamicSharedBytes(Integer.parseInt(part[4])),
          Integer.parseInt(part[5]),
          Integer.parseInt(part[6]),
          Integer.parseInt(part[7]));
    }

    private static Dim3 dim(String text) {
      int[] of = Arrays.stream(text.split(",")).mapToInt(Integer::parseInt).toArray();
      return new Dim3(of[0], of.length > 1 ? of[1] : 1, of.length > 2 ? of[2] : 1);
    }

    int[] input() {
      int[] words = new int[inputWords];
      for (int i = 0; i < words.length; i++) {
        words[i] = (int) (((i + 1) * 0x9e3779b97f4a7c15L) >>> 32);
      }
      return words;
    }
  }

  /** Prints the kernels that differ, and a summary; returns their number. */
  int compare(Backend one, Backend other) throws IOException {
    List<Row> rows =
        Files.readAllLines(folder.resolve("manifest.txt")).stream()
            .filter(line -> !line.startsWith("#"))
            .map(Row::of)
            .toList();
    int differing = 0;
    for (Row row : rows) {
      for (String level : LEVELS) {
        String file = row.file() + "-" + level + ".ptx";
        String ptx = Files.readString(folder.resolve(file));
        int[] found = run(one.getDevice(0), row, forDriver(one, ptx));
        int[] expected = run(other.getDevice(0), row, ptx);
        int at = Arrays.mismatch(found, expected);
        if (at >= 0) {
          differing++;
          System.out.printf(
              "%s %s: word %d is 0x%08x on %s, 0x%08x on %s%n",
              file, row.kernel(), at, found[at], one.getName(), expected[at], other.getName());
        }
      }
    }
    System.out.printf(
        "%d kernels, %d launches on %s and %s, %d differ%n",
        rows.size(), rows.size() * LEVELS.size(), one.getName(), other.getName(), differing);
    return differing;
  }

  /** Returns the text without the word debug, which ptxas refuses without a debugger's sections. */
  private static String forDriver(Backend backend, String ptx) {
    return backend.getName().equals("sim")
        ? ptx
        : ptx.replaceFirst("(?m)^(\\.target .*), debug$", "$1");
  }

  private static int[] run(Device device, Row row, String ptx) {
    int[] words = new int[row.outputWords()];
    try (CachingAllocator allocator = CachingAllocator.create(device);
        BufferPool buffers = BufferPool.create(allocator);
        Stream stream = device.createStream();
        TypedBuffer in = buffers.acquire(ElementType.INT32, row.inputWords(), stream);
        TypedBuffer out = buffers.acquireZeroed(ElementType.INT32, row.outputWords(), stream);
        KernelModule module = device.loadModule(ptx)) {
      in.copyFrom(row.input());
      stream.launch(module.getKernel(row.kernel()), row.config(), in, out, row.n());
      out.copyTo(words);
    }
    return words;
  }
}
