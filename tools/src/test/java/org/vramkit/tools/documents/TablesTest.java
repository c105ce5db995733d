package org.vramkit.tools.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

@DisplayName("Tables of documents")
class TablesTest {
  @TestFactory
  @DisplayName("have as many cells in each row as in their header")
  Stream<DynamicTest> rows() throws IOException {
    return Project.pages().stream()
        .map(
            page ->
                DynamicTest.dynamicTest(
                    Project.nameOf(page), () -> assertEquals(List.of(), uneven(page))));
  }

  private static List<String> uneven(Path page) throws IOException {
    List<String> uneven = new ArrayList<>();
    int header = 0;
    boolean isCode = false;
    for (String line : Files.readAllLines(page)) {
      isCode ^= line.startsWith("```");
      if (isCode || !line.startsWith("|")) {
        header = 0;
        continue;
      }
      int bars = bars(line);
      header = header == 0 ? bars : header;
      if (bars != header) {
        uneven.add(line);
      }
    }
    return uneven;
  }

  /** Counts the bars that separate cells: neither escaped nor within code. */
  private static int bars(String line) {
    return (int)
        line.replaceAll("`[^`]*`", "").replace("\\|", "").chars().filter(c -> c == '|').count();
  }
}
