package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.tools.TraceFiles.file;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.units.ByteSize;
import org.vramkit.export.ExportFormat;
import org.vramkit.export.MemoryExport;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("vramkit diff")
class DiffCommandTest {
  @TempDir private Path folder = Path.of("");

  /** A training run with one regression, recorded with stacks and tags. */
  private enum Program {
    SOUND,
    LONGER_LIVED,
    DOUBLED,
    LEAKING;

    private static final int STEPS = 5;
    private static final int LAYERS = 6;

    @SuppressWarnings("ImmutableEnumChecker") // the allocations of one recording at a time
    private final List<Allocation> kept = new ArrayList<>();

    Path record(Path file, ExportFormat format) throws IOException {
      try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build();
          CachingAllocator allocator =
              CachingAllocator.builder(backend.getDevice(0))
                  .history(ByteSize.MIB)
                  .historyStacks(true)
                  .build()) {
        kept.add(weights(allocator));
        for (int step = 0; step < STEPS; step++) {
          step(allocator);
        }
        MemoryExport.of(allocator).write(format, file);
        kept.forEach(Allocation::close);
        kept.clear();
      }
      return file;
    }

    private static Allocation weights(CachingAllocator allocator) {
      return allocator.allocate(64 * ByteSize.MIB);
    }

    private void step(CachingAllocator allocator) {
      Allocation batch = batch(allocator);
      if (this != LONGER_LIVED) {
        batch.close();
      }
      List<Allocation> activations = new ArrayList<>();
      for (int layer = 0; layer < LAYERS; layer++) {
        activations.add(forward(allocator));
      }
      Allocation logits = logits(allocator, this == DOUBLED ? 2 : 1);
      for (Allocation each : activations) {
        backward(allocator).close();
        each.close();
      }
      logits.close();
      if (this == LONGER_LIVED) {
        batch.close();
      }
      if (this == LEAKING) {
        kept.add(loss(allocator));
      }
    }

    private static Allocation batch(CachingAllocator allocator) {
      return allocator.allocate(20 * ByteSize.MIB);
    }

    private static Allocation forward(CachingAllocator allocator) {
      return allocator.tagged("forward").allocate(12 * ByteSize.MIB);
    }

    private static Allocation logits(CachingAllocator allocator, int times) {
      return allocator.tagged("forward").allocate(30L * times * ByteSize.MIB);
    }

    private static Allocation backward(CachingAllocator allocator) {
      return allocator.tagged("backward").allocate(10 * ByteSize.MIB);
    }

