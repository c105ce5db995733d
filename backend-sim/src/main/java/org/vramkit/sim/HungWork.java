package org.vramkit.sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.report.Operation;
import org.vramkit.sim.timeline.Point;

/**
 * Work that by plan does not end until the plan's hangs are ended. Guarded by the backend's lock.
 */
final class HungWork {
  /** Points are compared by identity. */
  private final Map<Point, Operation> operations = new LinkedHashMap<>();

  void add(Point point, Operation operation) {
    operations.put(point, operation);
  }

  /** Which work hangs at a point; null if none does. */
  @Nullable Operation at(Point point) {
    return operations.get(point);
  }

  /** What hangs, in words, the oldest first. */
  Stream<String> words() {
    return operations.values().stream().map(operation -> operation + ", which hangs");
  }

  /** Forgets all of it, and says which points to let go, the oldest first. */
  List<Point> end() {
    List<Point> points = new ArrayList<>(operations.keySet());
    operations.clear();
    return points;
  }
}
