package org.vramkit.tools.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.tools.trace.Reading.CSV;
import static org.vramkit.tools.trace.Reading.RMM;
import static org.vramkit.tools.trace.Reading.gzip;
import static org.vramkit.tools.trace.Reading.read;
import static org.vramkit.tools.trace.Reading.refuses;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TextTraceTest {

  @Test
  @DisplayName("CSV: events, sizes, streams and relative times are kept")
  void csv() {
    Trace trace =
        read(
            CSV
                + "alloc,4096,100,7,50\r\nfree_requested,4096,100,7,60\nfree_completed,4096,100,7,70");
    assertEquals(2, trace.getEventCount());
    assertTrue(trace.isAllocation(0));
    assertFalse(trace.isAllocation(1));
    assertEquals(0, trace.getAllocation(1));
    assertEquals(100, trace.getSize(0));
    assertEquals(1, trace.getStream(0));
    assertEquals(2, trace.getStreamCount());
    assertEquals(20_000, trace.getNanos(1));
  }

  @Test
  @DisplayName("CSV: a free that was requested but never completed leaves the memory live")
  void requestedFree() {
    Trace trace = read(CSV + "alloc,1,10,0,0\nfree_requested,1,10,0,1\nalloc,2,10,0,2\n");
    assertEquals(2, trace.getEventCount());
    assertEquals(20, trace.getRequestedPeakBytes());
  }

  @Test
  @DisplayName("CSV: failed allocations of the recorded program are counted separately")
  void recordedFailure() {
    String row = "oom,1,35184372088832,0,0\n";
    assertEquals(1, read(CSV + row + "alloc,1,1,0,0\n").getRecordedFailures());
  }

  @Test
  @DisplayName("Times that go back are replaced by the previous one, and counted beyond jitter")
  void timesNeverGoBack() {
    Trace jitter = read(CSV + "alloc,1,1,0,10\nalloc,2,1,0,5\nalloc,3,1,0,12\n");
    assertEquals(0, jitter.getNanos(1));
    assertEquals(2_000, jitter.getNanos(2));
    assertEquals(Map.of(), jitter.getRepairs());
    Trace back = read(CSV + "alloc,1,1,0,90000\nalloc,2,1,0,60000\nalloc,3,1,0,70000\n");
    assertEquals(0, back.getNanos(2));
    assertEquals(Map.of("timesThatWentBack", 2L), back.getRepairs());
  }

  @Test
  @DisplayName("CSV: sizes up to 2^60 are read")
  void largestSize() {
    assertEquals(1L << 60, read(CSV + "alloc,1,1152921504606846976,0,0\n").getRequestedPeakBytes());
  }

  @Test
  @DisplayName("CSV: every kind of bad row is refused with file and line")
  void badRows() {
    refuses(CSV + "alloc,1,1,0,0\nalloc,1,1,0,0\n", "t:3", "0x1", "still live");
    refuses(CSV + "free_completed,1,1,0,0\n", "t:2", "nothing is live");
    refuses(CSV + "alloc,1,5,0,0\nfree_completed,1,6,0,0\n", "t:3", "6 bytes", "5 were");
    refuses(CSV + "alloc,1,-1,0,0\n", "t:2", "negative size -1");
    refuses(CSV + "alloc,1,1152921504606846977,0,0\n", "t:2", "absurd size", "2^60");
    refuses(CSV + "alloc,1,9223372036854775808,0,0\n", "t:2", "size", "at most 2^63 - 1");
    refuses(CSV + "alloc,1,99999999999999999999,0,0\n", "t:2", "size", "at most 2^63 - 1");
    refuses(CSV + "alloc,1,999999999999999999,0,0\nalloc,2,999999999999999999,0,0\n", "t:3", "EiB");
    refuses(CSV + "alloc,1,1,0\n", "t:2", "4 fields");
    refuses(CSV + "alloc,x,1,0,0\n", "t:2", "addr", "'x'");
    refuses(CSV + "alloc,1,,0,0\n", "t:2", "size");
    refuses(CSV + "malloc,1,1,0,0\n", "t: holds no allocation but 1 unknown action", "'malloc'");
    refuses(CSV + "alloc,1,1,0,-4\n", "t:2", "time -4");
    refuses(CSV + "a".repeat(1_100_000), "t:2", "longer");
    refuses(CSV + ",".repeat(50), "t:2", "fields");
  }

  @Test
  @DisplayName("Other files are refused: empty, unknown, wrong header, folder, missing file")
  void noTrace(@TempDir Path folder) {
    refuses("", "t: is empty");
    refuses(CSV, "t: holds no allocation");
    refuses(RMM, "t: holds no allocation");
    refuses(CSV + "oom,1,5,0,0\n" + "\n".repeat(100), "t: holds no allocation");
    refuses(gzip(new byte[0]), "t: is empty");
    refuses("\n", "t: holds only blank lines");
    refuses(" \r\n".repeat(100), "t: holds only blank lines");
    refuses("\n" + CSV, "t:1", "begins with a blank line");
    refuses("\n".repeat(100) + CSV, "t:1", "begins with a blank line");
    refuses("hello\u0007\nworld", "t:1", "no known format", "'hello?'");
    refuses("action,addr,size\n", "t:1", "wrong header");
    refuses(Reading.CSV.strip() + ",tag,stack,tag\n", "t:1", "the column 'tag' twice");
    refuses("Thread,Time,Foo\n", "t:1", "wrong header");
    assertThrows(TraceException.class, () -> Traces.read(folder));
    assertThrows(TraceException.class, () -> Traces.read(folder.resolve("missing")));
  }

  @Test
  @DisplayName("Gzip is found by content; truncated or damaged data are refused")
  void gzipData() {
    StringBuilder text = new StringBuilder(CSV);
    for (int i = 0; i < 5000; i++) {
      text.append("alloc,").append(i * 7919L).append(",1,0,").append(i).append('\n');
    }
    byte[] packed = gzip(text.toString().getBytes(StandardCharsets.UTF_8));
    assertEquals(5000, read(packed).getAllocationCount());
    refuses(Arrays.copyOf(packed, packed.length / 2), "t", "truncated");
    refuses(Arrays.copyOf(packed, 5), "t", "truncated");
    byte[] damaged = packed.clone();
    damaged[packed.length - 6] ^= 1;
    refuses(damaged, "t:", "damaged");
  }

  @Test
  @DisplayName("Gzip of several members is read to its end; trailing data is refused")
  void gzipMembers() {
    byte[] first = gzip((CSV + "alloc,1,5,0,0\n").getBytes(StandardCharsets.UTF_8));
    byte[] second = gzip("alloc,2,7,0,0\n".getBytes(StandardCharsets.UTF_8));
    assertEquals(12, read(joined(first, second)).getRequestedPeakBytes());
    for (int length = 1; length < second.length; length++) {
      refuses(joined(first, Arrays.copyOf(second, length)), "t:", "gzip");
    }
    refuses(joined(first, new byte[] {1, 2, 3}), "t:", "gzip data are damaged", "follows");
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] all = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, all, first.length, second.length);
    return all;
  }

  @Test
  @DisplayName("A byte order mark before text is skipped")
  void byteOrderMark() {
    assertEquals(5, read("\ufeff" + CSV + "alloc,1,5,0,0\n").getRequestedPeakBytes());
    assertEquals(
        5,
        read("\ufeff{\"device_traces\":[[{\"action\":\"alloc\",\"addr\":1,\"size\":5,\"stream\":0}]]}")
            .getRequestedPeakBytes());
  }

  @Test
  @DisplayName("RMM: both forms of the time, with and without a thread, null pointers, failures")
  void rmmVersions() {
    Trace latest =
        read(
            RMM
                + "1,10:00:00.000001,allocate,0x7f00,100,0x0\n"
                + "1,10:00:00.000002,allocate,0x0,0,0x0\n"
                + "1,10:00:00.000003,allocate failure,(nil),999,0x2a\n"
                + "1,10:00:00.000004,free,0x7f00,100,0x0\n");
    assertEquals(2, latest.getEventCount());
    assertEquals(3_000, latest.getNanos(1));
    assertEquals(1, latest.getRecordedFailures());
    Trace middle = read(RMM + "1,10:00:00:000001,allocate,0x7f00,100,0\n");
    assertEquals(1, middle.getAllocationCount());
    Trace first = read("Time,Action,Pointer,Size,Stream\n10:00:00:000001,allocate,0x7f00,100,0\n");
    assertEquals(100, first.getRequestedPeakBytes());
  }

  @Test
  @DisplayName("RMM: 0 and 0x1 are the default stream, 0x2 is one stream for each thread")
  void rmmStreams() {
    Trace trace =
        read(
            RMM
                + "1,10:00:00.000001,allocate,0x1,1,0x0\n"
                + "1,10:00:00.000001,allocate,0x2,1,0x1\n"
                + "1,10:00:00.000001,allocate,0x3,1,0x2\n"
                + "2,10:00:00.000001,allocate,0x4,1,0x2\n"
                + "1,10:00:00.000001,allocate,0x5,1,0x2\n");
    assertEquals(0, trace.getStream(0));
    assertEquals(0, trace.getStream(1));
    assertEquals(trace.getStream(2), trace.getStream(4));
    assertEquals(3, trace.getStreamCount());
  }

  @Test
  @DisplayName("RMM: the time wraps at midnight, except for late rows of the previous day")
  void midnight() {
    Trace trace =
        read(
            RMM
                + "1,23:59:59.000000,allocate,0x1,1,0\n"
                + "1,00:00:01.000000,allocate,0x2,1,0\n"
                + "2,23:59:59.500000,allocate,0x3,1,0\n"
                + "1,00:00:02.000000,allocate,0x4,1,0\n");
    assertEquals(2_000_000_000L, trace.getNanos(1));
    assertEquals(2_000_000_000L, trace.getNanos(2));
    assertEquals(3_000_000_000L, trace.getNanos(3));
  }

  @Test
  @DisplayName("RMM: every kind of bad row is refused with file and line")
  void badRmmRows() {
    refuses(RMM + "1,10:00:00.000001,free,0x1,1,0\n", "t:2", "nothing is live");
    refuses(RMM + "1,25:00:00.000001,allocate,0x1,1,0\n", "t:2", "time");
    refuses(RMM + "1,10:00,allocate,0x1,1,0\n", "t:2", "time");
    refuses(RMM + "1,10:00:00.000001,allocate,zz,1,0\n", "t:2", "Pointer");
    refuses(RMM + "1,10:00:00.000001,allocate,0x0,7,0\n", "t:2", "null pointer");
    refuses(RMM + "1,10:00:00.000001,grow,0x1,7,0\n", "t: holds no", "unknown action", "'grow'");
    refuses(RMM + "1,10:00:00.000001,allocate,0x1,-7,0\n", "t:2", "negative");
    refuses(RMM + "10:00:00.000001,allocate,0x1,7,0\n", "t:2", "5 fields");
  }
}
