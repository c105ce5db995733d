package org.vramkit.sim.replay;

import java.nio.ByteBuffer;
import org.vramkit.sim.program.ByteRange;
import org.vramkit.sim.program.Step;

/** Steps by which host threads hand over, touch page-locked memory and have work done for them. */
final class HostSteps {
  private HostSteps() {}

  /** Makes the call; whether it was one of these. */
  static boolean perform(Step step, Stage stage) {
    switch (step.kind()) {
      case CREATE_HAND_OFF -> stage.keep(step, stage.backend().newHandOff());
      case PUBLISH -> stage.handOff(step).publish();
      case RECEIVE -> stage.handOff(step).receive();
      case BEGIN_HAND_OFF -> stage.keep(step, stage.handOff(step).begin());
      case END_HAND_OFF -> stage.scope(step).close();
      case HOST_FUNCTION -> stage.stream(step).callHost(step.text(), stage.bodyOf(step));
      case VIEW_PINNED -> {
        ByteRange view = step.reads().get(0);
        stage.pinned(view).getBytes(view.offset(), Math.toIntExact(view.bytes()));
      }
      case HOST_READS -> {
        ByteRange read = step.reads().get(0);
        stage.backend().hostReads(stage.pinned(read), read.offset(), read.bytes());
      }
      case HOST_WRITES -> {
        ByteRange written = step.writes().get(0);
        stage.backend().hostWrites(stage.pinned(written), written.offset(), written.bytes());
      }
      case HOST_CHANGES -> {
        ByteBuffer bytes = stage.view(step.writes().get(0));
        for (int i = 0; i < bytes.capacity(); i++) {
          bytes.put(i, (byte) ~bytes.get(i));
        }
      }
      case BIND -> stage.keep(step, stage.device(step).bind());
      case UNBIND -> stage.binding(step).close();
      case END_HANGS -> stage.backend().getFaults().endHangs();
      case STAND_STILL -> stage.backend().standStill();
      case FINISH -> stage.backend().finish();
      case ADVANCE -> stage.backend().advance(step.value());
      default -> {
        return false;
      }
    }
    return true;
  }
}
