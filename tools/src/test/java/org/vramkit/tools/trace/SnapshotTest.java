package org.vramkit.tools.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.tools.trace.Reading.read;
import static org.vramkit.tools.trace.Reading.refuses;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SnapshotTest {
  private static final String ALLOC =
      "{\"action\":\"alloc\",\"addr\":%d,\"size\":%d,\"stream\":0,\"time_us\":5,\"frames\":[{\"line\":1}]}";
  private static final String FREE =
      "{\"action\":\"free_completed\",\"addr\":%d,\"size\":%d,\"stream\":0}";

  private static String json(String segments, String... devices) {
    StringBuilder lists = new StringBuilder();
    for (String device : devices) {
      lists.append(lists.isEmpty() ? "[" : ",[").append(device).append(']');
    }
    return "{\"segments\":[" + segments + "],\"device_traces\":[" + lists + "],\"x\":{\"y\":[]}}";
  }

  @Test
  @DisplayName(
      "JSON: a snapshot that begins in the middle is repaired, and every repair is counted")
  void repairs() {
    String segment =
        "{\"blocks\":[{\"size\":64,\"state\":\"inactive\"},{\"size\":8,\"state\":\"active_allocated\"},"
            + "{\"size\":8,\"state\":\"active_pending_free\"}],\"address\":1000,\"device\":0}";
    String trace =
        String.join(
            ",",
            FREE.formatted(1, 10),
            ALLOC.formatted(2, 10),
            ALLOC.formatted(2, 20),
            FREE.formatted(2, 21),
            ALLOC.formatted(1072, 8));
    Trace read = read(json(segment, trace));
    assertEquals(TraceFormat.SNAPSHOT_JSON, read.getFormat());
    assertEquals(
        Map.of(
            "unknownFrees", 1L,
            "lostFrees", 1L,
            "freeSizeMismatches", 1L,
            "blocksLiveThroughout", 1L),
        read.getRepairs());
    // 18 bytes were there before: the 10 are freed by the first entry, the 8 are live throughout.
    assertEquals(18, read.getHeldBeforeBytes());
    assertEquals(28, read.getRequestedPeakBytes());
    assertEquals(5, read.getAllocationCount());
  }

  @Test
  @DisplayName("JSON: documents other than snapshots are refused with file and line")
  void badJson() {
    refuses("{}", "t:1", "device_traces is missing");
    refuses("{\"device_traces\":[[", "t:1", "truncated");
    refuses(json("", ""), "t", "Vramkit's option history", "_record_memory_history");
    refuses(json("", "7"), "t:1", "not an object");
    refuses(json("", "{\"action\":\"alloc\",\"addr\":1}"), "t:1", "lacks");
    refuses(json("", "{\"action\":\"boom\"}"), "t: the snapshot holds no allocation", "'boom'");
    refuses(json("", ALLOC.formatted(1, -3)), "t:1", "negative");
    refuses(json("", "{\"action\":\"alloc\",\"addr\":1.5}"), "t:1", "addr is not a whole number");
    refuses(json("", "{\"action\":\"alloc\",\"addr\":99999999999999999999}"), "t:1", "64 bits");
    refuses("{\"a\":" + "[".repeat(100_000), "t:1", "depth");
    refuses("{\"device_traces\": nope}", "t:1");
    refuses(json("", ALLOC.formatted(1, 3)) + "{", "t:1", "follows");
    refuses("{\"device_traces\":[" + "[],".repeat(5000) + "[]]}", "t:1", "1024 devices");
  }

  @Test
  @DisplayName("JSON: errors name the byte too, and give no advice for programmers")
  void whereAndWhat() {
    String broken = json("", "{\"action\":\"alloc\",\"addr\":NaN}");
    refuses(broken, "t:1:byte " + (broken.indexOf("NaN") + 3), "'NaN'");
    for (String text : new String[] {broken, "{\"" + "a".repeat(100_000) + "\":1}"}) {
      String message =
          String.valueOf(assertThrows(TraceException.class, () -> read(text)).getMessage());
      assertFalse(message.contains("`"), message);
    }
  }

  /** Assembles a pickle of protocol 2. */
  private static final class Pickle {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Pickle() {
      bytes(0x80, 2);
    }

    /** Adds what another holds, without its own head. */
    Pickle append(Pickle other) {
      byte[] all = other.bytes();
      bytes.write(all, 2, all.length - 2);
      return this;
    }

    Pickle bytes(int... values) {
      for (int value : values) {
        bytes.write(value);
      }
      return this;
    }

    Pickle ops(String ops) {
      bytes.writeBytes(ops.getBytes(StandardCharsets.ISO_8859_1));
      return this;
    }

    Pickle text(String text) {
      return ops("X").bytes(text.length(), 0, 0, 0).ops(text);
    }

    byte[] bytes() {
      return bytes.toByteArray();
    }

    byte[] end() {
      return ops(".").bytes.toByteArray();
    }
  }

  private static Pickle snapshotHead() {
    return new Pickle().ops("}(").text("segments").ops("]").text("device_traces").ops("]");
  }

  @Test
  @DisplayName("Pickle: protocol 2 as PyTorch's C++ side writes it is read")
  void protocol2() {
    byte[] bytes =
        snapshotHead()
            .ops("](}(")
            .text("action")
            .text("alloc")
            .text("addr")
            .bytes(0x8a, 9, 0, 0, 0, 0, 0, 0, 0, 0x80, 0)
            .text("size")
            .ops("M")
            .bytes(0, 2)
            .text("stream")
            .ops("K")
            .bytes(0)
            // The entry, the device's list, the list of devices, the root.
            .ops("ueau")
            .end();
    Trace trace = read(bytes);
    assertEquals(TraceFormat.SNAPSHOT_PICKLE, trace.getFormat());
    assertEquals(512, trace.getRequestedPeakBytes());
  }

  @Test
  @DisplayName("Pickle: opcodes that could run code are refused with name and byte")
  void refusedOpcodes() {
    refuses(new Pickle().ops("cos\nsystem\n").end(), "t:byte 2", "GLOBAL", "refused");
    refuses(new Pickle().ops("N").ops("R").end(), "t:byte 3", "REDUCE");
    refuses(new Pickle().bytes(0x93).end(), "t:byte 2", "STACK_GLOBAL");
    refuses(new Pickle().ops("b").end(), "BUILD");
    refuses(new Pickle().ops("i").end(), "INST");
    refuses(new Pickle().bytes(0x82).end(), "EXT1");
    refuses(new Pickle().ops("P").end(), "PERSID");
    refuses(new Pickle().bytes(0xff).end(), "0xff");
  }

  @Test
  @DisplayName("Pickle: bombs and damage are refused with the byte")
  void bombs() {
    refuses(new Pickle().ops("(".repeat(100_000)).end(), "t:byte 102", "nests deeper");
    refuses(new Pickle().ops("X").bytes(255, 255, 255, 255).end(), "string of 4294967295");
    refuses(new Pickle().ops("Nr").bytes(255, 255, 255, 127).end(), "precede");
    refuses(new Pickle().ops("h").bytes(3).end(), "memo 3");
    refuses(new Pickle().bytes(0x8a, 200).end(), "LONG1");
    refuses(new Pickle().ops("a").end(), "damaged");
    refuses(new Pickle().ops("e").end(), "MARK");
    refuses(new Pickle().ops("(N.").end(), "STOP");
    refuses(new Pickle().ops("NN").end(), "2 values");
    refuses(new Pickle().ops("}(Nu").end(), "key without a value");
    refuses(new Pickle().ops("]").end(), "holds no allocation");
    refuses(new Pickle().ops("]Na").end(), "t:segments[0]", "not a memory snapshot");
    refuses(new byte[] {(byte) 0x80, 9}, "protocol 9");
    refuses(new byte[] {(byte) 0x80, 2, 'N'}, "truncated");
  }

  private static Pickle entry(int address, int size) {
    return new Pickle()
        .ops("}(")
        .text("action")
        .text("alloc")
        .text("addr")
        .ops("K")
        .bytes(address)
        .text("size")
        .ops("J")
        .bytes(size, size >> 8, size >> 16, size >> 24)
        .text("stream")
        .ops("K")
        .bytes(0)
        .ops("u");
  }

  @Test
  @DisplayName("Pickle: an error in an entry names the entry, not the end of the file")
  void placeOfEntry() {
    byte[] bytes =
        snapshotHead()
            .ops("](")
            .append(entry(1, 5))
            .append(entry(2, -5))
            .append(entry(3, 5))
            .ops("eau")
            .end();
    refuses(bytes, "t:device_traces[0][1]: negative size -5");
  }

  @Test
  @DisplayName("Pickle: data after the end is refused, plain and within gzip")
  void trailingData() {
    byte[] bytes = snapshotHead().ops("](").append(entry(1, 5)).ops("eau").end();
    assertEquals(5, read(bytes).getRequestedPeakBytes());
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    refuses(longer, "t:byte " + bytes.length, "follows");
    byte[] damaged = Reading.gzip(bytes);
    damaged[damaged.length - 6] ^= 1;
    refuses(damaged, "t:", "gzip data are damaged");
  }

  @Test
  @DisplayName("Pickle: much text is refused before it fills the heap")
  void textBomb() {
    byte[] text = new byte[5 + (1 << 20)];
    text[0] = 'X';
    text[3] = 16;
    List<InputStream> parts = new ArrayList<>();
    parts.add(new ByteArrayInputStream(new Pickle().ops("(").bytes()));
    for (long i = 0; i < Runtime.getRuntime().maxMemory() / text.length; i++) {
      parts.add(new ByteArrayInputStream(text));
    }
    InputStream bomb = new SequenceInputStream(Collections.enumeration(parts));
    TraceException refused = assertThrows(TraceException.class, () -> Traces.read("t", bomb));
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains("t:byte") && message.contains("do not fit the heap"), message);
  }

  @Test
  @DisplayName("Pickle: one dictionary used many times is refused instead of searched many times")
  void sharedDictionaries() {
    byte[] shared =
        snapshotHead()
            .ops("](")
            .append(entry(1, 5))
            .ops("q")
            .bytes(0)
            .ops("h")
            .bytes(0)
            .ops("eau")
            .end();
    refuses(shared, "t:device_traces[0][1]", "twice");
  }

  @Test
  @DisplayName("Pickle: one list used many times is refused instead of read many times")
  void sharedLists() {
    byte[] shared =
        new Pickle()
            .ops("}(")
            .text("segments")
            .ops("]")
            .text("device_traces")
            .ops("](](}(")
            .text("action")
            .text("snapshot")
            .ops("ueq")
            .bytes(0)
            .ops("h")
            .bytes(0)
            .ops("eu")
            .end();
    refuses(shared, "t:device_traces[1]", "twice");
  }

  @Test
  @DisplayName("Pickle: a list that holds itself ends as an error, not as an endless walk")
  void cycle() {
    byte[] cyclic =
        new Pickle()
            .ops("}(")
            .text("segments")
            .ops("]")
            .text("device_traces")
            .ops("]q")
            .bytes(0)
            .ops("h")
            .bytes(0)
            .ops("au")
            .end();
    refuses(cyclic, "t:device_traces[0]", "twice");
  }
}
