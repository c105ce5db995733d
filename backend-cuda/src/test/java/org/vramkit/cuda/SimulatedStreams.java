package org.vramkit.cuda;

import org.vramkit.api.device.StreamKind;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.StreamCalls;

/** Stream calls. Address 0 is the default stream. */
final class SimulatedStreams extends SimulatedCalls implements StreamCalls {
  private final Handle defaultStream = () -> 0;

  SimulatedStreams(SimulatedProcess process) {
    super(process);
  }

  @Override
  public Handle getDefaultStream() {
    return defaultStream;
  }

  @Override
  public int cuStreamCreate(Handle[] stream, int flags) {
    StreamKind kind = flags == NON_BLOCKING ? StreamKind.NON_BLOCKING : StreamKind.BLOCKING;
    return here(() -> stream[0] = new StreamHandle(device().createStream(kind)));
  }

  @Override
  public int cuStreamQuery(Handle stream) {
    return ask(() -> stream(stream).isIdle());
  }

  @Override
  public int cuStreamSynchronize(Handle stream) {
    return code(() -> stream(stream).synchronize());
  }

  @Override
  public int cuStreamWaitEvent(Handle stream, Handle event) {
    return code(() -> stream(stream).waitFor(((SimulatedEvents.EventHandle) event).event()));
  }

  @Override
  public int cuStreamDestroy(Handle stream) {
    return code(() -> stream(stream).close());
  }
}
