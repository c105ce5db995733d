package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.replay.Program;
import org.vramkit.sim.replay.ProgramRunner;

/** Runs what a scene recorded once more. */
final class Replays {
  private Replays() {}

  /** The recorded program gives the same reports. */
  static void expectSame(Scene scene) {
    List<HazardReport> again = ProgramRunner.run(Program.of(scene.backend)).hazards();
    assertEquals(codes(scene.backend.getHazards()), codes(again), again::toString);
  }

  private static List<HazardCode> codes(List<HazardReport> reports) {
    return reports.stream().map(HazardReport::code).toList();
  }
}
