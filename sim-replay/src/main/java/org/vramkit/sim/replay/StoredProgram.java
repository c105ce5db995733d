package org.vramkit.sim.replay;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.StdConverter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.schedule.Schedule;

/** A program in the form of its file. */
record StoredProgram(
    String format,
    int version,
    long seed,
    Schedule schedule,
    boolean bytes,
    @JsonDeserialize(using = CheckerReader.class) CheckerOptions checker,
    @JsonSerialize(contentConverter = Device.Of.class)
        @JsonDeserialize(contentConverter = Device.To.class)
        List<DeviceProfile> devices,
    List<ProgramThread> threads,
    boolean complete,
    @JsonDeserialize(using = StepsReader.class) List<Step> steps) {
  /** The value of the first key of a stored program. */
  static final String FORMAT = "vramkit-program";

  /** Version of the format; readers refuse any other. */
  static final int VERSION = 3;

  /** A device with its properties and capabilities side by side. */
  record Device(
      @JsonUnwrapped DeviceProperties properties,
      SortedSet<Capability> capabilities,
      long contextBytes,
      boolean exactMemory) {
    /** Converts a profile for writers. */
    static final class Of extends StdConverter<DeviceProfile, Device> {
      @Override
      public Device convert(DeviceProfile profile) {
        return new Device(
            profile.properties(),
            new TreeSet<>(profile.capabilities()),
            profile.contextBytes(),
            profile.exactMemory());
      }
    }

    /** Converts a profile for readers. */
    static final class To extends StdConverter<Device, DeviceProfile> {
      @Override
      public DeviceProfile convert(Device device) {
        return new DeviceProfile(
            device.properties(),
            device.capabilities(),
            device.contextBytes(),
            device.exactMemory());
      }
    }
  }

  static StoredProgram of(Program program) {
    ProgramSetup setup = program.setup();
    return new StoredProgram(
        FORMAT,
        VERSION,
        setup.seed(),
        setup.schedule(),
        setup.bytes(),
        setup.checker(),
        setup.devices(),
        program.threads(),
        program.complete(),
        program.steps());
  }

  Program toProgram() {
    ProgramSetup setup = new ProgramSetup(seed, schedule, bytes, checker, devices);
    return new Program(setup, threads, steps, complete);
  }

  /** Reads the checker's options; missing ones have their defaults. */
  private static final class CheckerReader extends JsonDeserializer<CheckerOptions> {
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

  /** Reads steps and checks each before the parser moves on, so that an error names the line. */
  private static final class StepsReader extends JsonDeserializer<List<Step>> {
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
}
