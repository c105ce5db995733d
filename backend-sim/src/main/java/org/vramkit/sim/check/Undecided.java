package org.vramkit.sim.check;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps track of all that may still turn out to come before work that was submitted already: host
 * functions that are queued or run, whose accesses will count as done where they stand in their
 * streams, and all that is known when a closed gate is opened. What may be in conflict with that
 * must not be forgotten for what was submitted since. Guarded by the backend's lock.
 */
final class Undecided {
  /** By slot and epoch: what comes before a function of a stream comes before its later ones. */
  private final Map<Integer, NavigableMap<Long, FunctionPoint>> bySlot = new HashMap<>();

  /** Closed gates that a stream waits for. */
  private final Set<GateOrder> gates = new HashSet<>();

  void add(GateOrder gate) {
    if (!gate.isOpen()) {
      gates.add(gate);
    }
  }

  void remove(GateOrder gate) {
    gates.remove(gate);
  }

  void add(FunctionPoint function) {
    Operation by = function.by();
    bySlot.computeIfAbsent(by.slot(), slot -> new TreeMap<>()).put(by.epoch(), function);
  }

  void remove(FunctionPoint function) {
    Operation by = function.by();
    NavigableMap<Long, FunctionPoint> ofStream = bySlot.get(by.slot());
    if (ofStream != null) {
      ofStream.remove(by.epoch());
      if (ofStream.isEmpty()) {
        bySlot.remove(by.slot());
      }
    }
  }

  boolean isEmpty() {
    return bySlot.isEmpty() && gates.isEmpty();
  }

  /** Returns whether an access comes before or after all that these may do. */
  boolean areOrderedWith(Operation access) {
    return bySlot.values().stream().allMatch(ofStream -> firstBeside(ofStream, access) == null);
  }

  /**
   * Returns whether an access that comes before a later one says no more than that does. It does
   * where something may still turn out to come before the later one and beside the earlier one:
   * what a closed gate lets go, and a function.
   */
  boolean isSuperseded(Operation earlier, Operation later) {
    if (later.isHeldLongerThan(earlier)
        || (earlier.closedGate() != null && !later.comesAfter(earlier))) {
      return false;
    }
    for (NavigableMap<Long, FunctionPoint> ofStream : bySlot.values()) {
      FunctionPoint beside = firstBeside(ofStream, earlier);
      if (beside != null && later.comesAfter(beside.by())) {
        return false;
      }
    }
    return true;
  }

  /** The first function of a stream that an access is not ordered with; null if there is none. */
  private static @Nullable FunctionPoint firstBeside(
      NavigableMap<Long, FunctionPoint> ofStream, Operation access) {
    int slot = ofStream.firstEntry().getValue().by().slot();
    Map.Entry<Long, FunctionPoint> after = ofStream.higherEntry(access.getKnown(slot));
    FunctionPoint next = after == null ? null : after.getValue();
    return next == null || next.before().covers(access) ? null : next;
  }
}
