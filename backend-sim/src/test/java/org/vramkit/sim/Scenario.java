package org.vramkit.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.LeakKind;

/**
 * One scenario: a program that must give just these reports under every schedule, and its twins,
 * correct programs as near to it as possible, that must give none.
 *
 * @param number its number in the list of hazards, or what it adds to that list
 * @param title what is wrong
 * @param expected the names of hazards, then of warnings, in the order of their discovery; or of
 *     leaks, where these are what it is about
 * @param verdict runs the program and tells what it gave
 * @param settings of the backend, besides the schedule
 * @param twins the correct programs
 */
record Scenario(
    String number,
    String title,
    List<String> expected,
    Function<Scene, List<String>> verdict,
    UnaryOperator<SimBackend.Builder> settings,
    List<Twin> twins) {

  /**
   * A correct program.
   *
   * @param title what makes it correct
   * @param verdict runs it and tells what it gave
   */
  record Twin(String title, Function<Scene, List<String>> verdict) {
    @Override
    public String toString() {
      return title;
    }
  }

  /** A scenario about hazards. */
  static Scenario of(String number, String title, Consumer<Scene> program, HazardCode... expected) {
    return new Scenario(
        number,
        title,
        Arrays.stream(expected).map(HazardCode::name).toList(),
        scene -> hazardsAfter(scene, program),
        UnaryOperator.identity(),
        List.of());
  }

  /** A scenario about what is left behind. */
  static Scenario leaving(
      String number, String title, Consumer<Scene> program, LeakKind... expected) {
    return new Scenario(
        number,
        title,
        Arrays.stream(expected).map(LeakKind::name).toList(),
        scene -> leaksAfter(scene, program),
        UnaryOperator.identity(),
        List.of());
  }

  /** Whether it is about what is left behind, not about hazards. */
  boolean isAboutLeaks() {
    return Arrays.stream(LeakKind.values()).map(LeakKind::name).anyMatch(expected::contains);
  }

  /** The same with other settings of the backend, for the twins too. */
  Scenario with(UnaryOperator<SimBackend.Builder> other) {
    return new Scenario(number, title, expected, verdict, other, twins);
  }

  /** The same with one more twin. */
  Scenario twin(String twin, Consumer<Scene> program) {
    return twinJudging(new Twin(twin, scene -> hazardsAfter(scene, program)));
  }

  /** The same with one more twin, which must leave nothing behind. */
  Scenario twinLeavingNothing(String twin, Consumer<Scene> program) {
    return twinJudging(new Twin(twin, scene -> leaksAfter(scene, program)));
  }

  private Scenario twinJudging(Twin twin) {
    List<Twin> more = new ArrayList<>(twins);
    more.add(twin);
    return new Scenario(number, title, expected, verdict, settings, List.copyOf(more));
  }

  private static List<String> hazardsAfter(Scene scene, Consumer<Scene> program) {
    program.accept(scene);
    return Stream.concat(scene.backend.getHazards().stream(), scene.backend.getWarnings().stream())
        .map(report -> report.code().name())
        .toList();
  }

  private static List<String> leaksAfter(Scene scene, Consumer<Scene> program) {
    scene.end();
    program.accept(scene);
    return scene.backend.getLeaks().stream().map(leak -> leak.kind().name()).toList();
  }

  @Override
  public String toString() {
    return number + " " + title;
  }
}
