package org.vramkit.sim.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.program.CheckerFields;
import org.vramkit.sim.program.Program;
import org.vramkit.sim.program.ProgramDevice;
import org.vramkit.sim.program.ProgramSetup;
import org.vramkit.sim.program.Step;
import org.vramkit.sim.program.StepKind;

/**
 * Prints a program as a Java class with a {@code main} that gives the same reports, to be pasted
 * into a test. Meant for programs that were shrunk: each step is a statement.
 */
public final class ProgramPrinter {
  private static final String INDENT = "    ";

  private ProgramPrinter() {}

  /**
   * The class as Java 17; it prints the hazards.
   *
   * @param className its simple name; it has no package
   */
  public static String print(Program program, String className) {
    Objects.requireNonNull(program, "program");
    Objects.requireNonNull(className, "className");
    return print(program, className, ReportKind.HAZARD);
  }

  /**
   * The class as Java 17.
   *
   * @param className its simple name; it has no package
   * @param printed which reports it prints
   */
  public static String print(Program program, String className, ReportKind printed) {
    Objects.requireNonNull(program, "program");
    Objects.requireNonNull(className, "className");
    Objects.requireNonNull(printed, "printed");
    List<Integer> threads = threads(program);
    StringBuilder text = new StringBuilder();
    Imports.of(program).forEach(name -> text.append("import ").append(name).append(";\n"));
    text.append("\npublic final class ").append(className).append(" {\n");
    text.append("  public static void main(String[] args)");
    text.append(threads.isEmpty() ? "" : " throws Exception").append(" {\n");
    line(text, "SimBackend gpu =\n" + INDENT + "    " + backend(program.setup()) + ";");
    threads.forEach(thread -> line(text, Statements.newThread(program, thread)));
    for (int device : devices(program)) {
      line(text, "SimDevice device" + device + " = gpu.getDevice(" + device + ");");
    }
    Statements statements = new Statements(program);
    for (Step step : program.steps()) {
      boolean endless = step.kind() == StepKind.END_THREAD && !threads.contains(step.thread());
      if (step.inside() == 0 && !endless) {
        String statement = statements.of(step);
        line(
            text,
            threads.contains(step.thread()) && step.kind() != StepKind.END_THREAD
                ? statements.elsewhere(step, statement)
                : statement);
      }
    }
    threads.forEach(thread -> line(text, "thread" + thread + ".shutdown();"));
    line(text, "gpu." + printed.getPrinting() + ";");
    return text.append("  }\n}\n").toString();
  }

  private static void line(StringBuilder text, String line) {
    text.append(INDENT).append(line).append('\n');
  }

  /** The threads that are not the main one: that is the first, unless it comes to an end. */
  static List<Integer> threads(Program program) {
    boolean firstEnds =
        program.steps().stream()
            .anyMatch(step -> step.kind() == StepKind.END_THREAD && step.thread() == 0);
    return program.threads().size() == 1
        ? List.of()
        : IntStream.range(firstEnds ? 0 : 1, program.threads().size()).boxed().toList();
  }

  private static Set<Integer> devices(Program program) {
    Set<Integer> used = new TreeSet<>();
    for (Step step : program.steps()) {
      if (Statements.namesDevice(step)) {
        used.add(step.device());
      }
      if (step.kind().isAboutTwoDevices()) {
        used.add((int) step.value());
      }
    }
    return used;
  }

  private static String backend(ProgramSetup setup) {
    List<String> calls = new ArrayList<>(List.of("SimBackend.builder()"));
    for (ProgramDevice device : setup.devices()) {
      calls.add(".device(" + profile(device) + ")");
    }
    calls.add(".seed(" + setup.seed() + (setup.seed() == (int) setup.seed() ? ")" : "L)"));
    calls.add(".schedule(Schedule.of(" + quoted(setup.schedule().getName()) + "))");
    if (!setup.bytes()) {
      calls.add(".bytes(false)");
    }
    if (!setup.checker().equals(CheckerOptions.DEFAULT)) {
      calls.add(".checker(" + checker(setup.checker()) + ")");
    }
    calls.add(".build()");
    return String.join("\n" + INDENT + "        ", calls);
  }

  private static String checker(CheckerOptions options) {
    StringBuilder text = new StringBuilder("CheckerOptions.DEFAULT");
    Map<String, Object> defaults = CheckerFields.of(CheckerOptions.DEFAULT);
    CheckerFields.of(options)
        .forEach(
            (name, value) -> {
              if (!value.equals(defaults.get(name))) {
                text.append(".with" + name.substring(0, 1).toUpperCase(Locale.ROOT))
                    .append(name.substring(1) + "(" + literal(value) + ")");
              }
            });
    return text.toString();
  }

  private static String literal(Object value) {
    return value instanceof Enum<?> constant
        ? constant.getDeclaringClass().getName() + "." + constant.name()
        : value.toString();
  }

  private static String profile(ProgramDevice device) {
    DeviceProfile profile = new DeviceProfile(device.properties(), device.capabilities());
    if (profile.equals(DeviceProfile.H200)) {
      return "DeviceProfile.H200";
    }
    if (profile.equals(DeviceProfile.A100_80GB)) {
      return "DeviceProfile.A100_80GB";
    }
    if (profile.equals(DeviceProfile.RTX_4090)) {
      return "DeviceProfile.RTX_4090";
    }
    return profile.equals(DeviceProfile.SMALL_8GIB) ? "DeviceProfile.SMALL_8GIB" : built(profile);
  }

  private static String built(DeviceProfile profile) {
    DeviceProperties p = profile.properties();
    StringBuilder text =
        new StringBuilder("DeviceProfile.builder(" + quoted(p.name()) + ")")
            .append(".memory(" + p.totalMemoryBytes() + "L)")
            .append(".processors(" + p.multiprocessors() + ", " + p.clockKilohertz() + ")")
            .append(".memoryBus(" + p.memoryClockKilohertz() + ", " + p.memoryBusBits() + ")")
            .append(".l2Cache(" + p.l2CacheBytes() + "L)")
            .append(".compute(" + p.computeMajor() + ", " + p.computeMinor() + ")")
            .append(".integrated(" + p.integrated() + ")")
            .append(".errorCorrection(" + p.errorCorrection() + ")");
    for (Capability capability : Capability.values()) {
      if (!profile.capabilities().contains(capability)) {
        text.append(".without(Capability." + capability + ")");
      }
    }
    return text.append(".build()").toString();
  }

  /** A Java string literal. */
  static String quoted(String text) {
    StringBuilder literal = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        literal.append('\\').append(c);
      } else if (c < ' ' || c > '~') {
        literal.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        literal.append(c);
      }
    }
    return literal.append('"').toString();
  }
}
