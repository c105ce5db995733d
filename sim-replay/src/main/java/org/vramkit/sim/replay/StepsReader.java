package org.vramkit.sim.replay;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

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
      Step step = context.readValue(json, Step.class);
      checks.check(step);
      steps.add(step);
    }
    return steps;
  }
}
