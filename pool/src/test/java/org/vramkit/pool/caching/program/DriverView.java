package org.vramkit.pool.caching.program;

import java.util.List;
import org.vramkit.sim.driver.DriverCall;
import org.vramkit.sim.driver.DriverCallLog;

/** What the driver's log says of the memory that was taken: how much, and how much at most. */
final class DriverView {
  private final DriverCallLog log;
  private long seen;
  private long taken;
  private long peak;

  DriverView(DriverCallLog log) {
    this.log = log;
    this.seen = log.getTotal();
  }

  /** The calls since the last look; those of allocators enter the figures, as all others do. */
  List<DriverCall> look() {
    int calls = Math.toIntExact(log.getTotal() - seen);
    if (calls == 0) {
      return List.of();
    }
    List<DriverCall> recent = log.getRecent();
    List<DriverCall> fresh = recent.subList(recent.size() - calls, recent.size());
    fresh.forEach(this::enter);
    seen += calls;
    return fresh;
  }

  private void enter(DriverCall call) {
    if (!call.failed()) {
      taken +=
          switch (call.function()) {
            case MEM_ALLOC, MEM_CREATE -> call.bytes();
            case MEM_FREE, MEM_RELEASE -> -call.bytes();
            default -> 0;
          };
      peak = Math.max(peak, taken);
    }
  }

  /** Bytes that were taken and not given back. */
  long getTaken() {
    return taken;
  }

  /** Most that was taken at once since the last {@link #resetPeak}. */
  long getPeak() {
    return peak;
  }

  void resetPeak() {
    peak = taken;
  }
}
