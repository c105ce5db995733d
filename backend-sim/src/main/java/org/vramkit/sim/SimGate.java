package org.vramkit.sim;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.sim.check.GateOrder;
import org.vramkit.sim.timeline.Point;

/**
 * Holds streams until the host opens it, like a wait for a value in memory ({@code
 * cuStreamWaitValue32}). Tests use it to keep a stream busy. Work behind the gate is ordered after
 * the work that the opening thread knows to be complete. A host that waits for work behind a gate
 * that stays closed is reported as a deadlock. Safe for any thread.
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

  /** Returns the name for reports. */
  public String getName() {
    return name;
  }

  /** Releases all streams that wait for the gate, now and later. Repeated calls have no effect. */
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

  /** Makes a stream wait for the gate. The caller holds the lock. */
  void hold(StreamQueue queue) {
    engine.checker.waits(queue.clock, order);
    if (!open) {
      Point point = engine.heldWork.hold(queue.lane, queue.tail(), this);
      held.add(point);
      queue.setTail(point);
    }
  }

  @Override
  public String toString() {
    return "gate " + name;
  }
}
