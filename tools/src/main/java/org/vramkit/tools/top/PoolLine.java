package org.vramkit.tools.top;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Collection;
import java.util.OptionalDouble;

/** Formats the figures of a JVM's allocators as one line of JSON; omits unknown figures. */
final class PoolLine {
  private final ObjectNode line = JsonNodeFactory.instance.objectNode();
  private final ArrayNode allocators;

  PoolLine(Instant time) {
    line.put("time", time.toString());
    allocators = line.putArray("allocators");
  }

  void add(PoolFigures figures, OptionalDouble rate) {
    ObjectNode node = allocators.addObject();
    node.put("allocator", figures.allocator());
    node.put("device", figures.device());
    node.put("deviceName", figures.deviceName());
    node.put("deviceTotalBytes", figures.deviceTotal());
    if (figures.deviceUsed() >= 0) {
      node.put("deviceUsedBytes", figures.deviceUsed());
    }
    node.put("liveBytes", figures.live());
    node.put("cachedBytes", figures.cached());
    node.put("fragmentBytes", figures.fragments());
    node.put("suspendedBytes", figures.suspended());
    node.put("reservedBytes", figures.reserved());
    node.put("reservedPeakBytes", figures.reservedPeak());
    node.put("held", figures.allocations());
    node.put("allocations", figures.made());
    node.put("servedFromPool", figures.servedFromPool());
    node.put("cacheHits", figures.cacheHits());
    rate.ifPresent(perSecond -> node.put("allocationsPerSecond", perSecond));
    node.put("pagesMoved", figures.pagesMoved());
    node.put("outOfMemories", figures.outOfMemories());
    node.put("leaks", figures.leaks());
  }

  void add(Collection<TagFigures> tags) {
    ArrayNode all = line.putArray("tags");
    for (TagFigures each : tags) {
      all.addObject()
          .put("tag", each.tag())
          .put("allocator", each.allocator())
          .put("liveBytes", each.live())
          .put("peakBytes", each.peak())
          .put("allocations", each.made());
    }
  }

  void addStreams(Collection<StreamFigures> streams) {
    ArrayNode all = line.putArray("streams");
    for (StreamFigures each : streams) {
      all.addObject()
          .put("stream", each.stream())
          .put("allocator", each.allocator())
          .put("liveBytes", each.live())
          .put("cachedBytes", each.cached())
          .put("fragmentBytes", each.fragments());
    }
  }

  void addParts(Collection<PartFigures> parts) {
    for (PartFigures.Kind kind : PartFigures.Kind.values()) {
      ArrayNode all = line.putArray(kind.json);
      for (PartFigures each : parts) {
        if (each.kind() == kind) {
          ObjectNode node = all.addObject();
          node.put("part", each.part());
          node.put("device", each.device());
          each.values().forEach(node::put);
        }
      }
    }
  }

  /** Returns the JSON, which contains no line break. */
  String text() {
    return line.toString();
  }
}
