package org.vramkit.tools.trace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a page needs and a replay does not: addresses, origins, and what happened beside. */
class DetailsTest {
  private static final String WIDE =
      "action,addr,size,stream,time_us,thread,later column,stack,tag\n";

  private static Trace read(String text) {
    return Traces.readAll(
            "t", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), true)
        .get(0);
  }

  private static TraceDetails details(Trace trace) {
    return Objects.requireNonNull(trace.getDetails());
  }

  private static String tag(Trace trace, int allocation) {
    return details(trace).getTags().get(details(trace).getOrigin(allocation).tag());
  }

  private static List<String> stack(Trace trace, int allocation) {
    int[] frames = details(trace).getStacks().get(details(trace).getOrigin(allocation).stack());
    return Arrays.stream(frames).mapToObj(details(trace).getFrames()::get).toList();
  }

  @Test
  @DisplayName("22.5 CSV: tag, thread and stack are found by header, quoted as RFC 4180 has it")
  void columns() {
    Trace trace =
        read(
            WIDE
                + "alloc,4096,10,0,1,main,x,\"a.B.run(B.java:1);a.B.f(B.java:2)\",\"train, \"\"x\"\"\"\n"
                + "alloc,8192,20,0,2,other,,,\n");
    assertEquals("train, \"x\"", tag(trace, 0));
    assertEquals(List.of("a.B.run(B.java:1)", "a.B.f(B.java:2)"), stack(trace, 0));
    assertEquals(4096, details(trace).getAddress(0));
    assertEquals("", tag(trace, 1));
    assertEquals(List.of(), stack(trace, 1));
    assertEquals(List.of("", "main", "other"), details(trace).getThreads());
    assertNull(Reading.read(WIDE + "alloc,1,1,0,0,,,,\n").getDetails());
  }

  @Test
  @DisplayName("22.5 a history that begins in the middle shows what was held before")
  void heldBefore() {
    String text =
        WIDE
            + "free_completed,77,1000,3,1,,,,late\n"
            + "alloc,5,10,0,2,,,,own\n"
            + "free_completed,78,500,3,3,,,,late\n";
    Trace trace = read(text);
    assertEquals(Map.of("unknownFrees", 2L), trace.getRepairs());
    assertEquals(2, trace.getHeldBefore());
    assertEquals(1500, trace.getHeldBeforeBytes());
    assertEquals(5, trace.getEventCount());
    assertEquals(1500, trace.getRequestedPeakBytes());
    int held = trace.getAllocation(0);
    assertEquals(1000, trace.getSize(held));
    assertEquals("", tag(trace, held));
    assertEquals(1500, Reading.read(text).getRequestedPeakBytes());
  }

  @Test
  @DisplayName("22.5 failed allocations, segments, moves and waits keep their place")
  void marks() {
    Trace trace =
        read(
            WIDE
                + "segment_alloc,0,2097152,0,10,,,,\n"
                + "alloc,0,10,0,20,,,,\n"
                + "oom,512,4096,0,30,,,f(x.py:3),big\n"
                + "move,0,2097152,0,40,,,,\n"
                + "wait,0,4096,0,50,,,,\n"
                + "trim,0,2097152,0,60,,,,\n");
    List<Mark> marks = details(trace).getMarks();
    assertEquals(
        List.of(
            Mark.Kind.GROW,
            Mark.Kind.OUT_OF_MEMORY,
            Mark.Kind.MOVE,
            Mark.Kind.WAIT,
            Mark.Kind.TRIM),
        marks.stream().map(Mark::kind).toList());
    Mark refusal = marks.get(1);
    assertEquals(1, refusal.event());
    assertEquals(10_000, refusal.nanos());
    assertEquals(4096, refusal.size());
    assertEquals("big", details(trace).getTags().get(refusal.origin().tag()));
    assertEquals(0, details(trace).getReservedBefore());
    // What moved lies at an address, and a trim follows the row that took memory from its own.
    assertEquals(4 << 20, details(trace).getReserved().getPeak());
    assertArrayEquals(new long[] {2 << 20, 4 << 20}, details(trace).getReserved().getBytes());
  }

  @Test
  @DisplayName("22.5 JSON: user_metadata is the tag, frames are reversed")
  void json() {
    Trace trace =
        read(
            "{\"segments\":[{\"device\":0,\"address\":64,\"total_size\":8192,\"stream\":7,\"blocks\":"
                + "[{\"size\":512,\"requested_size\":500,\"state\":\"active_allocated\","
                + "\"user_metadata\":\"old\",\"frames\":[]}]}],\"device_traces\":[[{\"action\":\"alloc\","
                + "\"addr\":8192,\"size\":5,\"stream\":0,\"time_us\":3,\"user_metadata\":\"new\","
                + "\"frames\":[{\"name\":\"inner\",\"filename\":\"a.py\",\"line\":2},"
                + "{\"name\":\"outer\",\"filename\":\"a.py\",\"line\":1}]}]]}");
    assertEquals("new", tag(trace, 0));
    assertEquals(List.of("outer(a.py:1)", "inner(a.py:2)"), stack(trace, 0));
    int held = trace.getAllocation(0);
    assertEquals("old", tag(trace, held));
    assertEquals(500, trace.getSize(held));
    assertEquals(64, details(trace).getAddress(held));
    assertEquals(8192, details(trace).getReservedBefore());
  }

  @Test
  @DisplayName("22.5 PyTorch's own snapshot has its stacks and its failed allocation")
  void pickle() {
    Trace trace =
        Traces.readAll(Path.of("..", "traces", "snapshot-a.pickle"), true, bytes -> {}).get(0);
    assertTrue(details(trace).getStacks().size() > 10);
    Mark refusal =
        details(trace).getMarks().stream()
            .filter(mark -> mark.kind() == Mark.Kind.OUT_OF_MEMORY)
            .findFirst()
            .orElseThrow();
    assertEquals(32L << 40, refusal.size());
    assertEquals(149_117_075_456L, refusal.address());
    int[] stack = details(trace).getStacks().get(refusal.origin().stack());
    assertArrayEquals(new String[] {"<module>(train.py:14)"}, names(trace, stack));
    assertEquals(0, trace.getHeldBefore());
  }

  private static String[] names(Trace trace, int[] stack) {
    return Arrays.stream(stack).mapToObj(details(trace).getFrames()::get).toArray(String[]::new);
  }
}
