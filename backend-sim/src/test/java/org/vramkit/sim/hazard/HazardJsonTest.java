package org.vramkit.sim.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Reports as JSON")
class HazardJsonTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static JsonNode parse(HazardReport report) throws JsonProcessingException {
    return MAPPER.readTree(report.toJson());
  }

  @Test
  @DisplayName("Every field comes back as it was")
  void roundTrip() throws JsonProcessingException {
    HazardReport report = ReportSamples.full();
    JsonNode json = parse(report);
    assertEquals(report, read(json));
    assertEquals(report.code().getMeaning(), json.get("meaning").textValue());
    assertEquals(report.link(), json.get("see").textValue());
    assertEquals(report.later().index(), json.get("run").get("operation").longValue());
    assertEquals(512, json.get("offset").longValue());
    assertEquals(false, json.get("warning").booleanValue());
  }

  @Test
  @DisplayName("Unknown values are null, and no field is left out")
  void sameShape() throws JsonProcessingException {
    HazardReport bare = ReportSamples.bare();
    JsonNode json = parse(bare);
    assertEquals(bare, read(json));
    assertTrue(json.get("warning").booleanValue());
    for (String name : List.of("memory", "previous", "earlier", "nearest")) {
      assertTrue(json.get(name).isNull(), name);
    }
    assertEquals(names(parse(ReportSamples.full())), names(json));
  }

  @Test
  @DisplayName("A frame without a file gives a null, not a failure")
  void unknownSource() throws JsonProcessingException {
    HazardReport bare = ReportSamples.bare();
    Access found = bare.later();
    StackTraceElement frame = new StackTraceElement("a.B", "c", null, -1);
    Access framed =
        new Access(
            found.operation(),
            found.index(),
            found.stream(),
            found.thread(),
            found.kind(),
            found.address(),
            found.bytes(),
            List.of(frame));
    HazardReport report =
        new HazardReport(
            bare.code(),
            bare.run(),
            bare.device(),
            null,
            null,
            0,
            0,
            null,
            framed,
            bare.missing(),
            null,
            bare.remedy(),
            bare.link());
    assertEquals(List.of(frame), access(parse(report).get("later")).stack());
  }

  private static Set<String> names(JsonNode node) {
    Set<String> names = new TreeSet<>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static HazardReport read(JsonNode json) {
    return new HazardReport(
        HazardCode.valueOf(json.get("code").textValue()),
        new RunId(
            json.get("run").get("seed").longValue(), json.get("run").get("schedule").textValue()),
        json.get("device").intValue(),
        owner(json.get("memory")),
        owner(json.get("previous")),
        json.get("address").longValue(),
        json.get("bytes").longValue(),
        optionalAccess(json.get("earlier")),
        access(json.get("later")),
        json.get("missing").textValue(),
        nearest(json.get("nearest")),
        json.get("remedy").textValue(),
        json.get("see").textValue());
  }

  private static @Nullable Owner owner(JsonNode json) {
    return json.isNull()
        ? null
        : new Owner(
            json.get("id").longValue(),
            json.get("kind").textValue(),
            json.get("tag").textValue(),
            json.get("address").longValue(),
            json.get("bytes").longValue(),
            optionalAccess(json.get("allocated")),
            optionalAccess(json.get("freed")));
  }

  private static @Nullable Access optionalAccess(JsonNode json) {
    return json.isNull() ? null : access(json);
  }

  private static Access access(JsonNode json) {
    return new Access(
        json.get("operation").textValue(),
        json.get("index").longValue(),
        json.get("stream").textValue(),
        json.get("thread").textValue(),
        AccessKind.valueOf(json.get("kind").textValue()),
        json.get("address").longValue(),
        json.get("bytes").longValue(),
        stack(json.get("stack")));
  }

  static List<StackTraceElement> stack(JsonNode json) {
    List<StackTraceElement> stack = new ArrayList<>();
    for (JsonNode frame : json) {
      stack.add(
          new StackTraceElement(
              frame.get("class").textValue(),
              frame.get("method").textValue(),
              frame.get("file").textValue(),
              frame.get("line").intValue()));
    }
    return stack;
  }

  private static @Nullable NearestOrder nearest(JsonNode json) {
    if (json.isNull()) {
      return null;
    }
    List<Long> operations = new ArrayList<>();
    json.get("operations").forEach(operation -> operations.add(operation.longValue()));
    return new NearestOrder(
        Shortfall.valueOf(Objects.requireNonNull(json.get("shortfall").textValue())),
        operations,
        json.get("words").textValue());
  }
}
