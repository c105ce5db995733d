package org.vramkit.sim.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("24 leaks in words and as JSON")
class LeakReportTest {
  private static final Leak BLOCK =
      new Leak(LeakKind.ALLOCATION, 0, 0x7f00, "", 4096, ReportSamples.stack(), false);
  private static final Leak STREAM =
      new Leak(LeakKind.STREAM, 1, 77, "loading", 0, List.of(), true);
  private final LeakReport report = new LeakReport(List.of(BLOCK, STREAM, BLOCK));

  @Test
  @DisplayName("The text counts each kind, adds its bytes up and shows where each was taken")
  void text() {
    String text = report.toString();
    assertTrue(text.startsWith("left behind: 2 x allocation (8.00 KiB), 1 x stream"), text);
    assertTrue(text.contains("LEAK: allocation of 4.00 KiB, 0x7f00 of device 0"), text);
    assertTrue(text.contains("LEAK_BY_GC: stream loading, 0x4d of device 1"), text);
    assertTrue(text.contains("at com.acme.Layer0"), text);
  }

  @Test
  @DisplayName("The blocks of a pool come before what it holds for them, and what to close is said")
  void pool() {
    Leak reservation = new Leak(LeakKind.RESERVATION, 0, 0x10000, "", 1 << 30, List.of(), false);
    Leak block = new Leak(LeakKind.BLOCK, 0, 0x10000, "", 512, List.of(), false);
    String text = new LeakReport(List.of(reservation, block)).toString();
    assertTrue(text.indexOf("LEAK: block of a pool") < text.indexOf("LEAK: reservation"), text);
    assertTrue(text.contains("remedy close the blocks, then close the allocator"), text);
    assertTrue(text.contains("reservations, mappings and physical memory"), text);
    String open = new LeakReport(List.of(reservation)).toString();
    assertTrue(open.contains("remedy close the allocator"), open);
  }

  @Test
  @DisplayName("The memory that blocks keep open is listed once for each kind, and counted")
  void memoryOfBlocks() {
    Leak mapping = new Leak(LeakKind.MAPPING, 0, 0x10000, "", 2 << 20, List.of(), false);
    Leak block = new Leak(LeakKind.BLOCK, 0, 0x10000, "", 512, List.of(), false);
    List<Leak> mappings = Collections.nCopies(24, mapping);
    List<Leak> all = new ArrayList<>(mappings);
    all.addAll(List.of(block, block));
    String text = new LeakReport(all).toString();
    assertEquals(2, text.split("LEAK: block", -1).length - 1, text);
    assertEquals(1, text.split("LEAK: mapping", -1).length - 1, text);
    assertTrue(text.contains("24 x mapping (48.00 MiB)"), text);
    assertTrue(text.contains("and 23 more"), text);
    String alone = new LeakReport(mappings).toString();
    assertEquals(9, alone.split("LEAK: mapping", -1).length - 1, alone);
  }

  @Test
  @DisplayName("Obvious leaks have no remedy")
  void noRemedy() {
    assertTrue(!report.toString().contains("remedy"), report.toString());
  }

  @Test
  @DisplayName("Many leaks still fit on one screen, and the text says how many are not shown")
  void oneScreen() {
    String text = new LeakReport(Collections.nCopies(100, BLOCK)).toString();
    assertTrue(text.lines().count() <= 40, text);
    assertTrue(text.contains("and 91 more"), text);
  }

  @Test
  @DisplayName("No leaks are said to be none")
  void none() {
    LeakReport none = new LeakReport(List.of());
    assertTrue(none.isEmpty());
    assertEquals("nothing is left", none.toString());
    assertEquals(Map.of(), none.getCounts());
  }

  @Test
  @DisplayName("Every field comes back from JSON as it was")
  void json() throws JsonProcessingException {
    JsonNode json = new ObjectMapper().readTree(report.toJson());
    List<Leak> read = new ArrayList<>();
    for (JsonNode leak : json.get("leaks")) {
      read.add(
          new Leak(
              LeakKind.valueOf(leak.get("kind").textValue()),
              leak.get("device").intValue(),
              leak.get("handle").longValue(),
              leak.get("name").textValue(),
              leak.get("bytes").longValue(),
              HazardJsonTest.stack(leak.get("stack")),
              leak.get("collected").booleanValue()));
    }
    assertEquals(report.leaks(), read);
    JsonNode first = json.get("kinds").get(0);
    assertEquals("ALLOCATION", first.get("kind").textValue());
    assertEquals(2, first.get("count").longValue());
    assertEquals(8192, first.get("bytes").longValue());
    assertEquals(2, json.get("kinds").size());
  }
}
