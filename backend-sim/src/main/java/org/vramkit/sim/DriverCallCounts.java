package org.vramkit.sim;

import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.vramkit.sim.driver.DriverCall;
import org.vramkit.sim.driver.DriverCallLog;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.timeline.Point;

/** Counts driver calls. Guarded by its own monitor, so that the figures can be read at any time. */
final class DriverCallCounts implements DriverCallLog {
  private static final class Count {
    long calls;
    long failures;
    long nanos;
  }

  private final Map<DriverFunction, Count> counts = new EnumMap<>(DriverFunction.class);
  private final ArrayDeque<DriverCall> recent = new ArrayDeque<>();
  private long total;

  synchronized void record(DriverCall call) {
    Count count = counts.get(call.function());
    if (count == null) {
      count = new Count();
      counts.put(call.function(), count);
    }
    count.calls++;
    count.nanos = Point.after(count.nanos, call.costNanos());
    count.failures += call.failed() ? 1 : 0;
    total++;
    if (recent.size() == RECENT) {
      recent.removeFirst();
    }
    recent.addLast(call);
  }

  /** Adds to the cost of the latest call, unless another thread has reset the counts since. */
  synchronized void addToLatest(long nanos) {
    DriverCall call = recent.pollLast();
    Count count = call == null ? null : counts.get(call.function());
    if (call == null || count == null) {
      return;
    }
    long cost = Point.after(call.costNanos(), nanos);
    count.nanos = Point.after(count.nanos, cost - call.costNanos());
    recent.addLast(
        new DriverCall(
            call.number(),
            call.function(),
            call.bytes(),
            call.timeNanos(),
            cost,
            call.failed(),
            call.consequence()));
  }

  @Override
  public synchronized long getTotal() {
    return total;
  }

  @Override
  public synchronized long getCount(String name) {
    return of(name).calls;
  }

  private Count of(String name) {
    return counts.getOrDefault(DriverFunction.of(name), new Count());
  }

  @Override
  public synchronized Map<String, Long> getCounts() {
    return named(count -> count.calls);
  }

  @Override
  public synchronized Map<String, Long> getFailures() {
    return named(count -> count.failures);
  }

  private Map<String, Long> named(ToLongFunction<Count> figure) {
    Map<String, Long> named = new LinkedHashMap<>();
    counts.forEach(
        (function, count) -> named.put(function.getFunctionName(), figure.applyAsLong(count)));
    named.values().removeIf(value -> value == 0);
    return named;
  }

  @Override
  public synchronized long getEstimatedNanos() {
    long sum = 0;
    for (Map.Entry<DriverFunction, Count> entry : counts.entrySet()) {
      if (entry.getKey().getGroup() != DriverFunction.Group.WORK) {
        sum = Point.after(sum, entry.getValue().nanos);
      }
    }
    return sum;
  }

  @Override
  public synchronized long getEstimatedNanos(String name) {
    return of(name).nanos;
  }

  @Override
  public synchronized List<DriverCall> getRecent() {
    return List.copyOf(recent);
  }

  @Override
  public synchronized void reset() {
    counts.clear();
    recent.clear();
    total = 0;
  }
}
