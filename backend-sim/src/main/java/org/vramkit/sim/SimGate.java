package org.vramkit.sim;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.sim.check.GateOrder;
import org.vramkit.sim.timeline.Point;

/**
 * Holds streams until the host opens it, as a wait for a value in memory does ({@code
 * cuStreamWaitValue32}): to make a stream busy for as long as a test likes. What a stream does
 * behind it comes after all that the thread knows which opens it. A host that waits for held work
 * while nobody opens the gate is a deadlock, which is reported. Safe for any thread.
 */
public final class SimGate {
  private final Engine engine;
  final long number;
  private final String name;
  private final List<Point> held = new ArrayList<>();
  private final GateOrder order = new GateOrder();
  private boolean open;

  SimGate(Engine engine, long number, String name) {
    this.engine = engine;
    this.number = number;
    this.name = name;
  }

  boolean isOf(Engine other) {
    return engine == other;
  }

  /** Its name in reports. */
  public String getName() {
    return name;
  }

  /** Lets all streams go on that wait for it, now and later; harmless when it is open. */
  public void open() {
    engine.recording.perform(
        "open-gate",
        step -> step.uses(0, number),
        () -> {
          open = true;
          engine.checker.opens(order);
          held.forEach(engine.heldWork::release);
          held.clear();
        });
  }

  /** What a stream does next waits for it. Locked. */
  void hold(StreamQueue queue) {
    engine.checker.waits(queue.clock, order);
    if (!open) {
      Point point = engine.heldWork.hold(queue.lane, queue.tail(), this);
      held.add(point);
      queue.goOnFrom(point);
    }
  }

  @Override
  public String toString() {
    return "gate " + name;
  }
}
