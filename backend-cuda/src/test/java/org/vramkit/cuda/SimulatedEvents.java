package org.vramkit.cuda;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.vramkit.cuda.driver.EventCalls;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.sim.SimEvent;

/** Event calls. */
final class SimulatedEvents extends SimulatedCalls implements EventCalls {
  /** The creation flags of each event. Guarded by itself. */
  final List<Integer> flagsOfAll = Collections.synchronizedList(new ArrayList<>());

  SimulatedEvents(SimulatedProcess process) {
    super(process);
  }

  record EventHandle(SimEvent event) implements Handle {
    @Override
    public long getAddress() {
      return event.getHandle();
    }
  }

  @Override
  public int cuEventCreate(Handle[] event, int flags) {
    flagsOfAll.add(flags);
    return here(() -> event[0] = new EventHandle(device().createEvent()));
  }

  @Override
  public int cuEventRecord(Handle event, Handle stream) {
    return code(() -> event(event).record(stream(stream)));
  }

  @Override
  public int cuEventQuery(Handle event) {
    return ask(() -> event(event).isComplete());
  }

  @Override
  public int cuEventSynchronize(Handle event) {
    return code(() -> event(event).synchronize());
  }

  @Override
  public int cuEventDestroy(Handle event) {
    return code(() -> event(event).close());
  }

  private SimEvent event(Handle event) {
    return ((EventHandle) event).event();
  }
}
