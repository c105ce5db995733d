package org.vramkit.sim.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("A file that holds no program that can be run is refused")
class BadFilesTest {
  @TempDir private Path folder = Path.of("");
  private String good = "";

  @BeforeEach
  void store() throws IOException {
    try (SimBackend gpu =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .seed(1)
            .schedule(Schedule.timed())
            .recorder(new ProgramRecorder())
            .build()) {
      SimDevice device = gpu.getDevice(0);
      SimStream stream = device.createStream(StreamKind.BLOCKING);
      long memory = device.getMemory().allocate(4096);
      stream.fill(memory, (byte) 9, 4096);
      try (PinnedBuffer buffer = device.getPinnedMemory().allocate(64)) {
        stream.copyToHost(buffer, 0, memory, 64);
        stream.synchronize();
      }
      device.getMemory().free(memory);
      Path file = folder.resolve("good.json");
      Program.of(gpu).store(file);
      good = Files.readString(file);
    }
  }

  private String refusal(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("bad.json"), text);
    String message =
        String.valueOf(
            assertThrows(InvalidArgumentException.class, () -> Program.load(file)).getMessage());
    assertTrue(message.startsWith(file.toString()), message);
    assertEquals(1, message.lines().count(), message);
    assertTrue(!message.contains("Source:"), message);
    return message;
  }

  @ParameterizedTest(name = "{0} becomes {1}: {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "'[ 2, 0, 4096 ]' | '[ 2, 0, -1 ]'       | ranges of 0 to 9223372036854775807 bytes, not -1",
        "'[ 2, 0, 4096 ]' | '[ 77, 0, 4096 ]'    | 'operands that earlier steps made, not #77'",
        "'[ 2, 0, 4096 ]' | '[ 1, 0, 4096 ]'     | 'ranges in memory, not in #1'",
        "'[ 3, 0, 64 ]'   | '[ 2, 0, 64 ]'       | a range in a pinned buffer",
        "'[ 2, 0, 4096 ]' | '[ 2, 0 ]'           | must hold triples",
        "'[ 2, 0, 4096 ]' | ''                   | a range to write",
        "'\"fill\"'       | '\"flood\"'          | no step is called 'flood'",
        "'\"BLOCKING\"'   | '\"SOME\"'           | 'one of [BLOCKING, NON_BLOCKING]'",
        "': 9'            | ': 900'              | a byte from -128 to 127",
        "': 9'            | ': 1.5'              | must be a whole number",
        "': 9'            | ': null'             | must be a whole number",
        "': 9'            | ': 99999999999999999999' | 'must be a whole number from -9223372036854775808 to 9223372036854775807, not 9'",
        "'\"number\" : 3' | '\"number\" : 0'     | a number above 0",
        "'\"seed\" : 1'   | '\"seed\" : \"one\"' | must be a whole number",
        "'\"seed\" : 1'   | '\"seed\" : 1, \"seed\" : 2' | Duplicate",
        "'\"timed\"'      | '\"timed:\"'         | no schedule 'timed:'",
        "'\"version\" : 3' | '\"version\" : 4'   | version 4 is not supported; this release reads version 3",
        "'\"number\" : 3' | '\"number\" : {}'    | 'steps[2].number: must be a whole number, not an object'",
        "'\"timed\"'      | null                 | 'schedule: must be a text, not null'",
        "'[ 2, 0, 4096 ]' | null                 | 'steps[2].writes[0]: must be a list, not null'",
        "'[ 2, 0, 4096 ]' | '[ 2, null, 4096 ]'  | 'steps[2].writes[0][1]: must be a whole number, not null'",
        "'\"maxReports\"'  | '\"maxReprots\"'    | 'checker: the checker has no option ''maxReprots''; it has [enabled, '",
        "'\"PEER_ACCESS\"' | '\"MIND_READING\"'  | no capability is called 'MIND_READING'"
      })
  @DisplayName("by one line that tells what is wrong, and the line")
  void spoilt(String wanted, String instead, String told) throws IOException {
    assertTrue(good.contains(wanted), good);
    String message = refusal(good.replaceFirst(Pattern.quote(wanted), instead));
    assertTrue(message.contains(told), message);
    assertTrue(message.matches(".*: line [1-9].*"), message);
  }

  /** Every object of a program with one of its fields, and every list with one of its elements. */
  private static void forEachField(JsonNode node, BiConsumer<JsonNode, String> each) {
    if (node.isObject()) {
      List<String> names = new ArrayList<>();
      node.fieldNames().forEachRemaining(names::add);
      for (String name : names) {
        each.accept(node, name);
        forEachField(node.path(name), each);
      }
    }
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      each.accept(node, Integer.toString(i));
      forEachField(node.path(i), each);
    }
  }

  private static void set(JsonNode holder, String name, JsonNode value) {
    if (holder instanceof ArrayNode list) {
      list.set(Integer.parseInt(name), value);
    } else {
      ((ObjectNode) holder).set(name, value);
    }
  }

  @Test
  @DisplayName(
      "17.24 any field that is null, missing or of another kind is reported with its place")
  void everyField() throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    JsonNode root = mapper.readTree(good);
    List<String> told = new ArrayList<>();
    forEachField(
        root,
        (holder, name) -> {
          JsonNode old = holder.isArray() ? holder.get(Integer.parseInt(name)) : holder.get(name);
          for (JsonNode wrong :
              List.of(NullNode.instance, mapper.createObjectNode(), mapper.createArrayNode())) {
            set(holder, name, wrong);
            told.addAll(refused(root));
          }
          set(holder, name, old);
          if (holder instanceof ObjectNode object) {
            object.remove(name);
            told.addAll(refused(root));
            object.set(name, old);
          }
        });
    assertTrue(told.size() > 300, told.size() + " refusals");
    assertTrue(
        told.stream().anyMatch(line -> line.contains("threads[0]: must be an object")),
        () -> "" + told);
    assertTrue(
        told.stream().anyMatch(line -> line.contains("devices[0].name: is missing")),
        () -> "" + told);
    for (String line : told) {
      assertTrue(!line.matches(".*(`|Cannot|instance|[Ee]xception|property|Null).*"), line);
    }
  }

  /** What is told of a program, if it is refused. */
  private List<String> refused(JsonNode program) {
    try {
      Program.load(Files.writeString(folder.resolve("bad.json"), program.toPrettyString()));
      return List.of();
    } catch (InvalidArgumentException e) {
      return List.of(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName("when it is empty, ends too early, or goes on behind its end")
  void ends() throws IOException {
    assertTrue(refusal("").contains("an empty file"), refusal(""));
    String half = refusal(good.substring(0, good.length() / 2));
    assertTrue(half.contains("line") && half.contains("nd-of-input"), half);
    String more = refusal(good + "\n{}");
    assertTrue(more.contains("nothing may follow the program"), more);
    assertTrue(refusal("hello").contains("line 1, column"), refusal("hello"));
    assertTrue(refusal("[1]").contains("found '['"), refusal("[1]"));
  }

  @Test
  @DisplayName("by its beginning, so one without an end is refused too")
  void endless() throws IOException {
    assumeTrue(Files.isReadable(Path.of("/dev/zero")), "a file of Unix");
    assertThrows(InvalidArgumentException.class, () -> Program.load(Path.of("/dev/zero")));
    assertTrue(refusal("[" + " ".repeat(10_000) + "]").contains("is a JSON object; found '['"));
    Path later = Files.writeString(folder.resolve("later.json"), " ".repeat(10_000) + good);
    assertEquals(Program.load(folder.resolve("good.json")), Program.load(later));
  }

  @Test
  @DisplayName("a failed call with too little information is skipped when the program runs")
  void failedCalls() {
    try (SimBackend other = SimBackend.builder().build();
        SimBackend gpu = SimBackend.builder().recorder(new ProgramRecorder()).build()) {
      SimDevice device = gpu.getDevice(0);
      SimStream stream = device.createStream();
      PinnedBuffer ours = device.getPinnedMemory().allocate(64);
      assertThrows(InvalidArgumentException.class, () -> ours.getBytes(1 << 20, 4));
      assertThrows(
          InvalidArgumentException.class, () -> stream.copyToDevice(0x1000, ours, 1 << 20, 8));
      PinnedBuffer foreign = other.getDevice(0).getPinnedMemory().allocate(64);
      assertThrows(InvalidArgumentException.class, () -> stream.copyToHost(foreign, 65, 0, 8));
      Path file = folder.resolve("failed.json");
      Program.of(gpu).store(file);
      assertEquals(2, ProgramRunner.run(Program.load(file)).skipped());
    }
  }
}
