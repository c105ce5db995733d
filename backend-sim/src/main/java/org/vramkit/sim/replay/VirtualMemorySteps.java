package org.vramkit.sim.replay;

import org.vramkit.api.device.VirtualMemory;
import org.vramkit.sim.program.Step;

/** Steps that concern addresses and physical memory apart. */
final class VirtualMemorySteps {
  private VirtualMemorySteps() {}

  /** Makes the call; whether it was one of these. */
  static boolean perform(Step step, Stage stage) {
    switch (step.kind()) {
      case RESERVE -> stage.keep(step, memory(step, stage).reserve(step.value()));
      case UNRESERVE -> memory(step, stage).unreserve(stage.start(step), bytes(step));
      case CREATE_PHYSICAL -> stage.keep(step, memory(step, stage).create(step.value()));
      case RELEASE_PHYSICAL -> memory(step, stage).release(stage.physical(step));
      case MAP -> memory(step, stage).map(stage.start(step), bytes(step), stage.physical(step));
      case SET_ACCESS ->
          memory(step, stage).setAccess(stage.start(step), bytes(step), stage.other(step));
      case UNMAP -> memory(step, stage).unmap(stage.start(step), bytes(step));
      default -> {
        return false;
      }
    }
    return true;
  }

  private static VirtualMemory memory(Step step, Stage stage) {
    return stage.device(step).getVirtualMemory();
  }

  private static long bytes(Step step) {
    return step.writes().get(0).bytes();
  }
}
