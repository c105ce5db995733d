package org.vramkit.tools.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The display of a JVM's allocators")
class TopTest {
  private static final Instant START = Instant.ofEpochSecond(1_700_000_000);

  private final Pools pools = new Pools(Duration.ofSeconds(4));

  private static Figures figures(long allocator, int second, long used, long served) {
    Map<String, Long> values = new LinkedHashMap<>();
    values.put("deviceUsedBytes", used);
    values.put("deviceTotalBytes", 1L << 37);
    values.put("liveBytes", 3L << 20);
    values.put("cachedBytes", 1L << 20);
    values.put("reservedBytes", 4L << 20);
    values.put("reservedPeakBytes", 8L << 20);
    values.put("allocations", 7L);
    values.put("servedFromPool", served);
    values.put("cacheHits", served / 2);
    values.put("misses", 10L);
    values.put("pagesMoved", 2L);
    values.put("outOfMemories", 1L);
    Map<String, String> labels = Map.of("deviceName", "NVIDIA H200");
    return new Figures(START.plusSeconds(second), 0, allocator, second, labels, values);
  }

  private static Figures tag(long reading, String tag, long live, long peak, long allocations) {
    Map<String, Long> values =
        Map.of("liveBytes", live, "peakBytes", peak, "allocations", allocations);
    return new Figures(START, 0, 1, reading, Map.of("tag", tag), values);
  }

  private static Figures stream(long reading, String stream, long live, long cached, long rest) {
    Map<String, Long> values =
        Map.of("liveBytes", live, "cachedBytes", cached, "fragmentBytes", rest);
    return new Figures(START, 0, 1, reading, Map.of("stream", stream), values);
  }

  @Test
  @DisplayName("22.8 has memory by device, allocator and tag, and the memory of others")
  void tables() {
    pools.addTag(tag(0, "train/\u001bforward", 2L << 20, 3L << 20, 40));
    pools.addAllocator(figures(1, 0, 100L << 20, 90));
    pools.addAllocator(figures(2, 0, 100L << 20, 90));
    assertEquals(
        """
        DEVICE  NAME              TOTAL        USED      HERE     OTHERS
        0       NVIDIA H200  128.00 GiB  100.00 MiB  8.00 MiB  92.00 MiB

        ALLOCATOR  DEV      LIVE    CACHED  FRAGMENTS  RESERVED      PEAK
        1            0  3.00 MiB  1.00 MiB        0 B  4.00 MiB  8.00 MiB
        2            0  3.00 MiB  1.00 MiB        0 B  4.00 MiB  8.00 MiB

        ALLOCATOR  HELD  ALLOC/S  FROM POOL  CACHE HITS  MOVED  OOM  LEAKS
        1             7        -      90.0%       45.0%      2    1      0
        2             7        -      90.0%       45.0%      2    1      0

        TAG             ALLOCATOR      LIVE      PEAK  ALLOCATIONS
        train/?forward          1  2.00 MiB  3.00 MiB           40
        """,
        pools.text());
  }

  @Test
  @DisplayName("45 has suspended memory and the figures of parts, if there are any, in 80 columns")
  void parts() throws IOException {
    pools.addAllocator(
        new Figures(
            START,
            0,
            1,
            0,
            Map.of("deviceName", "NVIDIA H200"),
            Map.of("suspendedBytes", 1023L << 30, "deviceTotalBytes", 1L << 37)));
    Map<String, Long> large = new HashMap<>();
    for (String bytes : List.of("capacity", "granted", "used", "onDevice", "onHost", "onDisk")) {
      large.put(bytes + "Bytes", 1023L << 30);
    }
    large.putAll(Map.of("spilledBytes", 1023L << 40, "running", 3L, "admitted", 1_000_000L));
    large.putAll(Map.of("rolledBack", 2L, "served", 4L, "longestWaitNanos", 5L));
    long part = 1;
    for (PartKind kind : PartKind.values()) {
      pools.addPart(kind, new Figures(START, 0, part++, 0, Map.of(), large));
    }
    String text = pools.text();
    assertTrue(
        text.endsWith(
            """
            ALLOCATOR    SUSPENDED
            1          1023.00 GiB

            ADMISSION     CAPACITY      GRANTED         USED  RUNNING  WAITING  ADMITTED
            1          1023.00 GiB  1023.00 GiB  1023.00 GiB        3        0   1000000

            SPILL STORE    ON DEVICE      ON HOST      ON DISK      SPILLED  FAILURES
            2            1023.00 GiB  1023.00 GiB  1023.00 GiB  1023.00 TiB         0

            RETRY  RUNNING  BLOCKED  ROLLED BACK  TASKS  ROLLBACKS  SPLITS
            3            3        0            2      0          0       0

            WAITING ALLOCATOR  LIVE  WAITING  SERVED  FAILED
            4                   0 B        0       4       0
            """),
        text);
    assertTrue(text.lines().allMatch(line -> line.length() <= 80), text);
    JsonNode json = new ObjectMapper().readTree(pools.json());
    assertEquals(1023L << 30, json.path("allocators").path(0).path("suspendedBytes").asLong());
    assertEquals(2, json.path("spillStores").path(0).path("part").asLong());
    assertEquals(5, json.path("admissions").path(0).path("longestWaitNanos").asLong());
    pools.addAllocator(figures(1, 10, 0, 1));
    assertFalse(pools.text().contains("ADMISSION"), pools.text());
    assertFalse(pools.text().contains("SUSPENDED"), pools.text());
  }

