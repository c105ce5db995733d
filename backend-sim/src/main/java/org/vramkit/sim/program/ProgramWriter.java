package org.vramkit.sim.program;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DeviceProperties;

/** Writes a program as JSON; what a step does not have is left out. */
final class ProgramWriter {
  /** What the first key of a stored program says. */
  static final String FORMAT = "vramkit-program";

  /** Version of the format; readers refuse any other. */
  static final int VERSION = 3;

  private final JsonGenerator json;

  ProgramWriter(JsonGenerator json) {
    this.json = json;
  }

  void write(Program program) throws IOException {
    json.writeStartObject();
    json.writeStringField("format", FORMAT);
    json.writeNumberField("version", VERSION);
    setup(program.setup());
    json.writeArrayFieldStart("threads");
    for (ProgramThread thread : program.threads()) {
      json.writeStartObject();
      json.writeStringField("name", thread.name());
      json.writeBooleanField("worker", thread.worker());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeBooleanField("complete", program.complete());
    json.writeArrayFieldStart("steps");
    for (Step step : program.steps()) {
      step(step);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private void setup(ProgramSetup setup) throws IOException {
    json.writeNumberField("seed", setup.seed());
    json.writeStringField("schedule", setup.schedule().getName());
    json.writeBooleanField("bytes", setup.bytes());
    json.writeObjectFieldStart("checker");
    for (Map.Entry<String, Object> option : CheckerFields.of(setup.checker()).entrySet()) {
      json.writeFieldName(option.getKey());
      if (option.getValue() instanceof Boolean truth) {
        json.writeBoolean(truth);
      } else if (option.getValue() instanceof Number number) {
        json.writeNumber(number.longValue());
      } else {
        json.writeString(((Enum<?>) option.getValue()).name());
      }
    }
    json.writeEndObject();
    json.writeArrayFieldStart("devices");
    for (ProgramDevice device : setup.devices()) {
      device(device);
    }
    json.writeEndArray();
  }

  private void device(ProgramDevice device) throws IOException {
    DeviceProperties properties = device.properties();
    json.writeStartObject();
    json.writeStringField("name", properties.name());
    json.writeNumberField("totalMemoryBytes", properties.totalMemoryBytes());
    json.writeNumberField("multiprocessors", properties.multiprocessors());
    json.writeNumberField("clockKilohertz", properties.clockKilohertz());
    json.writeNumberField("memoryClockKilohertz", properties.memoryClockKilohertz());
    json.writeNumberField("memoryBusBits", properties.memoryBusBits());
    json.writeNumberField("l2CacheBytes", properties.l2CacheBytes());
    json.writeNumberField("computeMajor", properties.computeMajor());
    json.writeNumberField("computeMinor", properties.computeMinor());
    json.writeBooleanField("integrated", properties.integrated());
    json.writeBooleanField("errorCorrection", properties.errorCorrection());
    json.writeArrayFieldStart("capabilities");
    for (Capability capability : new TreeSet<>(device.capabilities())) {
      json.writeString(capability.name());
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private void step(Step step) throws IOException {
    json.writeStartObject();
    json.writeNumberField("number", step.number());
    json.writeStringField("kind", step.kind().getWord());
    number("thread", step.thread());
    number("inside", step.inside());
    number("device", step.device());
    number("makes", step.makes());
    if (!step.uses().isEmpty()) {
      json.writeArrayFieldStart("uses");
      for (int use : step.uses()) {
        json.writeNumber(use);
      }
      json.writeEndArray();
    }
    ranges("reads", step.reads());
    ranges("writes", step.writes());
    number("value", step.value());
    if (!step.text().isEmpty()) {
      json.writeStringField("text", step.text());
    }
    StepFailure failure = step.failure();
    if (failure.isFailed()) {
      json.writeObjectFieldStart("failure");
      json.writeStringField("type", failure.type());
      json.writeNumberField("code", failure.code());
      json.writeStringField("status", failure.status());
      json.writeStringField("function", failure.function());
      truth("planned", failure.planned());
      json.writeEndObject();
    }
    StepFault fault = step.fault();
    if (fault.isAny()) {
      json.writeObjectFieldStart("fault");
      number("delayNanos", fault.delayNanos());
      truth("hangs", fault.hangs());
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  private void truth(String name, boolean value) throws IOException {
    if (value) {
      json.writeBooleanField(name, true);
    }
  }

  private void number(String name, long value) throws IOException {
    if (value != 0) {
      json.writeNumberField(name, value);
    }
  }

  private void ranges(String name, List<ByteRange> ranges) throws IOException {
    if (!ranges.isEmpty()) {
      json.writeArrayFieldStart(name);
      for (ByteRange range : ranges) {
        json.writeStartArray();
        json.writeNumber(range.operand());
        json.writeNumber(range.offset());
        json.writeNumber(range.bytes());
        json.writeEndArray();
      }
      json.writeEndArray();
    }
  }
}
