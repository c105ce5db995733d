package org.vramkit.sim.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

/** Every code has its section in docs/simulator.md, and what stands there is true. */
@DisplayName("docs/simulator.md")
class DocumentedHazardsTest {
  @ParameterizedTest
  @EnumSource(HazardCode.class)
  @DisplayName("has a section with an anchor for every code: meaning, example, report, fix")
  void section(HazardCode code) throws IOException {
    PageSection section = PageSection.of(code.name());
    String meaning = section.getMeaning();
    assertFalse(meaning.isBlank(), "no meaning in the section of " + code);
    assertTrue(section.getText().contains("\nFix: "), "no line 'Fix: ' in the section of " + code);
    assertEquals("docs/simulator.md#" + section.getAnchor(), code.getLink());
  }

  @ParameterizedTest
  @EnumSource(HazardCode.class)
  @DisplayName("quotes an example that gives this report and no other, and the report as it is")
  void example(HazardCode code) throws Exception {
    assertNotNull(Examples.byCode().get(code), () -> "no example gives " + code + "; see Examples");
    List<HazardReport> reports = Stage.run(code);
    assertEquals(
        List.of(code), reports.stream().map(HazardReport::code).toList(), reports::toString);
    String source = ExampleSource.of(code);
    String report = Stage.abridged(reports.get(0));
    PageSection section = PageSection.of(code.name());
    section.update(source, report);
    PageSection written = PageSection.of(code.name());
    assertEquals(source, written.getBlock("java"), "quote the example as it is, or write anew");
    assertEquals(report, written.getBlock("text"), "print the report as it is, or write anew");
  }
}
