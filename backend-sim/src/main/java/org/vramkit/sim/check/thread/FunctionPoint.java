package org.vramkit.sim.check.thread;

import org.vramkit.sim.check.order.Snapshot;
import org.vramkit.sim.check.report.Operation;

/**
 * Where a host function stands in its stream. What it does to memory itself counts as done there,
 * and while it runs its thread knows what comes before it.
 *
 * @param before what comes before it, and itself
 * @param thread that it is to the checker, while it runs
 */
public record FunctionPoint(Snapshot before, HostThread thread) {
  public static FunctionPoint of(Operation operation) {
    FunctionPoint point = new FunctionPoint(operation.stream.snapshot(), new HostThread(operation));
    point.thread.known.join(point.before);
    return point;
  }
}
