package org.vramkit.sim.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.DriverFunction;

@DisplayName("docs/simulator.md")
class DocumentedCostsTest {
  private static final Pattern ROW =
      Pattern.compile(
          "^\\| ((?:`cu\\w+`(?:, )?)+) \\| ([0-9./ ]+) \\| ([0-9./ ]+) \\| ([0-9./ ]+) \\|$");
  private static final long[] SIZES = {2 * ByteSize.MIB, 32 * ByteSize.MIB, 256 * ByteSize.MIB};

  @Test
  @DisplayName("18.6 gives the costs of the default model, idle / busy")
  void costs() throws IOException {
    int rows = 0;
    for (String line : Files.readAllLines(Project.root().resolve(Project.PAGE))) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        rows++;
        for (String name : row.group(1).replace("`", "").split(", ", -1)) {
          for (int i = 0; i < SIZES.length; i++) {
            String[] micros = row.group(i + 2).split(" / ", -1);
            check(name, SIZES[i], false, micros[0]);
            check(name, SIZES[i], true, micros[micros.length - 1]);
          }
        }
      }
    }
    assertEquals(6, rows, "rows of the table");
  }

  private static void check(String name, long bytes, boolean busy, String micros) {
    long nanos = CostModel.H200.getNanos(DriverFunction.of(name), bytes, busy);
    double half = micros.contains(".") ? 0.05 : 0.5;
    assertEquals(
        Double.parseDouble(micros),
        nanos / 1e3,
        half,
        name + " of " + ByteSize.format(bytes) + (busy ? ", busy" : ", idle"));
  }
}
