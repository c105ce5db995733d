package org.vramkit.tools.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.tools.trace.Reading.CSV;
import static org.vramkit.tools.trace.Reading.RMM;
import static org.vramkit.tools.trace.Reading.read;
import static org.vramkit.tools.trace.Reading.refuses;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Files as other programs and other versions write them. */
@DisplayName("Files of other people")
class ForeignFilesTest {

  private static String snapshot(String... entries) {
    return "{\"segments\":[],\"device_traces\":[[" + String.join(",", entries) + "]]}";
  }

  @Test
  @DisplayName(
      "42.2 JSON: an entry with an unknown action is skipped and counted, whatever it contains")
  void unknownActionsOfJson() {
    Trace trace =
        read(
            snapshot(
                "{\"action\":\"user_defined\",\"addr\":0,\"size\":0,\"stream\":0,\"time_us\":1,"
                    + "\"frames\":[{\"name\":\"START\",\"filename\":\"step 0\",\"line\":0}]}",
                "{\"action\":\"alloc\",\"addr\":4096,\"size\":512,\"stream\":0,\"time_us\":1}",
                "{\"action\":\"segment_prefetch\",\"addr\":\"here\",\"size\":[1,{\"a\":2}],\"time_us\":1.5}",
                "{\"addr\":5}",
                "{\"action\":\"free_completed\",\"addr\":4096,\"size\":512,\"stream\":0,\"time_us\":3}"));
    assertEquals(Map.of("unknownActions", 3L), trace.getRepairs());
    assertEquals(2, trace.getEventCount());
    assertEquals(512, trace.getRequestedPeakBytes());
  }

  @Test
  @DisplayName("42.5 Addresses and streams up to 2^64 - 1 are read from JSON and rows, and no more")
  void highAddresses() {
    String alloc = "{\"action\":\"alloc\",\"addr\":%s,\"size\":512,\"stream\":%s,\"time_us\":1}";
    String free =
        "{\"action\":\"free_completed\",\"addr\":%s,\"size\":512,\"stream\":%s,\"time_us\":2}";
    String row = "alloc,%1$s,512,%2$s,0\nfree_completed,%1$s,512,%2$s,1\n";
    for (String high :
        List.of("18446720620317114368", "18446744073709551615", "9223372036854775808")) {
      Trace json = read(snapshot(alloc.formatted(high, high), free.formatted(high, high)));
      assertEquals(Map.of(), json.getRepairs(), high);
      assertEquals(2, json.getEventCount());
      Trace rows = read(CSV + row.formatted(high, high));
      assertEquals(Map.of(), rows.getRepairs(), high);
      assertEquals(2, rows.getEventCount());
    }
    refuses(snapshot(alloc.formatted("18446744073709551616", "0")), "addr", "64 bits");
    refuses(CSV + row.formatted("18446744073709551616", "0"), "addr", "at most 2^64 - 1");
    refuses(CSV + row.formatted("0", "99999999999999999999"), "stream", "at most 2^64 - 1");
    String live =
        "{\"segments\":[{\"address\":18446720620317114368,\"total_size\":2097152,\"stream\":0,"
            + "\"blocks\":[{\"address\":18446720620317114368,\"size\":8192,\"state\":"
            + "\"active_allocated\"}]}],\"device_traces\":[["
            + alloc.formatted("18446720620317114368", "0")
            + "]]}";
    assertEquals(Map.of(), read(live).getRepairs());
  }

  @Test
  @DisplayName("42.2 CSV and RMM: a row with an unknown action is skipped and counted")
  void unknownActionsOfRows() {
    Trace csv = read(CSV + "alloc,1,5,0,0\nuser_defined,,,,\nfree_completed,1,5,0,1\n");
    assertEquals(Map.of("unknownActions", 1L), csv.getRepairs());
    assertEquals(2, csv.getEventCount());
    Trace rmm =
        read(
            RMM
                + "1,10:00:00.000001,allocate,0x100,5,0x0\n"
                + "1,10:00:00.000002,reallocate,0x100 to 0x200,5,0x0\n"
                + "1,10:00:00.000003,free,0x100,5,0x0\n");
    assertEquals(Map.of("unknownActions", 1L), rmm.getRepairs());
    assertEquals(2, rmm.getEventCount());
  }

  @Test
  @DisplayName("42.4 RMM: a last row that a crash cut off is dropped wherever it ends, and counted")
  void cutLog() {
    String rows =
        """
        1,15:47:02.000001,allocate,0x10000000000,1048576,0x7f8a38001020
        1,15:47:02.000002,free,0x10000000000,1048576,0x7f8a38001020
        """;
    String last = "1,15:47:02.000003,allocate,0x10000000000,1048576,0x7f8a38001020\n";
    for (int length = 1; length < last.length(); length++) {
      Trace trace = read(RMM + rows + last.substring(0, length));
      assertEquals(Map.of("cutRows", 1L), trace.getRepairs(), last.substring(0, length));
      assertEquals(2, trace.getEventCount());
      assertEquals(2, trace.getStreamCount());
    }
    assertEquals(Map.of(), read(RMM + rows + last).getRepairs());
  }

