package org.vramkit.sim.replay;

import java.util.concurrent.CompletionException;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.program.Step;

/** Steps that order work: streams, events, waits, virtual time. */
final class OrderSteps {
  private OrderSteps() {}

  /** Makes the call; whether it was one of these. */
  static boolean perform(Step step, Stage stage) {
    switch (step.kind()) {
      case DEFAULT_STREAM -> stage.keep(step, stage.device(step).getDefaultStream());
      case CREATE_STREAM ->
          stage.keep(step, stage.device(step).createStream(StreamKind.valueOf(step.text())));
      case CREATE_NAMED_STREAM -> stage.keep(step, stage.device(step).createStream(step.text()));
      case CLOSE_STREAM -> stage.stream(step).close();
      case QUERY_STREAM -> {
        if (step.isYes()) {
          // Whoever was told yes knows as much as after a wait.
          stage.stream(step).synchronize();
        }
      }
      case SYNCHRONIZE_STREAM -> stage.stream(step).synchronize();
      case SYNCHRONIZE_STREAM_FOR_ALL -> synchronizeForAll(stage.stream(step));
      case SYNCHRONIZE_DEVICE -> stage.device(step).synchronize();
      case CREATE_EVENT -> stage.keep(step, stage.device(step).createEvent());
      case CLOSE_EVENT -> stage.event(step).close();
      case RECORD_EVENT -> stage.event(step).record(stage.stream(step));
      case WAIT_FOR_EVENT -> stage.stream(step).waitFor(stage.event(step));
      case QUERY_EVENT -> {
        if (step.isYes()) {
          stage.event(step).synchronize();
        }
      }
      case SYNCHRONIZE_EVENT -> stage.event(step).synchronize();
      case CREATE_GATE -> stage.keep(step, stage.backend().createGate(step.text()));
      case OPEN_GATE -> stage.gate(step).open();
      case WAIT_FOR_GATE -> stage.stream(step).waitFor(stage.gate(step));
      default -> {
        return false;
      }
    }
    return true;
  }

  private static void synchronizeForAll(SimStream stream) {
    try {
      stream.synchronizeAsync(Runnable::run).toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof GpuException refusal) {
        throw refusal;
      }
      throw e;
    }
  }
}
