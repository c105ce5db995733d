package org.vramkit.tools.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.tools.trace.Reading.CSV;
import static org.vramkit.tools.trace.Reading.RMM;
import static org.vramkit.tools.trace.Reading.read;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Files as other programs and other versions write them. */
@DisplayName("42.2 Files of other people")
class ForeignFilesTest {

  private static String snapshot(String... entries) {
    return "{\"segments\":[],\"device_traces\":[[" + String.join(",", entries) + "]]}";
  }

  @Test
  @DisplayName("JSON: an entry of an unknown action is passed over and counted, whatever it holds")
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
  @DisplayName("CSV and RMM: a row of an unknown action is passed over and counted")
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
