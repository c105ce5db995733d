package org.vramkit.tools.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.tools.page.HtmlPage;
import org.vramkit.tools.page.Recording;

/** Damaged files give a trace or the one clear error, and nothing else. */
class FuzzTest {

  /** As replay and tune read it, and as view does; what can be read can be shown. */
  private static void survives(byte[] bytes, long seed, int round) {
    try {
      Trace trace = Reading.read(bytes);
      assertTrue(trace.getRequestedPeakBytes() >= 0);
      Trace detailed = Traces.readAll("t", new ByteArrayInputStream(bytes), true).get(0);
      new HtmlPage("view", List.of(), List.of(), List.of(Recording.of(detailed)))
          .writeData(OutputStream.nullOutputStream());
    } catch (TraceException e) {
      assertFalse(String.valueOf(e.getMessage()).contains("\n"));
    } catch (IOException | RuntimeException | Error e) {
      throw new AssertionError("seed " + seed + ", round " + round, e);
    }
  }

  @ParameterizedTest
  @DisplayName("22.7 Random bytes after every kind of header")
  @ValueSource(longs = {1, 2, 3})
  void randomBytes(long seed) {
    Random random = new Random(seed);
    String[] heads = {
      "", "\u0080\u0002", "\u0080\u0004", "{", Reading.CSV, Reading.RMM, "\u001f\u008b"
    };
    for (int round = 0; round < 3000; round++) {
      byte[] head = heads[round % heads.length].getBytes(StandardCharsets.ISO_8859_1);
      byte[] bytes = new byte[head.length + random.nextInt(200)];
      random.nextBytes(bytes);
      System.arraycopy(head, 0, bytes, 0, head.length);
      survives(bytes, seed, round);
    }
  }

  @ParameterizedTest
  @DisplayName("22.7 Good files with bytes changed, removed, doubled or cut off")
  @ValueSource(
      strings = {"snapshot-a.pickle", "streams.csv.gz", "rmm-a.csv.gz", "snapshot.json", "small"})
  void mutations(String file) throws IOException {
    byte[] good = good(file);
    long seed = file.hashCode();
    Random random = new Random(seed);
    for (int round = 0; round < 150; round++) {
      byte[] bytes = good.clone();
      for (int i = random.nextInt(8); i >= 0; i--) {
        int at = random.nextInt(bytes.length);
        switch (random.nextInt(4)) {
          case 0 -> bytes[at] = (byte) random.nextInt(256);
          case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
          case 2 -> bytes = Arrays.copyOf(bytes, Math.max(1, bytes.length - random.nextInt(200)));
          default -> {
            int length = random.nextInt(Math.min(64, bytes.length - at));
            int to = random.nextInt(bytes.length - length);
            System.arraycopy(bytes, at, bytes, to, length);
          }
        }
      }
      survives(bytes, seed, round);
    }
  }

  private static byte[] good(String file) throws IOException {
    if (file.equals("small")) {
      return (Reading.CSV + "alloc,1,5,0,0\nfree_completed,1,5,0,1\n")
          .getBytes(StandardCharsets.UTF_8);
    }
    if (file.equals("snapshot.json")) {
      return ("{\"segments\":[{\"device\":0,\"address\":1,\"blocks\":[{\"size\":5,\"state\":"
              + "\"active_allocated\"}]}],\"device_traces\":[[{\"action\":\"alloc\",\"addr\":1,"
              + "\"size\":5,\"stream\":0,\"time_us\":3}]]}")
          .getBytes(StandardCharsets.UTF_8);
    }
    byte[] bytes = Files.readAllBytes(Path.of("..", "traces", file));
    if (!file.endsWith(".gz")) {
      return bytes;
    }
    try (InputStream unpacked = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return unpacked.readNBytes(200_000);
    }
  }

  @Test
  @DisplayName("Millions of events are read within 2 GiB of heap")
  void millionsOfEvents() {
    int events = 1_000_000 * Integer.getInteger("vramkit.effort", 1);
    Trace trace = Traces.read("t", new EventStream(events));
    assertEquals(events, trace.getEventCount());
    assertEquals(1000 * 512, trace.getRequestedPeakBytes());
  }

  /** Rows that keep 1000 blocks of 512 bytes live, made as they are read. */
  private static final class EventStream extends InputStream {
    private final int count;
    private int event;
    private byte[] row = Reading.CSV.getBytes(StandardCharsets.UTF_8);
    private int at;

    EventStream(int count) {
      this.count = count;
    }

    @Override
    public int read() {
      if (at == row.length && !next()) {
        return -1;
      }
      return row[at++];
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      if (at == row.length && !next()) {
        return -1;
      }
      int taken = Math.min(length, row.length - at);
      System.arraycopy(row, at, target, offset, taken);
      at += taken;
      return taken;
    }

    private boolean next() {
      if (event == count) {
        return false;
      }
      // 1000 allocations, then in turn the free of the oldest and an allocation in its place.
      boolean free = event >= 1000 && event % 2 == 0;
      long slot = event < 1000 ? event : (event - 1000) / 2 % 1000;
      String action = free ? "free_completed," : "alloc,";
      row = (action + slot * 4096 + ",512,0," + event + "\n").getBytes(StandardCharsets.UTF_8);
      at = 0;
      event++;
      return true;
    }
  }
}
