package org.vramkit.sim.program;

import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.schedule.Schedule;

/** Reads a program from JSON; what a step leaves out is 0 or empty. */
final class ProgramReader {
  private final JsonParser json;

  ProgramReader(JsonParser json) {
    this.json = json;
  }

  Program read() throws IOException {
    JsonFields fields = JsonFields.read(json, "program");
    if (!fields.has("format") || !fields.text("format").equals(ProgramWriter.FORMAT)) {
      throw fields.refusal(
          "no program: 'format' is not " + ProgramWriter.FORMAT + "; store one with Program.store");
    }
    if (fields.integer("version") != ProgramWriter.VERSION) {
      throw fields.refusal(
          "version "
              + fields.integer("version")
              + " is not the one that is known, "
              + ProgramWriter.VERSION
              + "; record the program again");
    }
    List<ProgramDevice> devices = new ArrayList<>();
    fields.objects("devices").forEach(device -> devices.add(device(device)));
    String schedule = fields.text("schedule");
    JsonFields checker = fields.object("checker");
    long seed = fields.number("seed");
    boolean bytes = fields.truth("bytes");
    ProgramSetup setup =
        fields.checked(
            () ->
                new ProgramSetup(
                    seed,
                    Schedule.of(schedule),
                    bytes,
                    CheckerFields.with(checker.values()),
                    devices));
    List<ProgramThread> threads =
        fields.objects("threads").stream()
            .map(thread -> new ProgramThread(thread.text("name"), thread.truth("worker")))
            .toList();
    List<Step> steps = steps(fields.objects("steps"), devices.size());
    boolean complete = fields.truth("complete");
    return new Program(setup, threads, steps, complete);
  }

  private static List<Step> steps(List<JsonFields> objects, int devices) {
    List<Step> steps = new ArrayList<>();
    Map<Integer, OperandKind> made = new HashMap<>();
    for (JsonFields fields : objects) {
      Step step = step(fields);
      fields.checked(
          () -> {
            StepShape.require(step, made, devices);
            return step;
          });
      if (step.makes() != 0) {
        made.put(step.makes(), step.kind().getMade());
      }
      steps.add(step);
    }
    return steps;
  }

  private static ProgramDevice device(JsonFields fields) {
    Set<Capability> capabilities = EnumSet.noneOf(Capability.class);
    for (String name : fields.texts("capabilities")) {
      capabilities.add(fields.checked(() -> capability(name)));
    }
    DeviceProperties properties =
        new DeviceProperties(
            fields.text("name"),
            fields.number("totalMemoryBytes"),
            fields.integer("multiprocessors"),
            fields.integer("clockKilohertz"),
            fields.integer("memoryClockKilohertz"),
            fields.integer("memoryBusBits"),
            fields.number("l2CacheBytes"),
            fields.integer("computeMajor"),
            fields.integer("computeMinor"),
            fields.truth("integrated"),
            fields.truth("errorCorrection"));
    return fields.checked(() -> new ProgramDevice(properties, capabilities));
  }

  private static Capability capability(String name) {
    for (Capability capability : Capability.values()) {
      if (capability.name().equals(name)) {
        return capability;
      }
    }
    throw new InvalidArgumentException(
        "no capability is called '" + name + "'; record the program again");
  }

  private static Step step(JsonFields fields) {
    String kind = fields.text("kind");
    return new Step(
        fields.integer("number"),
        fields.has("thread") ? fields.integer("thread") : 0,
        fields.has("inside") ? fields.integer("inside") : 0,
        fields.checked(() -> StepKind.of(kind)),
        fields.has("device") ? fields.integer("device") : 0,
        fields.has("makes") ? fields.integer("makes") : 0,
        fields.has("uses") ? fields.integers("uses") : List.of(),
        fields.has("reads") ? fields.ranges("reads") : List.of(),
        fields.has("writes") ? fields.ranges("writes") : List.of(),
        fields.has("value") ? fields.number("value") : 0,
        fields.has("text") ? fields.text("text") : "",
        fields.has("failure") ? failure(fields.object("failure")) : StepFailure.NONE,
        fields.has("fault") ? fault(fields.object("fault")) : StepFault.NONE);
  }

  private static StepFailure failure(JsonFields fields) {
    return new StepFailure(
        fields.text("type"),
        fields.integer("code"),
        fields.text("status"),
        fields.text("function"),
        fields.has("planned") && fields.truth("planned"));
  }

  private static StepFault fault(JsonFields fields) {
    return new StepFault(
        fields.has("delayNanos") ? fields.number("delayNanos") : 0,
        fields.has("hangs") && fields.truth("hangs"));
  }
}