  @Test
  @DisplayName("22.8 has rates since the previous frame, unless figures were reset")
  void rates() {
    pools.addAllocator(figures(1, 0, -1, 90));
    pools.addAllocator(figures(1, 2, -1, 1090));
    assertTrue(pools.text().contains("     500  "), pools.text());
    assertTrue(pools.text().lines().toList().get(1).endsWith("-"), pools.text());
    pools.addAllocator(figures(1, 3, -1, 5));
    assertTrue(pools.text().contains("       -      33.3%       13.3%"), pools.text());
  }

  @Test
  @DisplayName("22.8 as JSON is one line without unknown figures")
  void json() throws IOException {
    pools.addTag(tag(0, "a\nb", 2L << 20, 3L << 20, 40));
    pools.addAllocator(figures(1, 0, -1, 90));
    assertEquals(1, pools.json().lines().count());
    JsonNode first = new ObjectMapper().readTree(pools.json());
    assertEquals("2023-11-14T22:13:20Z", first.path("time").asText());
    JsonNode allocator = first.path("allocators").path(0);
    assertEquals(3L << 20, allocator.path("liveBytes").asLong());
    assertEquals(100, allocator.path("allocations").asLong());
    assertEquals(90, allocator.path("servedFromPool").asLong());
    assertEquals(45, allocator.path("cacheHits").asLong());
    assertFalse(allocator.has("deviceUsedBytes"));
    assertFalse(allocator.has("allocationsPerSecond"));
    assertEquals("a\nb", first.path("tags").path(0).path("tag").asText());

    pools.addAllocator(figures(1, 2, 100L << 20, 1090));
    JsonNode second = new ObjectMapper().readTree(pools.json()).path("allocators").path(0);
    assertEquals(100L << 20, second.path("deviceUsedBytes").asLong());
    assertEquals(500, second.path("allocationsPerSecond").asDouble());
  }

  @Test
  @DisplayName("22.8 drops allocators that no longer report")
  void closed() {
    assertTrue(pools.isEmpty());
    pools.addTag(tag(0, "a", 1, 1, 1));
    pools.addAllocator(figures(1, 0, 0, 1));
    pools.addAllocator(figures(2, 10, 0, 1));
    assertTrue(pools.text().lines().noneMatch(line -> line.startsWith("1 ")), pools.text());
    assertTrue(pools.text().lines().noneMatch(line -> line.startsWith("TAG")), pools.text());
  }

  @Test
  @DisplayName("42.27 lists the streams with most memory, by their names")
  void streams() throws IOException {
    pools.addStream(stream(0, "shared", 0, 0, 2L << 20));
    pools.addStream(stream(0, "copies\n (0x5)", 3L << 20, 1L << 20, 0));
    pools.addAllocator(figures(1, 0, 0, 1));
    String text = pools.text();
    assertTrue(
        text.endsWith(
            """
            STREAM         ALLOCATOR      LIVE    CACHED  FRAGMENTS
            copies? (0x5)          1  3.00 MiB  1.00 MiB        0 B
            shared                 1       0 B       0 B   2.00 MiB
            """),
        text);
    JsonNode streams = new ObjectMapper().readTree(pools.json()).path("streams");
    assertEquals("copies\n (0x5)", streams.path(0).path("stream").asText());
    assertEquals(2L << 20, streams.path(1).path("fragmentBytes").asLong());
    pools.addAllocator(figures(1, 10, 0, 1));
    assertFalse(pools.text().contains("STREAM"), pools.text());
  }

  @Test
  @DisplayName("22.8 has streams and an allocator of one reading, whose memory adds up")
  void oneReading() {
    pools.addStream(stream(1, "copies", 2L << 20, 0, 0));
    pools.addAllocator(figures(1, 1, 0, 1));
    pools.addStream(stream(2, "copies", 3L << 20, 0, 0));
    assertTrue(pools.text().contains("copies          1  2.00 MiB"), pools.text());
    pools.addAllocator(figures(1, 2, 0, 1));
    assertTrue(pools.text().contains("copies          1  3.00 MiB"), pools.text());
    pools.addAllocator(figures(1, 3, 0, 1));
    assertFalse(pools.text().contains("copies"), pools.text());
  }

  @Test
  @DisplayName("has every other figure that is not 0 in lines of 80 columns, also one that is new")
  void others() throws IOException {
    Figures known = figures(1, 0, 0, 1);
    for (String each : List.of("steals", "retries", "blocksSplit", "driverAllocations")) {
      known.values().put(each, 1_234_567_890L);
    }
    known.values().put("moveTimeNanos", 1_500_000L);
    known.values().put("livePeakBytes", 5L);
    known.values().put("rejections", 0L);
    pools.addAllocator(known);
    assertTrue(
        pools
            .text()
            .endsWith(
                """
                allocator 1: steals 1234567890, retries 1234567890, blocks split 1234567890,
                  driver allocations 1234567890, move time 1.5 ms
                """),
        pools.text());
    JsonNode json = new ObjectMapper().readTree(pools.json()).path("allocators").path(0);
    assertEquals(1_234_567_890L, json.path("blocksSplit").asLong());
    assertEquals(5, json.path("livePeakBytes").asLong());
  }

  @Test
  @DisplayName("22.8 is limited to the tags with most memory")
  void manyTags() {
    for (int i = 0; i < 20; i++) {
      pools.addTag(tag(0, "tag " + i, i << 20, i << 20, 1));
    }
    pools.addAllocator(figures(1, 0, 0, 1));
    assertTrue(pools.text().contains("tag 19"), pools.text());
    assertTrue(pools.text().contains("and 5 more"), pools.text());
  }
}
