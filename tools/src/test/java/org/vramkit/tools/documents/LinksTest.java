package org.vramkit.tools.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

@DisplayName("Links between documents")
class LinksTest {
  /** Above what a reader sees without scrolling. */
  private static final int FIRST_LINES = 30;

  /** A row that ends with a link: the cell of classes, and the file. */
  private static final Pattern CHOICE =
      Pattern.compile("(?m)^\\| [^|]* \\| ([^|]*) \\| \\[[^]]*]\\(([^)#]*)[^)]*\\) \\|$");

  private static final Pattern TYPE = Pattern.compile("`@?([A-Z]\\w+)");

  @TestFactory
  @DisplayName("lead to existing files and headings")
  Stream<DynamicTest> resolve() throws IOException {
    List<Path> pages = Project.pages();
    assertTrue(pages.size() >= 10, "found only " + pages);
    return pages.stream()
        .map(
            page ->
                DynamicTest.dynamicTest(
                    Project.nameOf(page), () -> assertEquals(List.of(), broken(page))));
  }

  private static List<String> broken(Path page) throws IOException {
    List<String> broken = new ArrayList<>();
    for (String link : Page.of(page).links()) {
      if (link.matches("[a-z]+:.*")) {
        continue;
      }
      String[] parts = link.split("#", 2);
      Path target =
          parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).toAbsolutePath().normalize();
      if (!target.startsWith(Project.ROOT) || !Files.exists(target)) {
        broken.add(link + ": no such file");
      } else if (parts.length == 2 && !Page.of(target).anchors().contains(parts[1])) {
        broken.add(link + ": no such heading; there are " + Page.of(target).anchors());
      }
    }
    return broken;
  }

  @Test
  @DisplayName("of docs/README.md lead to every page of docs")
  void index() throws IOException {
    Path index = Project.ROOT.resolve("docs/README.md");
    List<String> links = Page.of(index).links().stream().map(l -> l.split("#", 2)[0]).toList();
    List<String> missing =
        Project.files(name -> name.matches("docs/[^/]+\\.md")).stream()
            .filter(page -> !page.equals(index))
            .map(page -> page.getFileName().toString())
            .filter(name -> !links.contains(name))
            .toList();
    assertEquals(List.of(), missing, "add a link to docs/README.md");
  }

  @Test
  @DisplayName("from a class that docs/choose.md suggests lead to a page that shows it")
  void chosen() throws IOException {
    Path choose = Project.ROOT.resolve("docs/choose.md");
    List<String> unseen = new ArrayList<>();
    int rows = 0;
    for (MatchResult row : CHOICE.matcher(Project.read(choose)).results().toList()) {
      rows++;
      String page = Project.read(choose.resolveSibling(row.group(2)).normalize());
      for (MatchResult type : TYPE.matcher(row.group(1)).results().toList()) {
        if (!page.contains(type.group(1))) {
          unseen.add(type.group(1) + " in " + row.group(2));
        }
      }
    }
    assertTrue(rows >= 15, "only " + rows + " rows: has the table changed?");
    assertEquals(List.of(), unseen);
  }

  @Test
  @DisplayName("The README's first lines have the claim, figures, a picture and two commands")
  void firstLines() throws IOException {
    List<String> lines =
        Files.readAllLines(Project.ROOT.resolve("README.md")).subList(0, FIRST_LINES);
    String begin = String.join("\n", lines);
    assertTrue(begin.contains("](docs/charts/"), "no picture");
    assertTrue(begin.contains("./vramkit replay "), "no command that runs");
    assertTrue(begin.contains("./mvnw "), "no command that builds");
    assertTrue(begin.contains("| gpt | "), "no figures");
  }
}