  @Test
  @DisplayName("42.4 CSV: a history's last row is dropped wherever it was cut off, quotes or not")
  void cutHistory() {
    String head = "action,addr,size,stream,time_us,tag,thread,stack\nalloc,4096,512,0,0,a,1,\n";
    String last = "alloc,8192,512,77,12,\"a, \"\"b\"\"\",1,\"f(x.py:1);g(x.py:2)\"";
    for (int length = 1; length <= last.length(); length++) {
      Trace trace = read(head + last.substring(0, length));
      assertEquals(Map.of("cutRows", 1L), trace.getRepairs(), last.substring(0, length));
      assertEquals(1, trace.getEventCount());
      assertEquals(1, trace.getStreamCount());
    }
    assertEquals(2, read(head + last + "\n").getEventCount());
    assertEquals(2, read(head + last + "\r\n").getEventCount());
  }

  @Test
  @DisplayName("42.4 CSV: a complete last row of five columns needs no line break")
  void unendedRow() {
    String row = "alloc,8192,512,0,12";
    for (int length = 1; length <= row.length(); length++) {
      Trace trace = read(CSV + "alloc,4096,512,0,0\n" + row.substring(0, length));
      boolean isWhole = length > row.lastIndexOf(',') + 1;
      assertEquals(isWhole ? 2 : 1, trace.getEventCount(), row.substring(0, length));
      assertEquals(
          isWhole ? Map.of() : Map.of("cutRows", 1L), trace.getRepairs(), row.substring(0, length));
    }
    refuses(CSV + "alloc,4096,512,0,0\nalloc,8192\nalloc,9192,1,1,1\n", "t:3", "2 fields");
  }

