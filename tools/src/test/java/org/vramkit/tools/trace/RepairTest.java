package org.vramkit.tools.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RepairTest {
  @Test
  @DisplayName("42.3 Every repair is explained in docs/traces.md")
  void explained() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "traces.md"));
    assertEquals(
        List.of(),
        Arrays.stream(Repair.values())
            .map(Repair::getKey)
            .filter(key -> !page.contains("`" + key + "`"))
            .toList());
  }
}
