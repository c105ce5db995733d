package org.vramkit.tools.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.tools.trace.Reading.CSV;
import static org.vramkit.tools.trace.Reading.RMM;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Recordings with more of something than a page or a device has room for. */
@DisplayName("42.7 A recording with too many")
class LimitsTest {

  private static Trace read(String text) {
    return Traces.readAll(
            "t", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), true)
        .get(0);
  }

  private static TraceDetails details(Trace trace) {
    return Objects.requireNonNull(trace.getDetails());
  }

  @Test
  @DisplayName("streams has 4095 separate ones, and one for all others")
  void streams() {
    StringBuilder text = new StringBuilder(RMM);
    for (int i = 0; i < 5000; i++) {
      text.append(
          String.format(
              Locale.ROOT,
              """
              %1$d,%2$02d:%3$02d:%4$02d.000000,allocate,0x7f0000000000,4096,0x2
              %1$d,%2$02d:%3$02d:%4$02d.000500,free,0x7f0000000000,4096,0x2
              """,
              100_000 + i,
              10 + i / 3600,
              i / 60 % 60,
              i % 60));
    }
    Trace trace = read(text.toString());
    assertEquals(10_000, trace.getEventCount());
    assertEquals(4096, trace.getStreamCount());
    assertEquals(4095, trace.getOtherStreams());
    // Of 5000 threads 4094 have a stream of their own beside the default stream.
    assertEquals(Map.of("allocationsOfOtherStreams", 906L), trace.getRepairs());
    assertEquals(4094, trace.getStream(4093));
    assertEquals(4095, trace.getStream(4094));
    assertEquals(4095, trace.getStream(4999));
  }

  @Test
  @DisplayName("tags keeps the first ones and merges the others")
  void tags() {
    StringBuilder text = new StringBuilder("action,addr,size,stream,time_us,tag\n");
    for (int i = 0; i < 66_000; i++) {
      text.append("alloc,0,512,0,").append(2 * i).append(",request ").append(i).append('\n');
      text.append("free_completed,0,512,0,").append(2 * i + 1).append(",\n");
    }
    Trace trace = read(text.toString());
    assertEquals(132_000, trace.getEventCount());
    List<String> tags = details(trace).getTags();
    assertEquals(1 << 16, tags.size());
    assertEquals("request 65533", tags.get(65_534));
    assertEquals("(others)", tags.get(65_535));
    assertEquals(65_535, details(trace).getOrigin(65_999).tag());
    assertEquals(Map.of("entriesOfOtherTags", 66_000L - 65_534), trace.getRepairs());
  }

  @Test
  @DisplayName("frames in a stack keeps the innermost")
  void depth() {
    StringBuilder stack = new StringBuilder();
    for (int i = 0; i < 1500; i++) {
      stack.append("deep.Tree.walk(Tree.java:").append(i).append(");");
    }
    Trace trace = read("action,addr,size,stream,time_us,stack\nalloc,0,512,0,0," + stack + "\n");
    int[] frames = details(trace).getStacks().get(details(trace).getOrigin(0).stack());
    assertEquals(1024, frames.length);
    List<String> texts = details(trace).getFrames();
    assertEquals("deep.Tree.walk(Tree.java:476)", texts.get(frames[0]));
    assertEquals("deep.Tree.walk(Tree.java:1499)", texts.get(frames[1023]));
    assertEquals(Map.of("entriesOfOtherStacks", 1L), trace.getRepairs());
  }

  @Test
  @DisplayName("rows of segments samples them evenly, and keeps failed allocations")
  void segmentRows() {
    StringBuilder text = new StringBuilder(CSV).append("alloc,0,512,0,0\n");
    int rows = (1 << 20) + 1000;
    for (int i = 0; i < rows; i++) {
      text.append(i % 2 == 0 ? "segment_map" : "segment_unmap").append(",0,2097152,0,1\n");
      if (i == 501) {
        text.append("oom,0,7777,0,1\n");
      }
    }
    Trace trace = read(text.toString());
    List<Mark> marks = details(trace).getMarks();
    long dropped = Objects.requireNonNull(trace.getRepairs().get("segmentRowsThinnedOut"));
    assertEquals(rows + 1, marks.size() + dropped);
    assertTrue(marks.size() > 1 << 19 && marks.size() <= 1 << 20, () -> "" + marks.size());
    assertEquals(1, marks.stream().filter(each -> each.kind() == Mark.Kind.OUT_OF_MEMORY).count());
  }
}
