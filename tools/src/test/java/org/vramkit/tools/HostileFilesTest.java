package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("22.7 view and tune")
class HostileFilesTest {
  private static final String HEAD = "action,addr,size,stream,time_us\n";
  private static final String SMALL =
      HEAD + "alloc,0,3000000,0,0\nalloc,4194304,1000,0,5\nfree_completed,0,3000000,0,9\n";
  private static final String SNAPSHOT =
      "{\"segments\":[{\"device\":0,\"address\":4096,\"blocks\":[{\"size\":512,\"state\":"
          + "\"active_allocated\"}]}],\"device_traces\":[[{\"action\":\"alloc\",\"addr\":4096,"
          + "\"size\":512,\"stream\":0,\"time_us\":3}]]}";

  @TempDir private Path folder = Path.of("");

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Runs both; what one can read the other one can read. Answers the exit code. */
  private int survive(String name, byte[] content) throws IOException {
    Path file = Files.write(folder.resolve("input"), content);
    Run view = Run.of("view", "-o", folder.resolve("page.html").toString(), file.toString());
    Run tune = Run.of("tune", "--threads", "2", file.toString());
    assertClear(name, view);
    assertClear(name, tune);
    assertEquals(view.code() == Errors.BAD_INPUT, tune.code() == Errors.BAD_INPUT, name);
    assertArrayEquals(content, Files.readAllBytes(file), name);
    return tune.code();
  }

  /** A result, or the reason in one line that is no account of the inside. */
  private static void assertClear(String name, Run run) {
    assertEquals(run.code() == Errors.OK ? 0 : 1, run.err().lines().count(), name + run.err());
    assertFalse(run.err().contains("internal error"), name + ": " + run.err());
    assertTrue(run.err().isEmpty() || run.err().startsWith("vramkit: "), name + run.err());
    assertFalse(run.err().contains("Exception"), name + ": " + run.err());
  }

  @Test
  @DisplayName("refuse other files and invalid recordings, with exit code 2")
  void refused() throws IOException {
    Map<String, String> files = new LinkedHashMap<>();
    files.put("nothing", "");
    files.put("a picture", "\u0089PNG\r\n\u001a\n\0\0\0\rIHDR");
    files.put("a page", "<!doctype html><p>alloc,0,1,0,0");
    files.put("a class", "\u00ca\u00fe\u00ba\u00be\0\0\0A");
    files.put("half of a gzip", "\u001f\u008b\u0008\0\0\0\0\0");
    files.put("a list", "[1, 2]");
    files.put("another dictionary", "{\"a\": 1}");
    files.put("half of a dictionary", SNAPSHOT.substring(0, SNAPSHOT.length() / 2));
    files.put("dictionaries in each other", "{\"segments\":" + "[".repeat(100_000));
    files.put("a pickle that ends", "\u0080\u0002}");
    files.put("a pickle that calls", "\u0080\u0002cos\nsystem\n(S'true'\ntR.");
    files.put("a size below 0", HEAD + "alloc,0,-5,0,0\n");
    files.put("a size beyond all", HEAD + "alloc,0,99999999999999999999,0,0\n");
    files.put("a free of nothing", HEAD + "free_completed,77,1,0,10\n");
    files.put("two at one address", HEAD + "alloc,0,5,0,0\nalloc,0,5,0,1\n");
    files.put("another action", HEAD + "steal,0,5,0,0\n");
    files.put("half of a row", HEAD + "alloc,0");
    files.put("a quote without an end", HEAD + "alloc,0,5,0,\"0\nfree_completed,0,5,0,1\n");
    files.put("an end within a quote", HEAD + "alloc,0,5,0,\"0");
    files.put("a header within a quote", HEAD.replace("time", "\"time") + "alloc,0,5,0,0\n");
    for (Map.Entry<String, String> each : files.entrySet()) {
      assertEquals(Errors.BAD_INPUT, survive(each.getKey(), bytes(each.getValue())), each.getKey());
    }
  }

  @Test
  @DisplayName("process unusual but valid recordings")
  void odd() throws IOException {
    Map<String, String> files = new LinkedHashMap<>();
    files.put("no events", HEAD);
    files.put("no events in a snapshot", "{\"segments\":[],\"device_traces\":[[]]}");
    files.put("more than there can be", HEAD + "alloc,0,9223372036854775807,0,0\n");
    files.put(
        "more than can be counted",
        HEAD + "alloc,0,9223372036854775807,0,0\nalloc,1,9223372036854775807,0,0\n");
    files.put("the end of time", HEAD + "alloc,0,5,0,0\nalloc,9,5,0,9223372036854775807\n");
    files.put("the last address", HEAD + "alloc,9223372036854775807,512,0,0\n");
    files.put("nothing of size", HEAD + "alloc,0,0,0,0\nfree_completed,0,0,0,1\n");
    StringBuilder streams = new StringBuilder(HEAD);
    for (int i = 0; i < 300; i++) {
      streams.append("alloc,").append(i * 512).append(",5,").append(i * 7919L).append(",0\n");
    }
    files.put("many streams", streams.toString());
    for (Map.Entry<String, String> each : files.entrySet()) {
      survive(each.getKey(), bytes(each.getValue()));
    }
  }

  @Test
  @DisplayName("survive files with bytes changed and cut off")
  void mutations() throws IOException {
    long seed = 22;
    Random random = new Random(seed);
    byte[][] good = {bytes(SMALL), bytes(SNAPSHOT)};
    int refused = 0;
    for (int round = 0; round < 30; round++) {
      byte[] content = good[round % good.length].clone();
      for (int i = random.nextInt(3); i >= 0; i--) {
        content[random.nextInt(content.length)] = (byte) random.nextInt(128);
      }
      if (random.nextInt(4) == 0) {
        content = Arrays.copyOf(content, 1 + random.nextInt(content.length));
      }
      String name = "seed " + seed + ", round " + round;
      refused += survive(name, content) == Errors.BAD_INPUT ? 1 : 0;
    }
    assertTrue(refused > 5 && refused < 30, "refused: " + refused);
  }

  @Test
  @DisplayName("replay never overwrites an input file, by any of its names")
  void outputIsInput() throws IOException {
    // A page may be written over, and so may an empty file: but not one that is to be read.
    String text = "<!doctype html><p>mine";
    Path page = Files.writeString(folder.resolve("page.html"), text);
    Path link = Files.createSymbolicLink(folder.resolve("link.html"), page);
    Path hard = Files.createLink(folder.resolve("hard.html"), page);
    Path empty = Files.createFile(folder.resolve("empty"));
    String good = Files.writeString(folder.resolve("small.csv"), SMALL).toString();
    for (Path each : new Path[] {page, link, hard, folder.resolve("x/../page.html").normalize()}) {
      String output = each.toString();
      Run.of("view", "-o", output, good, page.toString()).failed(2, "--output", "files to read");
      Run.of("tune", "--html", output, good, page.toString()).failed(2, "--html", "files to read");
      Run.of("replay", "--html", output, good, page.toString())
          .failed(2, "--html", "files to read");
    }
    Run.of("view", "-o", empty.toString(), good, empty.toString()).failed(2, "files to read");
    Run.of("tune", "--html", good, good).failed(2, "--html");
    String missing = folder.resolve("none").toString();
    Run.of("view", "-o", missing, good, missing).failed(2, "files to read");
    assertEquals(text, Files.readString(page));
    assertEquals(SMALL, Files.readString(Path.of(good)));
    assertEquals(0, Files.size(empty));
    assertFalse(Files.exists(Path.of(missing)));
  }
}
