package org.vramkit.tools.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.tools.trace.Reading.CSV;
import static org.vramkit.tools.trace.Reading.RMM;
import static org.vramkit.tools.trace.Reading.read;
import static org.vramkit.tools.trace.Reading.refuses;

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
      "42.2 JSON: an entry of an unknown action is passed over and counted, whatever it holds")
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
  @DisplayName("42.2 CSV and RMM: a row of an unknown action is passed over and counted")
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
}
