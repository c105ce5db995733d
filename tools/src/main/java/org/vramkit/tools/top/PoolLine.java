package org.vramkit.tools.top;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Formats the figures of a JVM's allocators as one line of JSON; omits unknown figures. */
final class PoolLine {
  private PoolLine() {}

  /** Returns the JSON, which contains no line break. */
  static String of(Pools pools) {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    line.put("time", pools.latest().toString());
    ArrayNode allocators = line.putArray("allocators");
    pools.allocators().forEach(each -> add(allocators.addObject(), each));
    add(line.putArray("tags"), "tag", pools.tags());
    add(line.putArray("streams"), "stream", pools.streams());
    for (PartKind kind : PartKind.values()) {
      ArrayNode all = line.putArray(kind.json);
      for (Figures each : pools.parts(kind)) {
        ObjectNode node = all.addObject().put("part", each.number()).put("device", each.device());
        each.values().forEach(node::put);
      }
    }
    return line.toString();
  }

  private static void add(ObjectNode node, Pools.Reading reading) {
    Figures figures = reading.figures();
    node.put("allocator", figures.number());
    node.put("device", figures.device());
    figures.labels().forEach(node::put);
    figures.values().forEach(node::put);
    if (figures.get("deviceUsedBytes") < 0) {
      node.remove("deviceUsedBytes");
    }
    node.put("held", figures.get("allocations"));
    node.put("allocations", reading.made());
    reading.rate().ifPresent(perSecond -> node.put("allocationsPerSecond", perSecond));
  }

  private static void add(ArrayNode all, String name, List<Figures> figures) {
    for (Figures each : figures) {
      ObjectNode node = all.addObject();
      node.put(name, each.label(name));
      node.put("allocator", each.number());
      each.values().forEach(node::put);
    }
  }
}
