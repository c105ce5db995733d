package org.vramkit.tools.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.tools.trace.Reading.CSV;
import static org.vramkit.tools.trace.Reading.read;
import static org.vramkit.tools.trace.Reading.refuses;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Recordings that cover a part of what their programs did. */
@DisplayName("A recording that covers only a part of its program")
class PartialRecordingsTest {
  private static final long MIB = 1 << 20;

  private static String entry(String action, long address, long size, long micros) {
    return "{\"action\":\"%s\",\"addr\":%d,\"size\":%d,\"stream\":0,\"time_us\":%d}"
        .formatted(action, address, size, micros);
  }

  /** A segment of one block that is live, or of none. */
  private static String segment(int device, long address, long size, boolean live) {
    return "{\"device\":%d,\"address\":%d,\"total_size\":%d,\"stream\":0,\"blocks\":[{\"address\":%d,\"size\":%d,\"requested_size\":%d,\"state\":\"%s\"}]}"
        .formatted(
            device, address, size, address, size, size, live ? "active_allocated" : "inactive");
  }

  private static String snapshot(String segments, String... devices) {
    return "{\"segments\":[%s],\"device_traces\":[[%s]]}"
        .formatted(segments, String.join("],[", devices));
  }

  private static List<Trace> readAll(String text) {
    return Traces.readAll(
        "t", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), false);
  }

  @Test
  @DisplayName("42.3 counts memory that was live throughout")
  void heldThroughout() {
    String steps = entry("alloc", 4096, MIB, 5) + "," + entry("free_completed", 4096, MIB, 6);
    Trace trace = read(snapshot(segment(0, 1L << 40, 1024 * MIB, true), steps));
    assertEquals(1024 * MIB, trace.getHeldBeforeBytes());
    assertEquals(1025 * MIB, trace.getRequestedPeakBytes());
    assertEquals(1, trace.getHeldBefore());
    assertTrue(trace.isAllocation(0));
    assertEquals(1024 * MIB, trace.getSize(trace.getAllocation(0)));
    assertEquals(0, trace.getNanos(1));
    assertEquals(Map.of("blocksLiveThroughout", 1L), trace.getRepairs());
  }

  @Test
  @DisplayName("42.3 counts memory held before and freed during it, once for repeated frees")
  void freedLater() {
    String steps =
        String.join(
            ",",
            entry("alloc", 4096, MIB, 5),
            entry("free_completed", 1L << 40, 7 * MIB, 6),
            entry("free_completed", 1L << 40, 7 * MIB, 7));
    Trace trace = read(snapshot("", steps));
    assertEquals(7 * MIB, trace.getHeldBeforeBytes());
    assertEquals(8 * MIB, trace.getRequestedPeakBytes());
    assertEquals(Map.of("unknownFrees", 1L, "repeatedFrees", 1L), trace.getRepairs());
    assertEquals(3, trace.getEventCount());
  }

  @Test
  @DisplayName("42.3 reports the bytes of missing frees, from the snapshot at its end")
  void freesThatAreMissing() {
    String steps = entry("alloc", 4096, MIB, 5) + "," + entry("alloc", 1L << 30, 2 * MIB, 6);
    Trace trace = read(snapshot(segment(0, 4096, MIB, true), steps));
    assertEquals(Map.of("unrecordedFrees", 1L), trace.getRepairs());
    assertEquals(1, trace.getGaps().size());
    String gaps = trace.getGaps().get(0);
    assertTrue(gaps.contains("frees of 2.00 MiB in 1 allocation"), gaps);
    // Where entries alone were recorded nothing is known of the end.
    assertEquals(List.of(), read(snapshot("", steps)).getGaps());
  }

  @Test
  @DisplayName("42.3 allocates blocks of the snapshot at freed addresses after its last entry")
  void allocationThatIsMissing() {
    String steps = entry("alloc", 4096, MIB, 5) + "," + entry("free_completed", 4096, MIB, 6);
    Trace trace = read(snapshot(segment(0, 4096, MIB, true), steps));
    assertEquals(Map.of("lostAllocations", 1L), trace.getRepairs());
    assertEquals(0, trace.getHeldBefore());
    assertEquals(MIB, trace.getRequestedPeakBytes());
    assertTrue(trace.isAllocation(2));
  }

  @Test
  @DisplayName("42.3 reports which kinds of entries its recorder skipped")
  void skippedKinds() {
    String requested = entry("alloc", 4096, 5, 1) + "," + entry("free_requested", 4096, 5, 2);
    assertTrue(
        read(snapshot("", requested)).getGaps().get(0).startsWith("every completed free: 1 req"));
    String freed = entry("free_completed", 4096, 5, 1);
    assertTrue(read(snapshot("", freed)).getGaps().get(0).startsWith("every allocation"));
    String both = entry("alloc", 8192, 5, 1) + "," + freed;
    assertEquals(List.of(), read(snapshot("", both)).getGaps());
  }

  @Test
  @DisplayName("42.3 reports how many events an exported history had dropped")
  void forgotten() {
    String text =
        "{\"allocator_settings\":{\"allocator\":\"vramkit\",\"tags_0\":[{\"tag\":\"a\"}],"
            + "\"lost_events_0\":1234},\"segments\":["
            + segment(0, 4096, 5, true)
            + "],\"device_traces\":[["
            + entry("alloc", 4096, 5, 1)
            + "]]}";
    assertEquals(
        List.of("1,234 earlier events, which the history had forgotten"), read(text).getGaps());
  }

  @Test
  @DisplayName("42.3 may be a snapshot of one moment, with blocks but without entries")
  void moment() {
    for (String text :
        List.of(
            snapshot(segment(0, 4096, MIB, true), ""),
            "{\"segments\":[" + segment(0, 4096, MIB, true) + "]}")) {
      Trace trace = read(text);
      assertTrue(trace.isMoment());
      assertEquals(MIB, trace.getHeldBeforeBytes());
      assertEquals(MIB, trace.getRequestedPeakBytes());
    }
    refuses(snapshot(segment(0, 4096, MIB, false), ""), "t: the snapshot holds no allocation");
    assertFalse(read(snapshot("", entry("alloc", 1, 1, 1))).isMoment());
  }

  @Test
  @DisplayName("42.3 may have a stale first entry, or a change of the clock: time goes on")
  void farTimes() {
    Trace trace =
        read(
            CSV
                + "alloc,1,1,0,0\nalloc,2,1,0,1700000000000000\nalloc,3,1,0,1700000000000007\n"
                + "alloc,4,1,0,5\nalloc,5,1,0,8\n");
    assertEquals(0, trace.getNanos(1));
    assertEquals(7_000, trace.getNanos(2));
    assertEquals(7_000, trace.getNanos(3));
    assertEquals(10_000, trace.getNanos(4));
    assertEquals(Map.of("timesThatLeapt", 2L), trace.getRepairs());
  }

  @Test
  @DisplayName("42.29 counts allocations that overlap live ones, in either order")
  void overlaps() {
    Trace trace =
        read(
            CSV
                + "alloc,4096,1000,0,0\nalloc,5000,10,0,1\nalloc,4000,97,0,2\nalloc,5096,5,0,3\n"
                + "alloc,4500,0,0,4\nfree_completed,4096,1000,0,5\nalloc,4097,800,0,6\n");
    assertEquals(Map.of("overlappingAllocations", 2L), trace.getRepairs());
    assertEquals(1112, trace.getRequestedPeakBytes());
  }

  @Test
  @DisplayName("42.6 with several devices is a trace per device, whichever has more entries")
  void devices() {
    List<Trace> traces =
        readAll(
            snapshot(
                segment(1, 1L << 41, 3 * MIB, true) + "," + segment(3, 1L << 42, 5 * MIB, true),
                entry("alloc", 4096, MIB, 1) + "," + entry("alloc", 1L << 30, MIB, 2),
                entry("alloc", 4096, 1024 * MIB, 1)));
    assertEquals(
        List.of("t, device 0", "t, device 1", "t, device 3"),
        traces.stream().map(Trace::getName).toList());
    assertEquals(2 * MIB, traces.get(0).getRequestedPeakBytes());
    assertEquals(1027 * MIB, traces.get(1).getRequestedPeakBytes());
    assertEquals(
        List.of("device 3, a snapshot of one moment without events: 5.00 MiB in 1 block"),
        traces.get(0).getGaps());
    assertTrue(traces.get(2).isMoment());
    assertEquals(5 * MIB, traces.get(2).getHeldBeforeBytes());
  }
}
