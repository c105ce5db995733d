package org.vramkit.ptx.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.ptx.report.CodeLine;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.report.Finding;

@DisplayName("Planted bugs")
class BugsTest {
  private static final Pattern KERNEL = Pattern.compile("KERNEL\\((\\w+)\\) \\{");
  private static final Pattern BUG = Pattern.compile("// BUG (\\w+)");

  /** A bug: its kind, and the lines of which a finding must name one. */
  record Bug(String file, String kernel, String kind, List<Integer> lines) {
    List<Finding> findings(String twin) {
      return new KernelCase(file, kernel, new Dim3(2, 1, 1), new Dim3(64, 1, 1), 256, 128, 128, 128)
          .run(twin, true, 0)
          .result()
          .findings();
    }

    @Override
    public String toString() {
      return kernel;
    }
  }

  static List<Bug> bugs() {
    return Stream.of("bugs", "newerbugs").flatMap(file -> bugs(file).stream()).toList();
  }

  private static List<Bug> bugs(String file) {
    Map<String, Bug> bugs = new LinkedHashMap<>();
    String kernel = "";
    int line = 0;
    for (String text : KernelCase.text(file + ".cu").split("\n", -1)) {
      line++;
      Matcher head = KERNEL.matcher(text);
      kernel = head.find() ? head.group(1) : kernel;
      Matcher bug = BUG.matcher(text);
      if (bug.find() && !kernel.isEmpty()) {
        bugs.computeIfAbsent(kernel, name -> new Bug(file, name, bug.group(1), new ArrayList<>()))
            .lines
            .add(line);
      }
    }
    return List.copyOf(bugs.values());
  }

  @Test
  @DisplayName("are at least 30, of five kinds")
  void many() {
    assertTrue(bugs().size() >= 30, "only " + bugs().size());
    assertTrue(bugs().stream().map(Bug::kind).distinct().count() >= 5);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bugs")
  @DisplayName("are found with their kind and line")
  void found(Bug bug) {
    List<Finding> findings = bug.findings("bad");
    assertTrue(
        findings.stream().anyMatch(each -> names(each, bug)),
        bug + " " + bug.lines + ": " + findings);
  }

  private static boolean names(Finding finding, Bug bug) {
    return finding.kind().name().equals(bug.kind)
        && (isAt(finding.line(), bug) || isAt(finding.otherLine(), bug));
  }

  private static boolean isAt(CodeLine line, Bug bug) {
    return line != null && bug.lines.contains(line.sourceLine());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bugs")
  @DisplayName("have correct twins, in which nothing is found")
  void twins(Bug bug) {
    assertEquals(List.of(), bug.findings("good"));
  }
}
