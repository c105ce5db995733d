package org.vramkit.sim;

import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.vramkit.sim.driver.DriverCall;
import org.vramkit.sim.driver.DriverCallLog;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.timeline.VirtualTime;

/** Counts driver calls. Guarded by its own monitor, so that figures can be read at any time. */
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
    Count count = counts.computeIfAbsent(call.function(), key -> new Count());
    count.calls++;
    count.nanos = VirtualTime.after(count.nanos, call.costNanos());
    count.failures += call.failed() ? 1 : 0;
    total++;
    if (recent.size() == RECENT) {
      recent.removeFirst();
    }
    recent.addLast(call);
  }

  @Override
  public synchronized long getTotal() {
    return total;
  }

  @Override
  public synchronized long getCount(String name) {
    Objects.requireNonNull(name, "name");
    Count count = counts.get(DriverFunction.of(name));
    return count == null ? 0 : count.calls;
  }

  @Override
  public synchronized Map<String, Long> getCounts() {
    Map<String, Long> named = new LinkedHashMap<>();
    counts.forEach((function, count) -> named.put(function.getFunctionName(), count.calls));
    return named;
  }

  @Override
  public synchronized Map<String, Long> getFailures() {
    Map<String, Long> named = new LinkedHashMap<>();
    counts.forEach(
        (function, count) -> {
          if (count.failures > 0) {
            named.put(function.getFunctionName(), count.failures);
          }
        });
    return named;
  }

  @Override
  public synchronized long getEstimatedNanos() {
    long sum = 0;
    for (Map.Entry<DriverFunction, Count> entry : counts.entrySet()) {
      if (entry.getKey().getGroup() != DriverFunction.Group.WORK) {
        sum = VirtualTime.after(sum, entry.getValue().nanos);
      }
    }
    return sum;
  }

  @Override
  public synchronized long getEstimatedNanos(String name) {
    Objects.requireNonNull(name, "name");
    Count count = counts.get(DriverFunction.of(name));
    return count == null ? 0 : count.nanos;
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
