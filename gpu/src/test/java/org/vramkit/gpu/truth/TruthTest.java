package org.vramkit.gpu.truth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The recording is a {@code truth-*.txt} of {@code gpu/run OUT truth}, compressed; {@code
 * differs.txt} lists the answers that may differ, as {@code id | reason}, where {@code id*} is all
 * answers whose ids begin so.
 */
@DisplayName("57.3 What a GPU answered, the simulator answers")
class TruthTest {
  private static final String RECORDING = "h200.txt.gz";
  private static final String DIFFERS = "differs.txt";
  private static final Path PAGE = Path.of("..", "docs", "simulator-model.md");

  @Test
  @DisplayName("57.3 line by line, but for the listed differences, each of which still exists")
  void lines() throws Exception {
    List<String> recording = recording();
    Map<String, String> recorded = byId(recording);
    Map<RandomPrograms, Integer> programs = new EnumMap<>(RandomPrograms.class);
    for (RandomPrograms each : RandomPrograms.values()) {
      programs.put(each, (int) recorded.keySet().stream().filter(each::has).count());
    }
    int all = programs.values().stream().mapToInt(Integer::intValue).sum();
    int probes = recorded.size() - all;
    assertTrue(probes >= 6400, "only " + probes + " probes");
    assertTrue(all >= 5100, "only " + all + " programs");
    List<String> found = new ArrayList<>();
    TruthSuite suite = new TruthSuite(TruthSuite::simulator, found::add);
    suite.probes();
    suite.pairs();
    for (Map.Entry<RandomPrograms, Integer> each : programs.entrySet()) {
      suite.programs(each.getKey(), each.getValue(), false);
    }
    for (int way = 0; way < LostContext.WAYS; way++) {
      suite.lost(way);
    }
    Map<String, String> simulated = byId(found);
    Map<String, String> accepted = accepted();
    assertEquals(recorded.keySet(), simulated.keySet(), "record anew after a change of the suite");
    Map<String, String> different = new TreeMap<>(recorded);
    different.values().removeAll(simulated.values());
    TreeMap<String, String> wrong = new TreeMap<>();
    different.forEach(
        (id, line) -> {
          if (accepted.keySet().stream().noneMatch(each -> accepts(each, id))) {
            wrong.put(id, "\n  GPU       " + line + "\n  simulator " + simulated.get(id));
          }
        });
    accepted.keySet().stream()
        .filter(each -> different.keySet().stream().noneMatch(id -> accepts(each, id)))
        .forEach(each -> wrong.put(each, "is equal now: take it out of " + DIFFERS));
    Score score = new Score();
    String topic = "";
    for (String line : recording) {
      if (line.startsWith("# ")) {
        topic = line.substring(2);
      } else {
        score.add(topic, verdict(idOf(line), different, accepted));
      }
    }
    String table = String.join("\n", score.table());
    System.out.println(table);
    assertEquals("{}", wrong.toString(), "make the simulator answer as the GPU");
    assertTrue(
        Files.readString(PAGE).contains(table), "write this table into " + PAGE + ":\n" + table);
  }

  private static Score.Verdict verdict(
      String id, Map<String, String> different, Map<String, String> accepted) {
    if (!different.containsKey(id)) {
      return Score.Verdict.EQUAL;
    }
    return accepted.entrySet().stream()
        .filter(each -> accepts(each.getKey(), id))
        .map(
            each ->
                each.getValue().startsWith("not explained")
                    ? Score.Verdict.NOT_EXPLAINED
                    : Score.Verdict.ON_PURPOSE)
        .findFirst()
        .orElse(Score.Verdict.NOT_LISTED);
  }

  @Test
  @DisplayName("57.3 the programs answer the same in each run")
  void repeatable() throws Exception {
    List<String> once = new ArrayList<>();
    List<String> twice = new ArrayList<>();
    for (RandomPrograms each : RandomPrograms.values()) {
      new TruthSuite(TruthSuite::simulator, once::add).programs(each, 30, true);
      new TruthSuite(TruthSuite::simulator, twice::add).programs(each, 30, true);
    }
    assertEquals(once, twice);
    int least = 30 * RandomPrograms.values().length * Program.CALLS;
    assertTrue(once.size() > least, "only " + once.size() + " answers");
  }

  @Test
  @DisplayName("57.3 the probes of two devices all come to their end, and have ids of their own")
  void pairs() throws Exception {
    List<String> lines = new ArrayList<>();
    new TruthSuite(TruthSuite::simulator, lines::add).pairs();
    Map<String, String> found = byId(lines);
    assertTrue(found.size() >= 2800, "only " + found.size() + " probes");
    assertEquals(List.of(), lines.stream().filter(each -> each.contains("ends early")).toList());
    found.keySet().removeIf(id -> id.startsWith("2"));
    assertEquals(Map.of(), found, "ids of probes of one device");
  }

  @Test
  @DisplayName("57.3 where a backend has one device, the output says that their probes are skipped")
  void oneDevice() throws Exception {
    List<String> found = new ArrayList<>();
    new TruthSuite(devices -> TruthSuite.simulator(1), found::add).pairs();
    assertEquals(9, found.stream().filter(each -> each.contains("skipped: ")).count());
    assertEquals(Map.of(), byId(found), "answers");
  }

  /** Returns whether a line of the list, for one id or for all with a beginning, is for an id. */
  private static boolean accepts(String listed, String id) {
    return listed.endsWith("*")
        ? id.startsWith(listed.substring(0, listed.length() - 1))
        : id.equals(listed);
  }

  private static String idOf(String line) {
    return line.substring(0, line.indexOf(" | "));
  }

  private static Map<String, String> byId(List<String> lines) {
    Map<String, String> byId = new LinkedHashMap<>();
    for (String line : lines) {
      if (!line.startsWith("#")) {
        String before = byId.put(idOf(line), line);
        assertEquals(null, before, "two lines with one id");
      }
    }
    return byId;
  }

  private static Map<String, String> accepted() throws IOException {
    Map<String, String> accepted = new LinkedHashMap<>();
    for (String line : lines(stream(DIFFERS))) {
      if (!line.startsWith("#")) {
        String[] part = line.split(" \\| ", -1);
        assertTrue(part.length == 2 && part[1].length() > 20, "a reason is missing: " + line);
        accepted.put(part[0], part[1]);
      }
    }
    return accepted;
  }

  private static List<String> recording() throws IOException {
    try (InputStream packed = stream(RECORDING);
        InputStream lines = new GZIPInputStream(packed)) {
      return lines(lines);
    }
  }

  private static InputStream stream(String name) {
    return Objects.requireNonNull(TruthTest.class.getResourceAsStream(name), name);
  }

  private static List<String> lines(InputStream from) throws IOException {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    }
  }
}
