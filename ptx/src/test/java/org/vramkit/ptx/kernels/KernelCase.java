package org.vramkit.ptx.kernels;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.vramkit.ptx.Launch;
import org.vramkit.ptx.LaunchResult;
import org.vramkit.ptx.LoadedModule;
import org.vramkit.ptx.PtxModule;
import org.vramkit.ptx.memory.Memory;
import org.vramkit.ptx.memory.MemoryPiece;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.report.Footprint;

/** A kernel of the suite with its launch, as the manifest has it. */
record KernelCase(
    String file, String kernel, Dim3 grid, Dim3 block, int shared, int in, int out, int n) {
  private static final long IN = 0x200_0000_0000L;
  private static final long OUT = 0x201_0000_0000L;
  private static final long VARIABLES = 0x202_0000_0000L;
  private static final int ROOM = 4096;

  /** The words that a launch left, and its result. */
  @SuppressWarnings("ArrayRecordComponent") // compared as an array
  record Outcome(int[] words, LaunchResult result) {}

  static List<KernelCase> all() {
    return text("manifest.txt")
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(KernelCase::of)
        .toList();
  }

  private static KernelCase of(String line) {
    String[] part = line.split(" ", -1);
    return new KernelCase(
        part[0],
        part[1],
        dim(part[2]),
        dim(part[3]),
        Integer.parseInt(part[4]),
        Integer.parseInt(part[5]),
        Integer.parseInt(part[6]),
        Integer.parseInt(part[7]));
  }

  private static Dim3 dim(String text) {
    int[] of = Arrays.stream(text.split(",")).mapToInt(Integer::parseInt).toArray();
    return new Dim3(of[0], of.length > 1 ? of[1] : 1, of.length > 2 ? of[2] : 1);
  }

  static String text(String resource) {
    try (InputStream stream = KernelCase.class.getResourceAsStream(resource)) {
      return new String(stream.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int[] input() {
    int[] words = new int[in];
    for (int i = 0; i < in; i++) {
      words[i] = (int) (((i + 1) * 0x9e3779b97f4a7c15L) >>> 32);
    }
    return words;
  }

  /** Runs the kernel of a text that was compiled at a level. */
  Outcome run(String level, boolean checked, long seed) {
    String name = file + "-" + level + ".ptx";
    PtxModule module = PtxModule.parse(name, text(name));
    byte[] input = new byte[4 * in];
    ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().put(input());
    byte[] output = new byte[4 * out];
    Map<String, Long> places = new HashMap<>();
    Map<Long, MemoryPiece> pieces = new HashMap<>();
    pieces.put(IN >>> 12, new MemoryPiece(input, 0, IN, input.length));
    pieces.put(OUT >>> 12, new MemoryPiece(output, 0, OUT, output.length));
    LoadedModule loaded =
        module.load(
            variable -> {
              long place = VARIABLES + (long) ROOM * places.size();
              places.put(variable.name(), place);
              byte[] bytes = new byte[(int) variable.bytes()];
              pieces.put(place >>> 12, new MemoryPiece(bytes, 0, place, bytes.length));
              return place;
            });
    places.forEach(
        (variable, place) -> {
          byte[] initial = loaded.getInitialBytes(variable);
          if (initial != null) {
            System.arraycopy(initial, 0, pieces.get(place >>> 12).bytes(), 0, initial.length);
          }
        });
    Memory memory =
        address -> {
          for (MemoryPiece each : pieces.values()) {
            if (address >= each.address() && address < each.address() + each.length()) {
              return each;
            }
          }
          return null;
        };
    ByteBuffer parameters = ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN);
    parameters.putLong(IN).putLong(OUT).putInt(n);
    LaunchResult result =
        loaded.launch(
            Launch.of(kernel, grid, block)
                .sharedBytes(shared)
                .parameters(parameters.array())
                .checked(checked)
                .seed(seed)
                .maxSteps(20_000_000),
            memory);
    int[] words = new int[out];
    ByteBuffer.wrap(output).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(words);
    return new Outcome(words, result);
  }

  /** Returns whether a launch accessed only its arrays and the variables of its module. */
  static boolean isInArrays(Footprint footprint) {
    return Stream.of(footprint.reads(), footprint.writes(), footprint.atomics())
        .flatMap(List::stream)
        .allMatch(each -> each.address() >= IN && each.address() < VARIABLES + (1 << 20));
  }

  @Override
  public String toString() {
    return file + "/" + kernel;
  }
}
