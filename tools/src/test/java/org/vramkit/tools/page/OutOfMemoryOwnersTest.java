package org.vramkit.tools.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.openqa.selenium.WebElement;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.device.Device;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.LeakDetection;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.tools.Run;

@DisplayName("42.1 The owners in the message of an out of memory")
class OutOfMemoryOwnersTest {
  private static final String PROPERTY = "vramkit.snapshot-on-out-of-memory";

  /** A row of the largest blocks: address, size, age, stream, and the tag with the owner. */
  private static final Pattern BLOCK =
      Pattern.compile("0x\\w+ ([\\d.]+ \\w+) .* (OutOfMemoryOwnersTest\\.\\w+ \\(.*\\))");

  @TempDir private Path folder = Path.of("");

  @BeforeEach
  void writeSnapshots() {
    System.setProperty(PROPERTY, folder.toString());
  }

  @AfterEach
  void writeNoSnapshots() {
    System.clearProperty(PROPERTY);
  }

  private static Allocation weights(CachingAllocator allocator, int scale) {
    return allocator.tagged("weights").allocate(8L * scale * ByteSize.MIB + 100);
  }

  private static Allocation batch(CachingAllocator allocator, int scale) {
    return allocator.allocate(3L * scale * ByteSize.MIB);
  }

  private static Allocation bias(CachingAllocator allocator, int scale) {
    return allocator.allocate(1000L * scale);
  }

  /** Has the stacks of allocations. */
  private enum Witness {
    HISTORY,
    LEAK_DETECTION
  }

  private static AllocatorOutOfMemoryException refusal(int scale) {
    return refusal(scale, Witness.HISTORY);
  }

  /** Runs out of memory with owners of these sizes, and writes a snapshot. */
  private static AllocatorOutOfMemoryException refusal(int scale, Witness witness) {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        CachingAllocator allocator = allocator(backend.getDevice(0), witness)) {
      List<Allocation> held = new ArrayList<>();
      held.add(weights(allocator, scale));
      batch(allocator, 1).close();
      for (int i = 0; i < 2; i++) {
        held.add(batch(allocator, scale));
        held.add(bias(allocator, scale));
      }
      AllocatorOutOfMemoryException error =
          assertThrows(
              AllocatorOutOfMemoryException.class, () -> allocator.allocate(63 * ByteSize.MIB));
      held.forEach(Allocation::close);
      assertEquals(0, allocator.getStatistics().getLiveBytes());
      return error;
    }
  }

  private static CachingAllocator allocator(Device device, Witness witness) {
    CachingAllocatorBuilder builder = CachingAllocator.builder(device).limit(64 * ByteSize.MIB);
    return switch (witness) {
      case HISTORY -> builder.history(ByteSize.MIB).historyStacks(true).build();
      case LEAK_DETECTION -> builder.leakDetection(LeakDetection.ALL).build();
    };
  }

  private static Path snapshot(AllocatorOutOfMemoryException error) {
    String message = String.valueOf(error.getMessage());
    String begin = "; snapshot: ";
    return Path.of(message.substring(message.indexOf(begin) + begin.length()));
  }

  private static Map<String, Long> owners(AllocatorOutOfMemoryException error) {
    return new TreeMap<>(error.getReport().requestedByOwner());
  }

  @Test
  @DisplayName("are lines of the program, the largest first, with the bytes that they requested")
  void message() {
    AllocatorOutOfMemoryException error = refusal(1);
    assertEquals(
        Map.of("weights", 8 * ByteSize.MIB + 100, "batch", 6 * ByteSize.MIB, "bias", 2000L),
        owners(error).entrySet().stream()
            .collect(
                Collectors.toMap(
                    each -> each.getKey().replaceFirst(".*Test\\.(\\w+)\\(.*", "$1"),
                    Map.Entry::getValue)));
    String place = "\\(OutOfMemoryOwnersTest\\.java:\\d+\\)";
    String type = "org\\.vramkit\\.tools\\.page\\.OutOfMemoryOwnersTest\\.";
    String expected =
        "; owners: %1$sweights%2$s 8.00 MiB, %1$sbatch%2$s 6.00 MiB, %1$sbias%2$s 1.95 KiB; to do:"
            + " ";
    String message = String.valueOf(error.getMessage());
    assertTrue(
        message.matches(".*" + expected.formatted(type, place).replace(".00", "\\.00") + ".*"),
        message);
  }

  @ParameterizedTest
  @EnumSource(Witness.class)
  @DisplayName("differ between two errors by what diff says of their snapshots")
  void diff(Witness witness) throws IOException {
    AllocatorOutOfMemoryException before = refusal(1, witness);
    AllocatorOutOfMemoryException after = refusal(2, witness);
    assertTrue(owners(after).size() > 2, owners(after)::toString);
    Run run = Run.of("diff", snapshot(before).toString(), snapshot(after).toString(), "--json");
    assertEquals(0, run.code(), run.err());
    Map<String, Long> expected = owners(after);
    owners(before).forEach((owner, bytes) -> expected.merge(owner, -bytes, Long::sum));
    Map<String, Long> differences = new TreeMap<>();
    JsonNode byOwner = run.json().get("pairs").get(0).get("differences").get(0);
    assertEquals("owner", byOwner.get("by").asText());
    byOwner
        .get("rows")
        .forEach(
            row -> differences.put(row.get("b").asText(), row.get("differenceBytes").asLong()));
    assertEquals(expected, differences);
  }

  @Test
  @DisplayName("begin with the one that check names for a broken rule")
  void check() {
    AllocatorOutOfMemoryException error = refusal(1);
    Run run = Run.of("check", snapshot(error).toString(), "--max-peak=1MiB");
    assertEquals(1, run.code(), run.err());
    String first = run.err().strip().replaceFirst(".*; most by (.*): (.*)", "$1 $2");
    String message = String.valueOf(error.getMessage());
    assertTrue(message.contains("; owners: " + first + ", "), () -> message + "\n" + first);
  }

  @Test
  @DisplayName("have the names and the bytes of the blocks that view shows")
  void view() throws IOException {
    AllocatorOutOfMemoryException error = refusal(1);
    Path page = folder.resolve("page.html");
    Run run = Run.of("view", snapshot(error).toString(), "--output", page.toString());
    assertEquals(0, run.code(), run.err());
    Map<String, Long> shown = new TreeMap<>();
    try (Browser browser = Browser.open(page)) {
      browser.press("largest blocks");
      for (WebElement row : browser.all(".scroll tbody tr")) {
        Matcher block = BLOCK.matcher(row.getText());
        assertTrue(block.matches(), row.getText());
        shown.merge(block.group(2), ByteSize.parse(block.group(1).replace(".00", "")), Long::sum);
      }
      browser.hasNoErrors();
    }
    assertEquals(formatted(owners(error)), formatted(shown));
  }

  /** Returns the owners as the page writes them, with sizes as it rounds them. */
  private static Map<String, String> formatted(Map<String, Long> owners) {
    return owners.entrySet().stream()
        .collect(
            Collectors.toMap(
                each -> each.getKey().replaceFirst("^[a-z.]+\\.(?=[A-Z])", "").replace(" (", "("),
                each -> ByteSize.format(each.getValue())));
  }
}