  @Test
  @DisplayName("42.29 Damaged gzip is recognised, whatever its bytes unpack to")
  void damagedGzip() {
    StringBuilder text = new StringBuilder(CSV);
    for (int i = 0; i < 300; i++) {
      text.append("alloc,").append(4096L * i * i).append(",512,0,").append(i).append('\n');
    }
    byte[] packed = Reading.gzip(text.toString().getBytes(StandardCharsets.UTF_8));
    for (int at = 10; at < packed.length; at++) {
      byte[] damaged = packed.clone();
      damaged[at] ^= 4;
      // The last byte before the checksum has bits that mean nothing.
      if (at != packed.length - 9) {
        refuses(damaged, "t", "gzip data");
      }
    }
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  @DisplayName("42.8 Other compression formats and archives are refused with the remedy")
  void packed() {
    refuses(latin("(\u00b5/\u00fd\u0004abc"), "t: is packed by zstd", "zstd -d");
    refuses(latin("\u00fd7zXZ\0\0\u0004"), "t: is packed by xz", "xz -d");
    refuses(latin("BZh91AY&SY"), "t: is packed by bzip2", "bzip2 -d");
    refuses(latin("PK\u0003\u0004\u0014\0"), "t: is a zip archive", "unpack");
    refuses(Reading.gzip(Reading.gzip(latin(CSV))), "t: is packed by gzip twice", "gzip -d");
    byte[] tar = latin("gpt.csv" + "\0".repeat(250) + "ustar\00" + "0".repeat(300));
    refuses(tar, "t: is a tar archive", "unpack");
    refuses(Reading.gzip(tar), "t: is a tar archive", "unpack");
  }

  @Test
  @DisplayName("42.8 Text in UTF-16 is refused with the remedy")
  void utf16() {
    refuses(CSV.getBytes(StandardCharsets.UTF_16), "t: is text in UTF-16", "UTF-8");
    refuses("\ufeff{}".getBytes(StandardCharsets.UTF_16LE), "t: is text in UTF-16", "UTF-8");
  }

  @Test
  @DisplayName("42.8 RMM's debug log and trace events are refused with the remedy")
  void otherLogs() {
    refuses(
        """
        [1000][08:00:00:000001][info  ] ----- RMM LOG BEGIN [PTDS DISABLED] -----
        [1000][08:00:00:000002][error ] [A][Stream 0x1][Upstream 1048576B][FAILURE]
        """,
        "t: is RMM's debug log",
        "LoggingResourceAdaptor");
    refuses("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}", "is a file of trace events", "CSV");
    refuses("{\"other\":1,\"traceEvents\":[]}", "is a file of trace events", "CSV");
    refuses("[{\"name\":\"a\",\"ph\":\"b\"}]", "t: is a file of trace events");
    refuses("[1, 2]", "t:1", "no known format");
  }

  @Test
  @DisplayName("42.8 Files beside recordings, and what stands in their place, are refused by name")
  void neighbours() {
    String record = "torch.cuda.memory._record_memory_history()";
    refuses(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 4494887\n",
        "t: is a pointer of Git LFS",
        "git lfs pull");
    refuses("{\n  \"schemaVersion\": 1,\n  \"traceEvents\": []}", "torch.profiler", record);
    refuses("{\"deviceProperties\": [], \"traceEvents\": []}", "torch.profiler", record);
    refuses("[[171, 0, 512, 1], [172, 1, 512, 1]]", "t: is a memory timeline", record);
    refuses("<!DOCTYPE html>\n<html></html>", "t: is a web page", "_memory_viz", "base64");
    refuses("\n<HTML><body></body></HTML>", "t: is a web page");
    refuses(
        latin("PK\u0003\u0004\0\0\u0008\u0008" + "\0".repeat(22) + "archive/data.pklFB"),
        "t: is a checkpoint of torch.save",
        record);
    byte[] profile = latin("\n\u0004\u0008\u0001\u0010\u0002\n\u0004\u0008\u0003\u0010\u0004");
    refuses(profile, "t: is a profile of pprof", "JAX");
    refuses(Reading.gzip(profile), "t: is a profile of pprof", "JAX");
    refuses(latin("FLR\0\0\u0002"), "t: is a flight recording", "vramkit dump");
    refuses(latin("\n\0\u0001\u00ff"), "t:1", "begins with binary data, 0a 00 01 ff");
  }

  @Test
  @DisplayName("42.8 A list of segments is a snapshot of one moment, as JSON and as pickle")
  void segments() {
    String block = "{\"size\": 8192, \"requested_size\": 8000, \"state\": \"active_allocated\"}";
    Trace json =
        read(
            "[{\"device\": 0, \"address\": 4096, \"total_size\": 2097152, \"stream\": 0,"
                + " \"blocks\": ["
                + block
                + "]}]");
    assertTrue(json.isMoment());
    assertEquals(8000, json.getRequestedPeakBytes());
    byte[] pickle =
        latin(
            "\u0080\u0002](}(X\6\0\0\0deviceK\0X\n\0\0\0total_sizeM\0\40X\6\0\0\0blocks](}("
                + "X\4\0\0\0sizeM\0\20X\5\0\0\0stateX\20\0\0\0active_allocatedueue.");
    assertEquals(4096, read(pickle).getRequestedPeakBytes());
    assertTrue(read(pickle).isMoment());
    refuses("[]", "holds no allocation");
    refuses("{\"allocator_settings\": {}}", "device_traces is missing");
  }

  @Test
  @DisplayName("42.2 A history that PyTorch says to have overwritten lacks its beginning")
  void overflowed() {
    String alloc = "{\"action\":\"alloc\",\"addr\":4096,\"size\":512,\"stream\":0,\"time_us\":1}";
    String settings = "{\"trace_alloc_max_entries\":7,\"trace_alloc_overflowed\":%s}";
    String file = "{\"allocator_settings\":" + settings + ",\"device_traces\":[[" + alloc + "]]}";
    assertEquals(List.of(), read(file.formatted("false")).getGaps());
    assertEquals(1, read(file.formatted("true")).getGaps().size());
    assertTrue(read(file.formatted("true")).getGaps().get(0).contains("max_entries"));
  }

  @Test
  @DisplayName("42.29 An error of a packed file is that of the plain one, in every format")
  void packedErrors() {
    for (String text :
        List.of(
            "{\"segments\": oops}",
            "{\"segments\": [",
            "{\"schemaVersion\":1,\"traceEvents\":[]}",
            "{\"other\":1,\"traceEvents\":[]}",
            "{\"device_traces\":7}",
            "{\"segments\":[]}{}",
            snapshot("{\"action\":\"alloc\",\"addr\":1,\"size\":\"12\",\"stream\":0}"),
            snapshot("{\"action\":\"alloc\",\"addr\":1}"),
            "[{\"total_size\": x}]",
            CSV + "alloc,1,2\nalloc,1,5,0,0\n",
            CSV + "alloc,x,5,0,0\n",
            CSV + "\"alloc,1,5,0,0\n",
            CSV + "free_completed,1,5,0,0\n",
            RMM + "1,10:00:00.000001,allocate,zz,5,0x0\n",
            RMM + "1,10:99:00.000001,allocate,0x1,5,0x0\n",
            "\u0080\u0002c",
            "\u0080\u0002}q",
            "\u0080\u0002K\u0001.",
            "unknown",
            " ")) {
      byte[] plain = latin(text);
      String message = assertThrows(TraceException.class, () -> read(plain)).getMessage();
      TraceException packed =
          assertThrows(TraceException.class, () -> read(Reading.gzip(plain)), text);
      assertEquals(message, packed.getMessage());
    }
  }
}
