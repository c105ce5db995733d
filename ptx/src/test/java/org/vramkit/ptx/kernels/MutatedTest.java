package org.vramkit.ptx.kernels;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.ptx.Launch;
import org.vramkit.ptx.PtxKernel;
import org.vramkit.ptx.PtxModule;
import org.vramkit.ptx.memory.MemoryPiece;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.report.PtxException;

@DisplayName("Mutated texts")
class MutatedTest {
  private static final long BASE = 0x200_0000_0000L;
  private static final int TEXTS = 10_000;
  private static final List<String> FILES =
      List.of("arithmetic", "floats", "control", "shared", "warps", "atomics", "memory");

  @Test
  @DisplayName("load and run, or are refused by an error of PTX; 10,000 of them, in bounded steps")
  void mutated() {
    List<String> kernels = new ArrayList<>();
    for (String file : FILES) {
      kernels.addAll(kernels(KernelCase.text(file + "-O3.ptx")));
    }
    long seed = Long.getLong("vramkit.seed", 42);
    Random random = new Random(seed);
    int refused = 0;
    int run = 0;
    for (int i = 0; i < TEXTS; i++) {
      String text = mutate(kernels.get(random.nextInt(kernels.size())), random);
      try {
        run += run(text) ? 1 : 0;
      } catch (PtxException e) {
        refused++;
      } catch (RuntimeException | StackOverflowError | AssertionError e) {
        throw new AssertionError("seed " + seed + ", text " + i + ":\n" + text, e);
      }
    }
    assertTrue(refused > TEXTS / 10 && run > TEXTS / 10, refused + " refused, " + run + " run");
  }

  /** Cuts a file into texts of one kernel, with the functions and variables of the file. */
  private static List<String> kernels(String file) {
    List<String> texts = new ArrayList<>();
    int begin = file.indexOf(".visible .entry");
    String head = file.substring(0, begin).replaceAll("(?m)^\\s*\\.loc.*$", "");
    for (String each : file.substring(begin).split("(?=\\.visible \\.entry)", -1)) {
      int end = each.lastIndexOf("\n}\n");
      texts.add(head + each.substring(0, end + 3).replaceAll("(?m)^\\s*\\.loc.*$", ""));
    }
    return texts;
  }

  private static String mutate(String text, Random random) {
    StringBuilder result = new StringBuilder(text);
    int from = text.indexOf(".entry");
    int changes = 1 + random.nextInt(3);
    for (int i = 0; i < changes; i++) {
      int begin = random.nextInt(4) == 0 ? 0 : Math.min(from, result.length() - 1);
      int at = begin + random.nextInt(result.length() - begin);
      switch (random.nextInt(8)) {
        case 0 -> result.setLength(Math.max(1, at));
        case 1 -> result.deleteCharAt(at);
        case 2 -> result.insert(at, (char) (33 + random.nextInt(94)));
        case 3 -> result.setCharAt(at, (char) (33 + random.nextInt(94)));
        case 4 -> result.setCharAt(at, (char) ('0' + random.nextInt(10)));
        case 5 -> deleteLine(result, at);
        case 6 -> copyLine(result, at, begin + random.nextInt(result.length() - begin));
        default -> swap(result, random);
      }
    }
    return result.toString();
  }

  private static int lineStart(StringBuilder text, int at) {
    return text.lastIndexOf("\n", Math.max(0, at - 1)) + 1;
  }

  private static int lineEnd(StringBuilder text, int at) {
    int end = text.indexOf("\n", at);
    return end < 0 ? text.length() : end + 1;
  }

  private static void deleteLine(StringBuilder text, int at) {
    int begin = lineStart(text, at);
    int end = lineEnd(text, at);
    if (end - begin < text.length()) {
      text.delete(begin, end);
    }
  }

  private static void copyLine(StringBuilder text, int at, int to) {
    String line = text.substring(lineStart(text, at), lineEnd(text, at));
    text.insert(lineStart(text, to), line);
  }

  /** Replaces a type or modifier by another. */
  private static void swap(StringBuilder text, Random random) {
    String[] words = {
      ".s32", ".u32", ".f32", ".b64", ".u64", ".s64", ".pred", ".global", ".shared", ".local",
      ".const", ".param", ".lo", ".hi", ".wide", ".lt", ".ge", ".v4", ".sync", ".rn"
    };
    String old = words[random.nextInt(words.length)];
    int at = text.indexOf(old, random.nextInt(text.length()));
    if (at >= 0) {
      text.replace(at, at + old.length(), words[random.nextInt(words.length)]);
    }
  }

  private static boolean run(String text) {
    PtxModule module = PtxModule.parse("mutated.ptx", text);
    byte[] memory = new byte[8192];
    boolean any = false;
    for (PtxKernel kernel : module.getKernels()) {
      byte[] parameters = new byte[kernel.getParameterBytes()];
      for (int i = 0; i + 8 <= parameters.length && i < 16; i += 8) {
        parameters[i + 5] = 2;
        parameters[i + 1] = (byte) (i * 2);
      }
      if (parameters.length >= 20) {
        parameters[16] = 64;
      }
      module
          .load(variable -> BASE + 6144)
          .launch(
              Launch.of(kernel.name(), new Dim3(1, 1, 1), new Dim3(64, 1, 1))
                  .parameters(parameters)
                  .sharedBytes(256)
                  .maxSteps(5_000),
              address ->
                  address >= BASE && address < BASE + memory.length
                      ? new MemoryPiece(memory, 0, BASE, memory.length)
                      : null);
      any = true;
    }
    return any;
  }
}
