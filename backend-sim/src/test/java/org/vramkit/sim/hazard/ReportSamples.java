package org.vramkit.sim.hazard;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reports with everything in them, and with as little as possible. */
final class ReportSamples {
  private ReportSamples() {}

  static HazardReport full() {
    Owner memory = owner(7, "weights \"a\\b\"", null);
    return new HazardReport(
        HazardCode.EARLY_REUSE,
        new RunId(Long.MIN_VALUE, "priorities:3"),
        1,
        memory,
        owner(3, "old", access("pool free", 40, AccessKind.FREE)),
        memory.address() + 512,
        100,
        access("kernel read", 33, AccessKind.READ),
        access("pool allocate", 55, AccessKind.ALLOCATE),
        "an order",
        new NearestOrder(Shortfall.TOO_EARLY, List.of(12L, 13L), "one that is too early"),
        "a fix",
        HazardReport.HOST_THREADS);
  }

  static HazardReport bare() {
    return new HazardReport(
        HazardCode.WAIT_ON_UNRECORDED_EVENT,
        new RunId(1, "timed"),
        -1,
        null,
        null,
        0,
        0,
        null,
        new Access("wait", 5, "s", "main", AccessKind.RECORD, 0, 0, List.of()),
        "a mark",
        null,
        "a fix",
        HazardCode.WAIT_ON_UNRECORDED_EVENT.getLink());
  }

  private static Owner owner(long id, String tag, @Nullable Access freed) {
    return new Owner(
        id,
        "block",
        tag,
        0x7f00_0000_1000L,
        4096,
        access("pool allocate", 10 + id, AccessKind.ALLOCATE),
        freed);
  }

  private static Access access(String operation, long index, AccessKind kind) {
    return new Access(
        operation, index, "stream " + index, "worker-" + index, kind, 0x1000, index * 8, stack());
  }

  /** As deep as the checker keeps them. */
  static List<StackTraceElement> stack() {
    return IntStream.range(0, 16)
        .mapToObj(i -> new StackTraceElement("com.acme.Layer" + i, "forward", "Layer.java", i + 1))
        .toList();
  }
}
