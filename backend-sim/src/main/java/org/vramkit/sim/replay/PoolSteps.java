package org.vramkit.sim.replay;

import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.sim.program.Step;

/** Steps that concern pools of the driver. */
final class PoolSteps {
  private PoolSteps() {}

  /** Makes the call; whether it was one of these. */
  static boolean perform(Step step, Stage stage) {
    switch (step.kind()) {
      case DEFAULT_POOL -> stage.keep(step, stage.device(step).getStreamOrderedMemory());
      case CREATE_POOL ->
          stage.keep(step, stage.device(step).getDriverPools().create(step.value()));
      case CLOSE_POOL -> stage.pool(step).close();
      case POOL_ALLOCATE ->
          stage.keep(step, stage.memoryOf(step).allocate(step.value(), stage.stream(step)));
      case POOL_FREE -> stage.memoryOf(step).free(stage.start(step), stage.stream(step));
      case TRIM_POOL -> stage.pool(step).trim(step.value());
      case SET_POOL_THRESHOLD -> stage.pool(step).setReleaseThreshold(step.value());
      case SET_POOL_REUSE ->
          stage.pool(step).setReuse(DriverPoolReuse.valueOf(step.text()), step.value() == 1);
      case SET_POOL_ACCESS ->
          stage.pool(step).setAccess(stage.other(step), step.text().equals("allowed"));
      default -> {
        return false;
      }
    }
    return true;
  }
}
