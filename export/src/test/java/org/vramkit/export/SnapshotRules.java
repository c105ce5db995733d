package org.vramkit.export;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a memory snapshot has to be, so that PyTorch's command line and page read it without an
 * error: their assertions, and the page's walk backwards from the end.
 */
final class SnapshotRules {
  private static final long MOST = 1L << 53;
  private static final Set<String> STATES =
      Set.of("active_allocated", "active_pending_free", "inactive");
  private static final Set<String> ACTIONS =
      Set.of(
          "alloc",
          "free_requested",
          "free_completed",
          "segment_alloc",
          "segment_free",
          "segment_map",
          "segment_unmap",
          "snapshot",
          "oom",
          "annotate");

  /** By first address, size of each segment as the page knows it; all are stream 0's. */
  private final TreeMap<Long, Long> segments = new TreeMap<>();

  /** By address, whether a live block's free was requested. */
  private final TreeMap<Long, Boolean> blocks = new TreeMap<>();

  /** By address, the blocks that users hold in the end. */
  private final Map<Long, JsonNode> held = new HashMap<>();

  private SnapshotRules() {}

  /** Fails unless all hold. */
  static void check(JsonNode snapshot) {
    numbers(snapshot);
    JsonNode traces = list(snapshot, "device_traces");
    Map<Long, SnapshotRules> devices = new HashMap<>();
    for (JsonNode segment : list(snapshot, "segments")) {
      long device = number(segment, "device");
      require(device < traces.size(), "device without a trace");
      devices.computeIfAbsent(device, d -> new SnapshotRules()).segment(segment);
    }
    for (int i = 0; i < traces.size(); i++) {
      SnapshotRules rules = devices.computeIfAbsent((long) i, d -> new SnapshotRules());
      rules.requests(traces.get(i));
      rules.backwards(traces.get(i));
    }
  }

  private static void numbers(JsonNode value) {
    require(!value.has("category"), "category");
    require(!value.isNumber() || (value.asLong() >= 0 && value.asLong() < MOST), "" + value);
    value.forEach(SnapshotRules::numbers);
  }

  private void segment(JsonNode segment) {
    long address = number(segment, "address");
    long size = number(segment, "total_size");
    require(size > 0, "empty segment");
    require(number(segment, "stream") == 0, "stream of a segment");
    Map.Entry<Long, Long> below = segments.lastEntry();
    require(below == null || below.getKey() + below.getValue() <= address, "order of segments");
    segments.put(address, size);
    list(segment, "frames");
    long at = address;
    long live = 0;
    long active = 0;
    long requested = 0;
    for (JsonNode block : list(segment, "blocks")) {
      String state = block.path("state").asText();
      require(STATES.contains(state), "state " + state);
      require(number(block, "address") == at, "gap at " + at);
      require(number(block, "requested_size") <= number(block, "size"), "requested too much");
      list(block, "frames");
      if (!state.equals("inactive")) {
        blocks.put(at, state.equals("active_pending_free"));
        active += number(block, "size");
      }
      if (state.equals("active_allocated")) {
        held.put(at, block);
      }
      live += state.equals("active_allocated") ? number(block, "size") : 0;
      requested += number(block, "requested_size");
      at += number(block, "size");
    }
    require(at == address + size, "blocks end before the segment");
    require(number(segment, "allocated_size") == live, "allocated_size");
    require(number(segment, "active_size") == active, "active_size");
    require(number(segment, "requested_size") == requested, "requested_size");
  }

