package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Snapshots much larger than what a reader may keep of them, in a JVM of their own: shown, or
 * refused with the reason and the remedy. Those of 1 GB are read in 2 GiB.
 */
@Tag("nightly")
class LargeSnapshotTest {
  private static final long MB = 1_000_000;
  private static final int BATCH = 1000;
  private static final int FRAMES = 100;
  private static final int DEPTH = 20;
  private static final List<String> WORDS =
      List.of(
          "action",
          "alloc",
          "free_completed",
          "addr",
          "size",
          "stream",
          "time_us",
          "frames",
          "user_metadata",
          "train/forward",
          "name",
          "forward",
          "filename",
          "model.py",
          "line");

  @TempDir private Path folder = Path.of("");

  private record Result(int code, String text) {
    /** Shown, or refused in one line that says what would help. */
    void isShownOrRefused() {
      assertFalse(text.contains("OutOfMemoryError"), text);
      if (code != 0) {
        assertEquals(2, code, text);
        assertTrue(text.contains("do not fit") && text.contains("JAVA_OPTS=-Xmx"), text);
        assertEquals(1, text.strip().lines().count(), text);
      }
    }
  }

  /** A JVM of this heap runs a command. */
  private Result run(String heap, String... command) throws Exception {
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap,
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    line.addAll(List.of(command));
    Path told = folder.resolve("told.txt");
    Process process =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(told.toFile()).start();
    return new Result(process.waitFor(), Files.readString(told));
  }

  /** The same few entries over and over, each time of other addresses and times. */
  private Path json(long bytes) throws IOException {
    Path file = folder.resolve("large.json");
    try (OutputStream target = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)) {
      write(target, "{\"segments\":[],\"device_traces\":[[");
      long written = 0;
      for (long i = 0; written < bytes; i++) {
        String entry =
            String.format(
                Locale.ROOT,
                "%s{\"action\":\"%s\",\"addr\":%d,\"size\":512,\"stream\":0,\"time_us\":%d,"
                    + "\"user_metadata\":\"train/%d\",\"frames\":[{\"name\":\"forward\","
                    + "\"filename\":\"model.py\",\"line\":%d},{\"name\":\"<module>\","
                    + "\"filename\":\"train.py\",\"line\":1}]}",
                i == 0 ? "" : ",",
                i % 2 == 0 ? "alloc" : "free_completed",
                140_000_000_000_000L + i / 2 % 1000 * 512,
                1_700_000_000_000_000L + i,
                i % 7,
                i % 100);
        written += entry.length();
        write(target, entry);
      }
      write(target, "]]}");
    }
    return file;
  }

  /**
   * As a pickle of protocol 4, in batches and with memos as Python writes it: entries share frames,
   * and each has a list of its own.
   */
  private Path pickle(long bytes) throws IOException {
    Path file = folder.resolve("large.pickle");
    ByteBuffer out = ByteBuffer.allocate(1 << 18).order(ByteOrder.LITTLE_ENDIAN);
    try (OutputStream target = Files.newOutputStream(file)) {
      out.put((byte) 0x80).put((byte) 4);
      ops(out, "}(");
      text(out, "words");
      ops(out, "](");
      for (String word : WORDS) {
        text(out, word);
        out.put((byte) 0x94);
      }
      for (int line = 0; line < FRAMES; line++) {
        frame(out, line);
      }
      ops(out, "e");
      text(out, "segments");
      ops(out, "]");
      text(out, "device_traces");
      ops(out, "](](");
      long written = 0;
      for (long i = 0; written < bytes; i++) {
        int begin = out.position();
        entry(out, i);
        written += out.position() - begin;
        if (i % BATCH == BATCH - 1) {
          ops(out, "e(");
          target.write(out.array(), 0, out.position());
          out.clear();
        }
      }
      ops(out, "eeu.");
      target.write(out.array(), 0, out.position());
    }
    return file;
  }

  private static void frame(ByteBuffer out, int line) {
    ops(out, "}");
    out.put((byte) 0x94);
    ops(out, "(");
    word(out, "name");
    word(out, "forward");
    word(out, "filename");
    word(out, "model.py");
    word(out, "line");
    out.put((byte) 'K').put((byte) line);
    ops(out, "u");
  }

  private static void entry(ByteBuffer out, long i) {
    ops(out, "}");
    out.put((byte) 0x94);
    ops(out, "(");
    word(out, "action");
    word(out, i % 2 == 0 ? "alloc" : "free_completed");
    word(out, "addr");
    number(out, 140_000_000_000_000L + i / 2 % 1000 * 512);
    word(out, "size");
    number(out, 512);
    word(out, "stream");
    out.put((byte) 'K').put((byte) 0);
    word(out, "time_us");
    number(out, 1_700_000_000_000_000L + i);
    word(out, "user_metadata");
    text(out, "train/" + i % 7);
    out.put((byte) 0x94);
    word(out, "frames");
    ops(out, "]");
    out.put((byte) 0x94);
    ops(out, "(");
    for (int depth = 0; depth < DEPTH; depth++) {
      recall(out, WORDS.size() + (int) ((i + depth) % FRAMES));
    }
    ops(out, "eu");
  }

  private static void ops(ByteBuffer out, String opcodes) {
    out.put(opcodes.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static void word(ByteBuffer out, String word) {
    recall(out, WORDS.indexOf(word));
  }

  private static void recall(ByteBuffer out, int memo) {
    out.put((byte) 'h').put((byte) memo);
  }

  private static void number(ByteBuffer out, long value) {
    out.put((byte) 0x8a).put((byte) 8).putLong(value);
  }

  private static void text(ByteBuffer out, String text) {
    out.put((byte) 0x8c).put((byte) text.length());
    ops(out, text);
  }

  private static void write(OutputStream target, String text) throws IOException {
    target.write(text.getBytes(StandardCharsets.UTF_8));
  }

  private Result view(String heap, Path file) throws Exception {
    return run(heap, "view", "-o", folder.resolve("page.html").toString(), file.toString());
  }

  @Test
  @DisplayName("22.7 a JSON snapshot of 100 MB is shown within 256 MiB of heap")
  void json() throws Exception {
    Result result = view("256m", json(100 * MB));
    assertEquals(0, result.code(), result.text());
    assertTrue(Files.size(folder.resolve("page.html")) > MB);
  }

  @Test
  @DisplayName(
      "22.7 a pickle of 100 MB is shown within 256 MiB of heap, and rejected as too large within"
          + " 64")
  void pickle() throws Exception {
    Path file = pickle(100 * MB);
    Result large = view("256m", file);
    assertEquals(0, large.code(), large.text());
    Result small = view("64m", file);
    small.isShownOrRefused();
    assertEquals(2, small.code(), small.text());
    run("64m", "tune", file.toString()).isShownOrRefused();
  }

  @Test
  @DisplayName("22.7 snapshots of 1 GB are shown and compared within 2 GiB of heap")
  void gigabyte() throws Exception {
    for (Path file : List.of(json(1000 * MB), pickle(1000 * MB))) {
      Result shown = view("2g", file);
      assertEquals(0, shown.code(), shown.text());
      long begin = System.nanoTime();
      Result compared = run("2g", "diff", file.toString(), file.toString());
      System.out.printf(
          "%s: %d s%n", file.getFileName(), (System.nanoTime() - begin) / 1_000_000_000);
      assertEquals(0, compared.code(), compared.text());
      Files.delete(file);
    }
  }
}
