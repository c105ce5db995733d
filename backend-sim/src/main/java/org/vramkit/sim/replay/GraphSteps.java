package org.vramkit.sim.replay;

import org.vramkit.sim.program.Step;

/** Steps that capture work and launch it. */
final class GraphSteps {
  private GraphSteps() {}

  /** Makes the call; whether it was one of these. */
  static boolean perform(Step step, Stage stage) {
    switch (step.kind()) {
      case BEGIN_CAPTURE -> stage.device(step).getGraphs().beginCapture(stage.stream(step));
      case END_CAPTURE ->
          stage.keep(step, stage.device(step).getGraphs().endCapture(stage.stream(step)));
      case LAUNCH_GRAPH -> stage.graph(step).launch(stage.stream(step));
      case CLOSE_GRAPH -> stage.graph(step).close();
      case RELAX_CAPTURE -> stage.keep(step, stage.device(step).getGraphs().relax());
      case END_RELAXATION -> stage.relaxation(step).close();
      default -> {
        return false;
      }
    }
    return true;
  }
}
