package org.vramkit.sim.replay;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.CheckerOptions;

/** Reads the checker's options: the defaults, but for those that are given. */
final class CheckerReader extends JsonDeserializer<CheckerOptions> {
  @Override
  public CheckerOptions deserialize(JsonParser json, DeserializationContext context)
      throws IOException {
    if (!json.isExpectedStartObjectToken()) {
      context.reportInputMismatch(CheckerOptions.class, "no object");
    }
    ObjectNode options = ((ObjectMapper) json.getCodec()).valueToTree(CheckerOptions.DEFAULT);
    JsonNode given = context.readTree(json);
    for (Iterator<String> names = given.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!options.has(name)) {
        List<String> known = new ArrayList<>();
        options.fieldNames().forEachRemaining(known::add);
        throw new InvalidArgumentException(
            "the checker has no option '" + name + "'; it has " + known);
      }
      options.set(name, given.get(name));
    }
    return context.readTreeAsValue(options, CheckerOptions.class);
  }
}
