package org.vramkit.sim.replay;

import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.HandOff;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimGate;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.driver.WorkSelector;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.schedule.Schedule;
import org.vramkit.sim.thread.SingleThread;

/**
 * Prints a program as a Java class whose {@code main} method gives the same reports and can be
 * copied into a test. Meant for shrunk programs, because each step becomes a statement.
 */
public final class ProgramPrinter {
  private static final String INDENT = "    ";

  /**
   * Matches string literals, to skip them, and captures capitalized names that do not follow a dot:
   * types.
   */
  private static final Pattern NAME =
      Pattern.compile("\"(?:\\\\.|[^\"\\\\])*\"|(?<![.\\w])([A-Z]\\w*)");

  /** The types that a program may name, besides {@code java.lang}. */
  private static final Map<String, Class<?>> IMPORTED =
      Stream.of(
              ByteBuffer.class,
              ExecutorService.class,
              ForkJoinPool.class,
              TimeUnit.class,
              Capability.class,
              DeviceBinding.class,
              DriverPool.class,
              DriverPoolReuse.class,
              Graph.class,
              Graphs.class,
              PinnedBuffer.class,
              StreamKind.class,
              StreamOrderedMemory.class,
              ClosedException.class,
              GpuException.class,
              DeviceProfile.class,
              HandOff.class,
              SimBackend.class,
              SimDevice.class,
              SimEvent.class,
              SimGate.class,
              SimKernel.class,
              SimStream.class,
              CallSelector.class,
              Fault.class,
              FaultPlan.class,
              WorkSelector.class,
              CheckerOptions.class,
              Schedule.class,
              SingleThread.class)
          .collect(Collectors.toMap(Class::getSimpleName, Function.identity()));

  private ProgramPrinter() {}

  /**
   * Returns the source of the class, for Java 17 or newer. Its {@code main} method prints the
   * hazards.
   *
   * @param className its simple name; it has no package
   */
  public static String print(Program program, String className) {
    Objects.requireNonNull(program, "program");
    Objects.requireNonNull(className, "className");
    return print(program, className, ReportKind.HAZARD);
  }

  /**
   * Returns the source of the class, for Java 17 or newer.
   *
   * @param className its simple name; it has no package
   * @param printed the kind of reports that the class prints
   */
  public static String print(Program program, String className, ReportKind printed) {
    Objects.requireNonNull(program, "program");
    Objects.requireNonNull(className, "className");
    Objects.requireNonNull(printed, "printed");
    List<Integer> threads = threads(program);
    StringBuilder text = new StringBuilder();
    text.append("public final class ").append(className).append(" {\n");
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
    text.append("  }\n}\n");
    return imports(text) + "\n" + text;
  }

  /** Returns the imports of a text. */
  private static String imports(CharSequence text) {
    Set<String> imports = new TreeSet<>();
    Matcher names = NAME.matcher(text);
    while (names.find()) {
      Class<?> type = names.group(1) == null ? null : IMPORTED.get(names.group(1));
      if (type != null) {
        imports.add("import " + type.getName() + ";\n");
      }
    }
    return String.join("", imports);
  }

  private static void line(StringBuilder text, String line) {
    text.append(INDENT).append(line).append('\n');
  }

  /**
   * Returns the numbers of the threads that the class starts beside its main thread. The first
   * thread of the program becomes the main thread, unless the program has a step that ends it.
   * Empty if the program has one thread.
   */
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
      if (step.kind().namesDevice()) {
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
    for (DeviceProfile device : setup.devices()) {
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
    for (RecordComponent option : CheckerOptions.class.getRecordComponents()) {
      Object value = value(option, options);
      if (!value.equals(value(option, CheckerOptions.DEFAULT))) {
        String name = option.getName();
        text.append(".with" + name.substring(0, 1).toUpperCase(Locale.ROOT))
            .append(name.substring(1) + "(" + literal(value) + ")");
      }
    }
    return text.toString();
  }

  private static Object value(RecordComponent option, CheckerOptions options) {
    try {
      return option.getAccessor().invoke(options);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("a public record cannot be read", e);
    }
  }

  private static String literal(Object value) {
    return value instanceof Enum<?> constant
        ? constant.getDeclaringClass().getName() + "." + constant.name()
        : value.toString();
  }

  private static String profile(DeviceProfile profile) {
    return Arrays.stream(DeviceProfile.class.getFields())
        .filter(each -> profile.equals(constant(each)))
        .map(each -> "DeviceProfile." + each.getName())
        .findFirst()
        .orElseGet(() -> built(profile));
  }

  private static Object constant(Field field) {
    try {
      return field.get(null);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("a public constant cannot be read", e);
    }
  }

  private static String built(DeviceProfile profile) {
    DeviceProperties p = profile.properties();
    StringBuilder text =
        new StringBuilder("DeviceProfile.builder(" + quoted(p.name()) + ")")
            .append(".memory(" + p.totalMemoryBytes() + "L)")
            .append(profile.contextBytes() == 0 ? "" : ".context(" + profile.contextBytes() + "L)")
            .append(profile.exactMemory() ? ".exactMemory(true)" : "")
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

  /** Returns a Java string literal. */
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