    private static Allocation loss(CachingAllocator allocator) {
      return allocator.allocate(ByteSize.MIB);
    }
  }

  private Run diff(Program regressed, ExportFormat before, ExportFormat after, String... options)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("diff"));
    command.add(Program.SOUND.record(folder.resolve("sound"), before).toString());
    command.add(regressed.record(folder.resolve("regressed"), after).toString());
    command.addAll(List.of(options));
    Run run = Run.of(command.toArray(String[]::new));
    assertEquals(0, run.code(), run.err());
    assertEquals("", run.err());
    return run;
  }

  private static JsonNode differences(Run run) throws IOException {
    return run.json().get("pairs").get(0).get("differences");
  }

  private static String method(Program regressed) {
    return switch (regressed) {
      case LONGER_LIVED -> "batch";
      case DOUBLED -> "logits";
      case LEAKING -> "loss";
      case SOUND -> throw new AssertionError("has no regression");
    };
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SOUND")
  @DisplayName("names the owner of a longer-lived, a doubled and a leaked block first")
  void regressions(Program regressed) throws IOException {
    Run json = diff(regressed, ExportFormat.PYTORCH_PICKLE, ExportFormat.PYTORCH_PICKLE, "--json");
    JsonNode byOwner = differences(json).get(0);
    assertEquals("owner", byOwner.get("by").asText());
    String owner = byOwner.get("rows").get(0).get("b").asText();
    assertTrue(owner.contains("DiffCommandTest$Program." + method(regressed) + "("), owner);
    Run text = Run.of("diff", path("sound"), path("regressed"));
    String[] lines = text.out().split("\n", -1);
    assertTrue(
        (lines[2] + lines[3].strip()).contains(method(regressed) + "(DiffCommandTest.java:"),
        text.out());
    text.out().lines().forEach(line -> assertTrue(line.length() <= 80, line));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SOUND")
  @DisplayName("explains the whole difference, by owner and by tag, also between formats")
  void sums(Program regressed) throws IOException {
    JsonNode pair =
        diff(regressed, ExportFormat.PYTORCH_JSON, ExportFormat.CSV, "--json")
            .json()
            .get("pairs")
            .get(0);
    long difference = pair.get("requestedDifferenceBytes").asLong();
    assertTrue(difference > 0, pair.toString());
    assertEquals(2, pair.get("differences").size());
    for (JsonNode each : pair.get("differences")) {
      long sum =
          StreamSupport.stream(each.get("rows").spliterator(), false)
              .mapToLong(row -> row.get("differenceBytes").asLong())
              .sum();
      assertEquals(difference, sum + each.get("otherMomentBytes").asLong());
      assertEquals(0, each.get("otherMomentBytes").asLong());
    }
  }

  @Test
  @DisplayName("shows reserved memory, what of it was unused, and where blocks live longer")
  void figures() throws IOException {
    Run run = diff(Program.LEAKING, ExportFormat.CSV, ExportFormat.CSV);
    for (String part :
        List.of(
            "\nrequested peak ",
            "\nreserved peak ",
            "\nreserved / requested ",
            "\nunused at the requested peak ",
            "\nlargest unused range ",
            "\nunused ranges ",
            "\nlive at the end ",
            "\nBy owner, ",
            "\nBy tag, ",
            "\nBlocks that live otherwise, A / B",
            "Program.loss",
            "  new  ",
            "0 / 5")) {
      assertTrue(run.out().contains(part), () -> "lacks " + part + ": " + run.out());
    }
    assertEquals(
        5,
        differences(Run.of("diff", "--json", path("sound"), path("regressed")))
            .get(0)
            .get("rows")
            .get(0)
            .get("inB")
            .get("liveAtEnd")
            .asInt());
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  @Test
  @DisplayName("says that equal recordings are equal")
  void equal() throws IOException {
    String file = Path.of("..", "traces", "snapshot-a.pickle").toString();
    Run run = Run.of("diff", file, file);
    assertEquals(0, run.code(), run.err());
    assertTrue(run.out().contains("The requested peaks are equal.\n"), run.out());
    assertFalse(run.out().contains("live otherwise"), run.out());
  }

  @Test
  @DisplayName("names who holds memory for longer if the peaks are equal")
  void equalPeaks() throws IOException {
    String freed = "free_completed,1048576,900,0,40,,,\n";
    String head =
        """
        action,addr,size,stream,time_us,tag,thread,stack
        alloc,8388608,2000,0,0,,,a.B.other(B.java:1)
        free_completed,8388608,2000,0,10,,,
        alloc,1048576,900,0,20,,,a.B.held(B.java:2)
        """;
    String tail =
        """
        alloc,8388608,1000,0,50,,,a.B.other(B.java:1)
        free_completed,8388608,1000,0,60,,,
        """;
    String before = file(folder, "a.csv", head + freed + tail);
    String after = file(folder, "b.csv", head + tail + freed);
    Run run = Run.of("diff", before, after);
    assertTrue(
        run.out()
            .contains(
                "The requested peaks are equal; a.B.held(B.java:2) holds 360 B more on average"),
        run.out());
    Run back = Run.of("diff", after, before);
    assertTrue(back.out().contains("a.B.held(B.java:2) holds 360 B less on average"), back.out());
    assertTrue(run.out().contains("  1.0 / 3.0\n"), run.out());
    assertFalse(run.out().contains("By owner"), run.out());
  }

  @Test
  @DisplayName("finds the owner although its longer life makes another moment the peak")
  void otherMoment() throws IOException {
    String before =
        """
        action,addr,size,stream,time_us,tag,thread,stack
        alloc,100000,30,0,0,,,a.B.scratch(B.java:1)
        free_completed,100000,30,0,1,,,
        alloc,200000,100,0,2,,,a.B.forward(B.java:2)
        free_completed,200000,100,0,3,,,
        alloc,300000,90,0,4,,,a.B.backward(B.java:3)
        free_completed,300000,90,0,5,,,
        """;
    String longer =
        before
            .replace("free_completed,100000,30,0,1,,,\n", "")
            .replace("alloc,200000,100", "alloc,200000,60")
            .replace("free_completed,200000,100", "free_completed,200000,60");
    Run run =
        Run.of("diff", "--json", file(folder, "a.csv", before), file(folder, "b.csv", longer));
    JsonNode byOwner = differences(run).get(0);
    assertEquals("a.B.scratch(B.java:1)", byOwner.get("rows").get(0).get("b").asText());
    assertEquals(30, byOwner.get("rows").get(0).get("differenceBytes").asLong());
    assertEquals(-10, byOwner.get("otherMomentBytes").asLong());
    Run text = Run.of("diff", file(folder, "a.csv", before), file(folder, "b.csv", longer));
    assertTrue(text.out().contains("the smaller peak is at another"), text.out());
  }

  @Test
  @DisplayName("compares recordings of different kinds, without stacks by the sizes of blocks")
  void kinds() throws IOException {
    Path traces = Path.of("..", "traces");
    String rmm = traces.resolve("rmm-a.csv.gz").toString();
    Run run = Run.of("diff", traces.resolve("snapshot-a.pickle").toString(), rmm);
    assertEquals(0, run.code(), run.err());
    assertTrue(run.out().contains("\nBy owner, ") && run.out().contains("\nBy size, "), run.out());
    Run sizes = Run.of("diff", rmm, TraceFiles.STREAMS);
    assertTrue(sizes.out().contains(", most by blocks of "), sizes.out());
    sizes.out().lines().forEach(line -> assertTrue(line.length() <= 80, line));
  }

  @Test
  @DisplayName("begins with what both recordings name: owners, else tags, else sizes")
  void withoutCommonOwners() throws IOException {
    String before =
        """
        action,addr,size,stream,time_us,tag,thread,stack
        alloc,4096,1000,0,0,weights,,a.Train.weights(Train.java:1)
        alloc,8192,30,0,1,batch,,a.Train.batch(Train.java:2)
        """;
    String ported =
        before
            .replace("8192,30", "8192,70")
            .replaceAll("a\\.Train\\.(\\w+)\\(Train.java", "$1(/home/u/train.py");
    String a = file(folder, "a.csv", before);
    Run tags = Run.of("diff", a, file(folder, "b.csv", ported));
    assertTrue(tags.out().contains("40 B larger, most by batch: +40 B."), tags.out());
    assertTrue(tags.out().indexOf("\nBy tag, ") < tags.out().indexOf("\nBy owner, "), tags.out());
    String untagged = file(folder, "c.csv", ported.replaceAll("weights,|batch,", ","));
    Run sizes = Run.of("diff", a, untagged);
    assertTrue(sizes.out().contains("most by blocks of below 4 KiB: +40 B."), sizes.out());
    Run checked = Run.of("check", untagged, "--baseline", a, "--max-growth=1%");
    checked.failed(1, "--max-growth 1% is exceeded");
    assertFalse(checked.err().contains("; most by "), checked.err());
  }

  @Test
  @DisplayName("writes a page, and only over a page")
  void page() throws IOException {
    Path page = folder.resolve("page.html");
    Run run = diff(Program.DOUBLED, ExportFormat.CSV, ExportFormat.CSV, "--html", page.toString());
    assertTrue(Files.readString(page).contains("class Overlay"), run.out());
    Run.of("diff", path("sound"), path("regressed"), "--html", path("sound")).failed(2, "--html");
    Run.of("diff", path("sound"), path("regressed"), "--html", folder.toString())
        .failed(2, "--html", "is a directory");
  }

  @Test
  @DisplayName("refuses what cannot be compared in one line")
  void bad() throws IOException {
    String good = file(folder, "good.csv", TraceFiles.SMALL);
    Run.of("diff", good).failed(2, "B", "see vramkit diff --help");
    Run.of("diff", good, good, good).failed(2, good, "--help");
    Run.of("diff", good, path("none")).failed(2, "no such file");
    Run.of("diff", file(folder, "bad.csv", "x"), good).failed(2, "no known format");
    String entry = "[{\"action\":\"alloc\",\"addr\":4096,\"size\":1,\"stream\":0}]";
    String two = file(folder, "two.json", "{\"device_traces\":[" + entry + "," + entry + "]}");
    Run.of("diff", two, good).failed(2, "has 2 and", "record the same devices");
    assertEquals(0, Run.of("diff", two, two).code());
  }
}
