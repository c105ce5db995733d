package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.tools.TraceFiles.file;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.units.ByteSize;

/** What {@code tune} and {@code partition} advise, followed to the letter. */
class TuneAdviceTest {
  private static final int EFFORT = Integer.getInteger("vramkit.effort", 1);
  private static final String MEMORY = "8GiB";
  private static final Pattern CHANGE =
      Pattern.compile("Recommended (.*?): reserved (.*?), driver ms .* against the defaults");

  @TempDir private Path folder = Path.of("");

  /** Allocations and frees of up to some GiB, as figures are rounded most there. */
  private static String trace(Random random) {
    StringBuilder rows = new StringBuilder("action,addr,size,stream,time_us\n");
    List<Long> live = new ArrayList<>();
    long[] sizes = new long[60];
    int most = 1 + random.nextInt(400);
    for (int i = 0, time = 0; i < sizes.length; time += 1 + random.nextInt(3000)) {
      if (live.isEmpty() || random.nextInt(5) < 3) {
        sizes[i] = 1 + (long) (random.nextDouble() * most * ByteSize.MIB);
        row(rows, "alloc", i, sizes[i], time);
        live.add((long) i++);
      } else {
        int freed = Math.toIntExact(live.remove(random.nextInt(live.size())));
        row(rows, "free_completed", freed, sizes[freed], time);
      }
      while (live.size() > 12) {
        int freed = Math.toIntExact(live.remove(random.nextInt(live.size())));
        row(rows, "free_completed", freed, sizes[freed], time);
      }
    }
    return rows.toString();
  }

  private static void row(StringBuilder rows, String action, int number, long size, int time) {
    rows.append(action).append(',').append((number + 1L) << 40).append(',').append(size);
    rows.append(",").append(number % 2).append(',').append(time).append('\n');
  }

  @Test
  @DisplayName("42.12 the printed sufficient memory suffices, and the recommendation saves memory")
  void followed() throws IOException {
    int cases = 0;
    int changes = 0;
    for (long seed = Long.getLong("vramkit.seed", 0); cases < 20 * EFFORT; seed++) {
      String name = "seed " + seed;
      String file = file(folder, "t" + seed + ".csv", trace(new Random(seed)));
      Run run =
          Run.of(
              "tune",
              "--device-memory",
              MEMORY,
              "--try",
              "move-time=0.005",
              "--try",
              "thread-cache=4MiB",
              "--try",
              "rounding-divisions=8",
              file);
      assertEquals(0, run.code(), name + run.err());
      String[] sections = run.out().split("\n\n", -1);
      for (Map.Entry<String, String> row : sufficient(sections[1]).entrySet()) {
        Run again = replay(file, row.getValue(), row.getKey());
        assertEquals(0, again.code(), name + ": " + row + "\n" + run.out() + again.err());
        cases++;
      }
      for (String section : sections) {
        Matcher recommended = CHANGE.matcher(section.replaceAll("\\s+", " "));
        if (recommended.lookingAt()) {
          saves(name, file, recommended.group(1), recommended.group(2));
          changes++;
          cases++;
        }
      }
    }
    assertTrue(changes > 0, "no recommendation in " + cases + " cases");
  }

  /** The memory that suffices, by the label of a row, which may go on in further lines. */
  private static Map<String, String> sufficient(String table) {
    Map<String, String> sufficient = new LinkedHashMap<>();
    String label = "";
    String memory = "";
    for (String line : table.lines().skip(2).toList()) {
      String[] cells = line.split(" {2,}", -1);
      boolean goesOn = cells.length == 1;
      if (goesOn) {
        sufficient.remove(label);
      }
      label = goesOn ? label + " " + line : cells[0];
      memory = goesOn ? memory : cells[cells.length - 1];
      if (memory.matches("[0-9.]+(.i)?B")) {
        sufficient.put(label, memory);
      }
    }
    return sufficient;
  }

  private static void saves(String name, String file, String label, String told)
      throws IOException {
    long own = reserved(replay(file, MEMORY, label));
    long other = reserved(replay(file, MEMORY, "defaults"));
    double change = 100.0 * (own - other) / other;
    if (told.equals("same")) {
      assertTrue(Math.abs(change) < 0.11, name + ": " + label + " " + change);
    } else {
      assertEquals(String.format(Locale.ROOT, "%+.2f %%", change), told, name + ": " + label);
    }
  }

  private static long reserved(Run run) throws IOException {
    JsonNode trace = run.json().get("traces").get(0);
    return trace.get("reservedPeakBytes").asLong();
  }

  /** Replays through what a label of a table names. */
  private static Run replay(String file, String memory, String label) {
    List<String> arguments =
        new ArrayList<>(List.of("replay", "--json", "--checker", "off", "--device-memory", memory));
    if (label.contains("=")) {
      Arrays.stream(label.split(" ", -1))
          .forEach(option -> arguments.addAll(List.of("--option", option)));
    } else if (!label.equals("defaults")) {
      arguments.addAll(List.of("--allocator", label));
    }
    arguments.add(file);
    return Run.of(arguments.toArray(new String[0]));
  }

  @Test
  @DisplayName("42.12 if all combinations run out of memory, the suggested memory suffices")
  void largerDevice() throws IOException {
    for (long seed = 0; seed < 5L * EFFORT; seed++) {
      String file = file(folder, "l" + seed + ".csv", trace(new Random(seed)));
      Run run = Run.of("tune", "--device-memory", "2MiB", "--try", "move-time=0", file);
      assertEquals(1, run.code(), "seed " + seed);
      Matcher named = Pattern.compile("--device-memory ([0-9.]+.?i?B)").matcher(run.err());
      assertTrue(named.find(), run.err());
      Run again = replay(file, named.group(1), "defaults");
      assertEquals(0, again.code(), "seed " + seed + ": " + run.err() + again.err());
    }
  }

  @Test
  @DisplayName("42.12 units of the size that partition names fit")
  void smallerUnits() {
    Random random = new Random(12);
    for (int i = 0; i < 60 * EFFORT; i++) {
      long memory = 1 + (long) (random.nextDouble() * (random.nextBoolean() ? 1L << 22 : 1L << 36));
      String devices = "1@" + memory;
      Run run = divide(devices, memory + " B");
      assertEquals(2, run.code(), () -> devices + run.err());
      Matcher named = Pattern.compile("units of at most ([0-9.]+(?:.i)?B)").matcher(run.err());
      if (memory > 1) {
        assertTrue(named.find(), run.err());
        assertEquals(0, divide(devices, named.group(1)).code(), run.err());
      }
    }
  }

  private static Run divide(String devices, String unit) {
    return Run.of("partition", "--units", "3", "--devices", devices, "--bytes-per-unit", unit);
  }
}
