package org.vramkit.sim.replay;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.error.InvalidArgumentException;

/** Reads steps, each checked while the parser is still at it, so that a refusal has its line. */
final class StepsReader extends JsonDeserializer<List<Step>> {
  @Override
  public List<Step> deserialize(JsonParser json, DeserializationContext context)
      throws IOException {
    if (!json.isExpectedStartArrayToken()) {
      context.reportInputMismatch(List.class, "no list");
    }
    List<Step> steps = new ArrayList<>();
    StepChecks checks = new StepChecks();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      try {
        if (json.currentToken() == JsonToken.VALUE_NULL) {
          context.reportInputMismatch(Step.class, "null");
        }
        Step step = context.readValue(json, Step.class);
        checks.check(step);
        steps.add(step);
      } catch (IOException | InvalidArgumentException e) {
        throw JsonMappingException.wrapWithPath(e, steps, steps.size());
      }
    }
    return steps;
  }
}
