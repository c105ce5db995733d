package org.vramkit.sim.check.thread;

import org.vramkit.sim.check.order.Snapshot;
import org.vramkit.sim.check.report.Operation;

/**
 * Where a host function stands in its stream. What it does to memory itself counts as done there,
 * and while it runs its thread knows what comes before it.
 */
public final class FunctionPoint {
  private final Operation operation;
  private final Snapshot before;
  private final HostThread thread;

  public FunctionPoint(Operation operation) {
    this.operation = operation;
    this.before = operation.stream().snapshot();
    this.thread = new HostThread(operation.name(), this);
    thread.known.join(before);
  }

  public Operation operation() {
    return operation;
  }

  /** What comes before it, and itself. */
  public Snapshot before() {
    return before;
  }

  /** The thread that it is to the checker, while it runs. */
  public HostThread thread() {
    return thread;
  }
}
