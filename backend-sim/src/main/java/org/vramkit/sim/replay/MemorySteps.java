package org.vramkit.sim.replay;

import java.nio.ByteBuffer;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.program.Step;

/** Steps that take plain or pinned memory and give it back, and that say whose memory is. */
final class MemorySteps {
  private MemorySteps() {}

  /** Makes the call; whether it was one of these. */
  static boolean perform(Step step, Stage stage) {
    SimDevice device = stage.device(step);
    switch (step.kind()) {
      case ALLOCATE -> stage.keep(step, device.getMemory().allocate(step.value()));
      case FREE -> device.getMemory().free(stage.start(step));
      case ALLOCATE_PINNED ->
          stage.keepPinned(step, device.getPinnedMemory().allocate(step.value()));
      case ALLOCATE_MANAGED ->
          stage.keepPinned(step, device.getManagedMemory().allocate(step.value()));
      case REGISTER_PINNED ->
          stage.keepPinned(
              step,
              device
                  .getPinnedMemory()
                  .register(ByteBuffer.allocateDirect(Math.toIntExact(step.value()))));
      case CLOSE_PINNED -> stage.pinned(step).close();
      case ENABLE_PEER -> device.getPeerAccess().enable(stage.other(step));
      case DISABLE_PEER -> device.getPeerAccess().disable(stage.other(step));
      case OCCUPY -> device.occupy(step.value());
      case VACATE -> device.vacate(step.value());
      case TELL_ALLOCATED ->
          observer(step, stage)
              .allocated(
                  stage.start(step), step.writes().get(0).bytes(), stage.stream(step), step.text());
      case TELL_USED -> observer(step, stage).used(stage.start(step), stage.stream(step));
      case TELL_FREED -> observer(step, stage).freed(stage.start(step), stage.stream(step));
      case TELL_SEGMENT_TAKEN ->
          observer(step, stage).segmentTaken(stage.start(step), step.writes().get(0).bytes());
      case TELL_SEGMENT_GIVEN_BACK -> observer(step, stage).segmentGivenBack(stage.start(step));
      case TELL_ALLOCATED_ON_HOST ->
          observer(step, stage).allocatedOnHost(stage.start(step), step.writes().get(0).bytes());
      case TELL_FREED_ON_HOST -> observer(step, stage).freedOnHost(stage.start(step));
      case ENTER_POOL -> observer(step, stage).enterPool();
      case LEAVE_POOL -> observer(step, stage).leavePool();
      default -> {
        return false;
      }
    }
    return true;
  }

  private static MemoryObserver observer(Step step, Stage stage) {
    return stage.device(step).getMemoryObserver();
  }
}