  /** Each request is completed before the address is used again, or pending in the end. */
  private void requests(JsonNode trace) {
    Set<Long> requested = new HashSet<>();
    Set<Long> live = new HashSet<>();
    Set<Long> known = new HashSet<>();
    Map<Long, JsonNode> allocations = new HashMap<>();
    for (JsonNode entry : trace) {
      String action = entry.path("action").asText();
      require(ACTIONS.contains(action), "action " + action);
      number(entry, "time_us");
      number(entry, "stream");
      number(entry, "size");
      require(list(entry, "frames").size() <= 16, "frames");
      if (action.equals("oom")) {
        number(entry, "device_free");
        continue;
      }
      long address = number(entry, "addr");
      if (action.equals("alloc")) {
        allocations.put(address, entry);
      }
      switch (action) {
        case "alloc" -> require(live.add(address) && !requested.contains(address), "alloc twice");
        case "free_requested" -> require(requested.add(address), "free twice");
        case "free_completed" -> {
          live.remove(address);
          // One that was requested before the first entry may come alone.
          require(requested.remove(address) || !known.contains(address), "no request");
        }
        default -> require(number(entry, "size") > 0, "segment of nothing");
      }
      known.add(address);
    }
    for (long address : requested) {
      require(Boolean.TRUE.equals(blocks.get(address)), "free never completed");
    }
    held.forEach(
        (address, block) -> {
          JsonNode allocation = allocations.get(address);
          if (allocation != null) {
            requireSame(allocation, block);
          }
        });
  }

  private static void requireSame(JsonNode allocation, JsonNode block) {
    String both = allocation + " for " + block;
    require(number(allocation, "size") == number(block, "requested_size"), both);
    require(allocation.path("user_metadata").equals(block.path("user_metadata")), both);
  }

  private void backwards(JsonNode trace) {
    blocks.keySet().forEach(this::requireMemory);
    for (int i = trace.size() - 1; i >= 0; i--) {
      JsonNode entry = trace.path(i);
      String action = entry.path("action").asText();
      if (action.equals("oom")) {
        continue;
      }
      long address = number(entry, "addr");
      long end = address + number(entry, "size");
      switch (action) {
        case "free_requested" ->
            require(blocks.put(address, false) != null, "free of no block at " + address);
        case "free_completed" -> {
          require(blocks.put(address, true) == null, "two blocks at " + address);
          requireMemory(address);
        }
        case "alloc" -> require(blocks.remove(address) != null, "alloc of no block");
        case "segment_unmap" -> unmapUndone(address, end);
        case "segment_map" -> mapUndone(address, end);
        default -> throw new AssertionError(action);
      }
    }
  }

  private void unmapUndone(long address, long end) {
    Map.Entry<Long, Long> below = segments.lowerEntry(end);
    require(below == null || below.getKey() + below.getValue() <= address, "mapped twice");
    long from = address;
    long to = end;
    Long next = segments.remove(end);
    if (next != null) {
      to += next;
    }
    if (below != null && below.getKey() + below.getValue() == address) {
      from = below.getKey();
    }
    segments.put(from, to - from);
  }

  private void mapUndone(long address, long end) {
    Map.Entry<Long, Long> whole = segments.floorEntry(address);
    require(
        whole != null && end <= whole.getKey() + whole.getValue(), "map of no segment " + address);
    require(blocks.subMap(address, end).isEmpty(), "block in memory that is not mapped yet");
    segments.remove(whole.getKey());
    if (whole.getKey() < address) {
      segments.put(whole.getKey(), address - whole.getKey());
    }
    if (end < whole.getKey() + whole.getValue()) {
      segments.put(end, whole.getKey() + whole.getValue() - end);
    }
  }

  private void requireMemory(long address) {
    Map.Entry<Long, Long> below = segments.floorEntry(address);
    require(
        below != null && address < below.getKey() + below.getValue(), "no memory at " + address);
  }

  private static JsonNode list(JsonNode dict, String key) {
    require(dict.path(key).isArray(), key + " is no list in " + dict);
    return dict.path(key);
  }

  private static long number(JsonNode dict, String key) {
    require(dict.path(key).isIntegralNumber(), key + " is no number in " + dict);
    return dict.path(key).asLong();
  }

  private static void require(boolean holds, String rule) {
    if (!holds) {
      throw new AssertionError(rule);
    }
  }
}
