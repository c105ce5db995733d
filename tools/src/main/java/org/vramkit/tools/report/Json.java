package org.vramkit.tools.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;

/** Helpers for JSON documents. */
final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  static ObjectNode counts(Map<String, Long> counts) {
    ObjectNode node = object();
    counts.forEach((name, count) -> node.put(name, count));
    return node;
  }

  static void texts(ArrayNode node, List<String> texts) {
    texts.forEach(node::add);
  }

  /** Formats a node as indented text that ends with a line break. */
  static String text(ObjectNode node) {
    try {
      return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(node) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of plain values cannot be written", e);
    }
  }
}
